/** Manifests in files: they are watched, and read again once they are written. What can't be read keeps its last good content. */
import { readFileSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { FSWatcher } from "chokidar";
import { watch } from "chokidar";
import type { InputState } from "../input/last-good.js";
import { advance, initialInput } from "../input/last-good.js";
import type { Resources } from "../input/resources.js";
import type { Source } from "../input/source.js";
import type { CompileOptions } from "../model/options.js";
import { errorText } from "../support/text.js";
import { isObject } from "../support/json-object.js";
import type { Log } from "../support/log.js";
import type { CurrentObjects, ObjectSource } from "./controller.js";

interface FileSourceOptions {
  readonly options: CompileOptions;
  readonly log: Log;
  /** Files and folders that are watched. */
  readonly paths: readonly string[];
  readonly readSources: () => Promise<readonly Source[]>;
}

/** Milliseconds after which files are read although they go on changing. */
const LONGEST_WAIT = 2000;

export class FileSource implements ObjectSource {
  readonly #setup: FileSourceOptions;
  /** Since the files were read last. */
  readonly #changed = new Set<string>();
  #watcher: Promise<FSWatcher> | undefined;
  #input: InputState;
  #byOptions = true;

  constructor(setup: FileSourceOptions) {
    this.#setup = setup;
    this.#input = initialInput({ albGroup: setup.options.domains.group });
  }

  async start(notify: () => void): Promise<void> {
    const { paths, log } = this.#setup;
    this.#watcher = watchPaths(paths, {
      onChange: (path) => {
        this.#changed.add(path);
        notify();
      },
      onError: (reason) => {
        log.error({ reason }, "watching the files failed; changes may go unseen");
      },
    });
    await this.#watcher;
  }

  async read(): Promise<CurrentObjects> {
    await this.#untilSettled();
    const input = advance(this.#input, await this.#setup.readSources());
    this.#input = input.state;
    this.#reportLostAlbs(input.resources);
    return input;
  }

  async close(): Promise<void> {
    const watcher = await this.#watcher;
    await watcher?.close();
  }

  async #untilSettled(): Promise<void> {
    const end = performance.now() + LONGEST_WAIT;
    while (this.#changed.size > 0 && performance.now() < end) {
      const paths = [...this.#changed];
      this.#changed.clear();
      await untilWritten(paths);
    }
  }

  /** Whoever removes the last ALB2 takes its auth and its ports away from all Ingresses, perhaps by mistake. */
  #reportLostAlbs(resources: Resources): void {
    const { options, log } = this.#setup;
    const before = this.#byOptions;
    this.#byOptions = options.alb === "" && isWithoutAlb(resources);
    if (before || !this.#byOptions) return;
    const { httpPort, httpsPort } = options;
    log.warn(
      { httpPort, httpsPort },
      "the last ALB2 is gone: Ingresses are now served on the ports of the options, without its auth",
    );
  }
}

/** Nobody has written an ALB2, not even one that can't be read. */
function isWithoutAlb(resources: Resources): boolean {
  const isRefused = resources.refused.some(({ kind }) => kind === "ALB2");
  return resources.list("ALB2").length === 0 && !isRefused;
}

interface PathListener {
  /** Something at or below the paths was added, changed or removed. */
  readonly onChange: (path: string) => void;
  readonly onError: (reason: string) => void;
}

/**
 * Resolves once every change is seen. Hidden folders are ignored, except the `..data` links by which Kubernetes swaps mounted config
 * maps. Of two changes of a file within 50 ms, chokidar's own events tell only the first, so the system's are followed too; those
 * alone would not tell what a new folder already contains.
 */
async function watchPaths(
  paths: readonly string[],
  { onChange, onError }: PathListener,
): Promise<FSWatcher> {
  const watcher = watch([...paths], {
    ignoreInitial: true,
    ignored: (path) => isHidden(basename(path)) && !paths.includes(path),
  });
  watcher.on("all", (_event, path) => {
    onChange(path);
  });
  watcher.on("raw", (_event, name: string | null, details) => {
    const watched = isObject(details) ? String(details["watchedPath"]) : "";
    const path = name === null || name === basename(watched) ? watched : join(watched, name);
    if (!isHidden(basename(path))) onChange(path);
  });
  watcher.on("error", (error) => {
    onError(errorText(error));
  });
  await new Promise<void>((resolve) => {
    watcher.once("ready", resolve);
  });
  return watcher;
}

function isHidden(name: string): boolean {
  return name.startsWith(".") && !name.startsWith("..") && name !== ".";
}

/**
 * Which files somebody is writing at this moment. What stands in them may be half of what is meant, and the half of a rule with auth may
 * well be a rule without. Only Linux tells (/proc), and only of processes that this user may look into.
 */

/** O_WRONLY | O_RDWR, as `flags` of /proc/PID/fdinfo has them (octal). */
const WRITES = 0o3;
const OWN = String(process.pid);

/** How long a file is waited for, in milliseconds: who keeps it open for longer means it to be read. */
const PATIENCE = 2000;
/** An empty file that is younger than this, in milliseconds, was emptied to be written anew. */
const FRESH = 500;
const INTERVAL = 20;

/** Resolves when none of the files is being written any more, or patience is at its end. */
async function untilWritten(paths: readonly string[]): Promise<void> {
  const deadline = performance.now() + PATIENCE;
  const real = new Set(paths.flatMap(realPath));
  while (real.size > 0 && performance.now() < deadline) {
    const open = openForWriting(real);
    const unfinished = [...real].filter((path) => open.has(path) || isFreshAndEmpty(path));
    if (unfinished.length === 0) return;
    await pause(INTERVAL);
  }
}

function openForWriting(paths: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const pid of entries("/proc")) {
    if (!/^\d+$/.test(pid) || pid === OWN) continue;
    for (const fd of entries(`/proc/${pid}/fd`)) {
      const path = attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`));
      if (path !== undefined && paths.has(path) && isForWriting(pid, fd)) found.add(path);
    }
  }
  return found;
}

function isForWriting(pid: string, fd: string): boolean {
  const info = attempt(() => readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8")) ?? "";
  const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & WRITES) !== 0;
}

function isFreshAndEmpty(path: string): boolean {
  const stats = attempt(() => statSync(path));
  return stats?.isFile() === true && stats.size === 0 && Date.now() - stats.mtimeMs < FRESH;
}

/** None where there is no such folder, or it may not be read. */
function entries(folder: string): readonly string[] {
  return attempt(() => readdirSync(folder)) ?? [];
}

function realPath(path: string): readonly string[] {
  const real = attempt(() => realpathSync(path));
  return real === undefined ? [] : [real];
}

/** Processes and files come and go while we look. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
