/** Manifests in files: watches them, and reads them again once they are written. A broken document keeps its last good content. */
import { readFileSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type FSWatcher, watch } from "chokidar";
import { type Advance, type InputState, advance, initialInput } from "../input/load.js";
import type { Resources } from "../input/resources.js";
import type { Source } from "../input/documents.js";
import type { CompileOptions } from "../model/options.js";
import { errorText } from "../support/text.js";
import { isObject } from "../support/json-object.js";
import type { Log } from "../support/log.js";

/** Milliseconds after which files are read although they keep changing. */
const LONGEST_WAIT = 2000;

export class FileSource {
  readonly #setup: ConstructorParameters<typeof FileSource>[0];
  /** Paths that changed since the files were last read. */
  readonly #changed = new Set<string>();
  #watcher: Promise<FSWatcher> | undefined;
  #input: InputState;
  #isWithoutAlb = true;

  constructor(setup: {
    readonly options: CompileOptions;
    readonly log: Log;
    /** Files and folders that are watched. */
    readonly paths: readonly string[];
    readonly readSources: () => Promise<readonly Source[]>;
  }) {
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
        log.error(
          { reason },
          "watching the files failed: changes may be missed until albc is restarted",
        );
      },
    });
    await this.#watcher;
  }

  async read(): Promise<Advance> {
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

  /** Without the last ALB2, all Ingresses lose its auth and its ports: removing it may be a mistake. */
  #reportLostAlbs(resources: Resources): void {
    const { options, log } = this.#setup;
    const before = this.#isWithoutAlb;
    this.#isWithoutAlb = options.alb === "" && isWithoutAlb(resources);
    if (before || !this.#isWithoutAlb) return;
    const { httpPort, httpsPort } = options;
    log.warn(
      { httpPort, httpsPort },
      "the last ALB2 is gone: Ingresses are now served on the ports of the options, without its auth",
    );
  }
}

/** No manifest declares an ALB2, not even one that can't be read. */
function isWithoutAlb(resources: Resources): boolean {
  const isRefused = resources.refused.some(({ kind }) => kind === "ALB2");
  return resources.list("ALB2").length === 0 && !isRefused;
}

/**
 * Resolves once every later change is reported. Hidden folders are ignored, except the `..data` links by which Kubernetes swaps mounted
 * config maps. chokidar's own events report only the first of two changes of a file within 50 ms, so the raw ones are used, too; those
 * alone would not report what a new folder already contains.
 */
async function watchPaths(
  paths: readonly string[],
  {
    onChange,
    onError,
  }: { readonly onChange: (path: string) => void; readonly onError: (reason: string) => void },
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

// A file that is being written may hold half of its content, and half of a rule with auth may be a rule without auth. Only Linux tells
// which files are open for writing (/proc), and only for processes that this user may inspect.

/** O_WRONLY | O_RDWR in the `flags` of /proc/PID/fdinfo (octal). */
const WRITES = 0o3;
const OWN = String(process.pid);

/** Milliseconds to wait for a file: one that stays open for longer is read anyway. */
const PATIENCE = 2000;
/** Milliseconds: an empty file that is younger was truncated to be rewritten. */
const FRESH = 500;
const INTERVAL = 20;

/** Resolves when no process writes the files any longer, or after PATIENCE. */
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

/** Names in a folder; none if it can't be read. */
function entries(folder: string): readonly string[] {
  return attempt(() => readdirSync(folder)) ?? [];
}

function realPath(path: string): readonly string[] {
  const real = attempt(() => realpathSync(path));
  return real === undefined ? [] : [real];
}

/** Undefined if it throws: processes and files may disappear at any moment. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
