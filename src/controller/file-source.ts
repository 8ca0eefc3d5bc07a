/** Manifests in files: watches them, and reads them again once they are written. A broken document keeps its last good content. */
import {
  lstatSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type FSWatcher, watch } from "chokidar";
import { isManifest, isPassing, plainPath } from "../input/files.js";
import {
  type Advance,
  type InputState,
  advance,
  initialInput,
  mayBeEdited,
} from "../input/load.js";
import type { Resources } from "../input/resources.js";
import type { Source } from "../input/documents.js";
import type { CompileOptions } from "../model/options.js";
import { errorText } from "../support/text.js";
import { isObject } from "../support/json-object.js";
import type { Log } from "../support/log.js";
import type { ChangedObject } from "./controller.js";

/** Milliseconds after which files are read although they keep changing. */
const LONGEST_WAIT = 2000;
/** Milliseconds between looks at where the named paths lead to: a watcher stays with what was there when it began. */
const LOOK_INTERVAL = 1000;
/** Milliseconds after which is read again what could not be read for a moment. */
const PASSING_DELAY = 2000;

interface Watch {
  /** Of what is watched, see placeOf. */
  readonly place: string;
  readonly watcher: FSWatcher;
}

export class FileSource {
  readonly #setup: ConstructorParameters<typeof FileSource>[0];
  /** Paths that changed since the files were last read. */
  readonly #changed = new Set<string>();
  /** Those of them that a program may still be writing. */
  readonly #written = new Set<string>();
  readonly #paths: readonly string[];
  /** By named path. */
  readonly #watches = new Map<string, Watch>();
  #look: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #again: NodeJS.Timeout | undefined;
  readonly #ended = new AbortController();
  #notify: () => void = () => undefined;
  #input: InputState;
  #hasRead = false;
  #isWithoutAlb = true;

  constructor(setup: {
    readonly options: CompileOptions;
    readonly log: Log;
    /** Files and folders that are watched. */
    readonly paths: readonly string[];
    /**
     * `changed`: paths that changed since the last call; empty: it is unknown what changed. `canEdit`: whether a source may come as an edit
     * of this one.
     */
    readonly readSources: (
      changed: ReadonlySet<string>,
      canEdit: (source: Source) => boolean,
    ) => Promise<readonly Source[]>;
  }) {
    this.#setup = setup;
    this.#paths = [...new Set(setup.paths.map(plainPath))];
    this.#input = initialInput({ albGroup: setup.options.domains.group });
  }

  async start(notify: () => void): Promise<void> {
    this.#notify = notify;
    await this.#watchPlaces();
    this.#lookLater();
  }

  #lookLater(): void {
    this.#look = setTimeout(() => {
      this.#looking = this.#lookAgain();
    }, LOOK_INTERVAL);
    this.#look.unref();
  }

  async #lookAgain(): Promise<void> {
    for (const path of await this.#watchPlaces()) this.#note(path, true);
    if (!this.#ended.signal.aborted) this.#lookLater();
  }

  /** Watches what the named paths lead to, where that is something else than before; returns these paths. */
  async #watchPlaces(): Promise<readonly string[]> {
    const watched = await Promise.all(
      this.#paths.map(async (path) => {
        const place = await placeOf(path);
        const before = this.#watches.get(path);
        if (place === before?.place || this.#ended.signal.aborted) return [];
        // Watchers of one path share what they listen to, so the old one ends first.
        await before?.watcher.close();
        const watcher = await this.#watch(path);
        this.#watches.set(path, { place, watcher });
        return [path];
      }),
    );
    return watched.flat();
  }

  #watch(path: string): Promise<FSWatcher> {
    const { log } = this.#setup;
    return watchPath(path, {
      onChange: (changed, isWritten) => {
        this.#note(changed, isWritten);
      },
      onError: (reason) => {
        log.error(
          { reason },
          "watching the files failed: changes may be missed until albc is restarted",
        );
      },
    });
  }

  #note(path: string, isWritten: boolean): void {
    this.#changed.add(path);
    if (isWritten) this.#written.add(path);
    this.#notify();
  }

  async read(): Promise<Advance & { readonly changed: readonly ChangedObject[] }> {
    const paths = await this.#untilSettled();
    const canEdit = (source: Source): boolean => mayBeEdited(this.#input, source);
    const sources = await this.#setup.readSources(paths, canEdit);
    if (sources.some(isPassing)) this.#readAgain();
    const input = advance(this.#input, sources);
    this.#input = input.state;
    this.#reportLostAlbs(input.resources);
    const changes = this.#hasRead ? input.changes : [];
    this.#hasRead = true;
    const changed = changes.map(({ kind, namespace, name, now }) => {
      return { kind, namespace, name, removed: now === undefined };
    });
    return { ...input, changed };
  }

  #readAgain(): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(this.#notify, PASSING_DELAY);
    this.#again.unref();
  }

  async close(): Promise<void> {
    this.#ended.abort();
    clearTimeout(this.#look);
    clearTimeout(this.#again);
    await this.#looking;
    await Promise.all([...this.#watches.values()].map(({ watcher }) => watcher.close()));
  }

  /** Returns the changed paths. */
  async #untilSettled(): Promise<ReadonlySet<string>> {
    const end = performance.now() + LONGEST_WAIT;
    const all = new Set<string>();
    while (this.#changed.size > 0 && performance.now() < end) {
      const [paths, written] = [[...this.#changed], new Set(this.#written)];
      for (const path of paths) all.add(path);
      this.#changed.clear();
      this.#written.clear();
      await untilWritten(paths.filter((path) => written.has(path) || isFreshAndEmpty(path)));
    }
    return all;
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
 * alone would not report what a new folder already contains. `isWritten`: a program may still be writing the file. If not, it was moved to
 * its place, as careful programs do: looking for programs that write files takes a while.
 */
async function watchPath(
  named: string,
  {
    onChange,
    onError,
  }: {
    readonly onChange: (path: string, isWritten: boolean) => void;
    readonly onError: (reason: string) => void;
  },
): Promise<FSWatcher> {
  // A file that is no manifest, such as one that is renamed to a manifest once it is written.
  const isOther = (path: string): boolean =>
    !isManifest(path) && path !== named && attempt(() => lstatSync(path).isFile()) === true;
  const watcher = watch(named, {
    ignoreInitial: true,
    ignored: (path) => isHidden(basename(path)) && path !== named,
  });
  watcher.on("all", (event, path) => {
    if (!isOther(path)) onChange(path, event === "add");
  });
  watcher.on("raw", (event, name: string | null, details) => {
    const watched = isObject(details) ? String(details["watchedPath"]) : "";
    const path = name === null || name === basename(watched) ? watched : join(watched, name);
    if ((isHidden(basename(path)) && path !== named) || isOther(path)) return;
    // A file that is replaced has a change, too: of its own watch, because it has a link less.
    const isReplaced = path === watched && path !== named && !isLink(path);
    onChange(path, event === "change" && !isReplaced);
  });
  watcher.on("error", (error) => {
    onError(errorText(error));
  });
  await new Promise<void>((resolve) => {
    watcher.once("ready", resolve);
  });
  return watcher;
}

/** What a path leads to, as a text: another file or folder of the same name, or the same one after it was gone, has another one. */
async function placeOf(path: string): Promise<string> {
  try {
    const { dev, ino, birthtimeNs } = await stat(path, { bigint: true });
    return [await realpath(path), dev, ino, birthtimeNs].join(" ");
  } catch {
    return "";
  }
}

function isLink(path: string): boolean {
  return attempt(() => lstatSync(path).isSymbolicLink()) === true;
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
