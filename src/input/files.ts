/** Paths, as `-f` names them → texts. The only file of this folder that touches files. */
import { constants as bufferConstants } from "node:buffer";
import { constants } from "node:fs";
import { type FileHandle, lstat, open, readdir, realpath, stat } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { compareStrings } from "../support/collections.js";
import { EnvironmentError } from "../support/errors.js";
import { isObject, own } from "../support/json-object.js";
import { type Source, hasText, isSameSource } from "./documents.js";
import { FileTexts, UnreadableError } from "./file-texts.js";

const EXTENSIONS = new Set([".yaml", ".yml", ".json"]);
const STANDARD_INPUT = "-";

/** Whether a file in a folder is read, by its name. */
export function isManifest(path: string): boolean {
  return EXTENSIONS.has(extname(path).toLowerCase());
}

/** The path as those of what is in it begin, and as a watcher names it. */
export function plainPath(path: string): string {
  const plain = normalize(path);
  return plain.length > 1 && plain.endsWith("/") ? plain.slice(0, -1) : plain;
}

/** A path that was named is not there. */
export class MissingPathError extends EnvironmentError {
  constructor(path: string) {
    super(`${path} does not exist; check the path`);
  }
}

/** How the bytes of files become sources. */
interface Texts {
  readonly texts: FileTexts;
  /** Whether a source may come as an edit of this one. */
  readonly canEdit?: (source: Source) => boolean;
}

interface ReadOptions {
  /** Everything that comes on standard input, for the path `-`. */
  readonly readInput: () => Promise<string>;
  /** A path that is not there: end with MissingPathError, or give a source that says so. */
  readonly missing: "fail" | "report";
  /** Read what links in a folder lead to outside of it, too. */
  readonly followLinks: boolean;
}

/**
 * Reads files, folders (recursively: .yaml, .yml and .json, hidden files and folders left out) and standard input, in the
 * order of the paths and sorted in each folder. A file that two paths reach is read once. What exists but can't be read
 * is a source without text: so are pipes and devices, which may never end, and links that leave their folder, because who writes the
 * folder need not be allowed to read what they lead to.
 */
export async function readSources(
  paths: readonly string[],
  options: ReadOptions,
): Promise<readonly Source[]> {
  return readAll(paths, { ...options, texts: new FileTexts() });
}

/** Milliseconds after which folders are given up whose files keep being moved. */
const LONGEST_MOVING = 2000;

/**
 * A file that is renamed while its folder is read may be found under neither name, and what it protects would be open. So folders are read
 * until nothing was added, removed or renamed meanwhile.
 */
async function readAll(
  paths: readonly string[],
  options: ReadOptions & Texts,
): Promise<readonly Source[]> {
  const input = paths.includes(STANDARD_INPUT) ? await options.readInput() : "";
  const end = performance.now() + LONGEST_MOVING;
  for (;;) {
    const reader = new SourceReader(options);
    for (const path of new Set(paths)) {
      if (path === STANDARD_INPUT) reader.addText("<stdin>", input);
      else if (await reader.addPath(path)) continue;
      else if (options.missing === "fail") throw new MissingPathError(path);
      else reader.addAbsent(path);
    }
    const moving = await reader.moving();
    if (moving.length === 0) return reader.sources;
    if (performance.now() > end) return [...reader.sources, ...moving];
  }
}

/** More changed paths than that are read together with all others: the kernel may have dropped events. */
const MOST_CHANGED = 100;

/** Reads paths again and again; regular files that are known to have changed are read alone. */
export class SourceFiles {
  readonly #paths: readonly string[];
  readonly #options: ReadOptions;
  readonly #texts = new FileTexts();
  #sources: readonly Source[] = [];

  constructor(paths: readonly string[], options: ReadOptions) {
    this.#paths = paths.map(plainPath);
    this.#options = options;
  }

  /**
   * `changed`: all paths that may have changed since the last call; without any, everything is read. `canEdit`: whether an edit may follow
   * on a source that was read before.
   */
  async read(
    changed: ReadonlySet<string>,
    canEdit: (source: Source) => boolean,
  ): Promise<readonly Source[]> {
    const options = { ...this.#options, texts: this.#texts, canEdit };
    this.#sources = (await this.#withChanges(changed, options)) ?? (await this.#withAll(options));
    return this.#sources;
  }

  /** What has not changed stays the same source: two strings with one text would be compared, and kept in memory, from then on. */
  async #withAll(options: ReadOptions & Texts): Promise<readonly Source[]> {
    const before = new Map(this.#sources.map((source) => [source.path, source]));
    const now = await readAll(this.#paths, options);
    this.#texts.keepOnly(new Set(now.map(({ path }) => path)));
    return now.map((source) => {
      const known = before.get(source.path);
      return known !== undefined && isSameSource(known, source) ? known : source;
    });
  }

  /** Undefined: a folder, a link, a new or a removed file is among them, or what else can't be read alone. */
  async #withChanges(
    changed: ReadonlySet<string>,
    options: ReadOptions & Texts,
  ): Promise<readonly Source[] | undefined> {
    if (changed.size === 0 || changed.size > MOST_CHANGED) return undefined;
    if (this.#sources.some(isPassing)) return undefined;
    const sources = [...this.#sources];
    for (const path of changed) {
      const index = sources.findIndex((source) => source.path === path);
      const known = sources[index];
      const kind = await kindOf(path);
      if (known !== undefined && hasText(known) && kind === "file") {
        const reader = new SourceReader(options);
        await reader.addPath(path);
        const [source] = reader.sources;
        if (source === undefined) return undefined;
        sources[index] = source;
      } else if (known !== undefined || !this.#isOther(path, kind)) return undefined;
    }
    return sources;
  }

  /** Whether it is no manifest, and was none: a file that is renamed to one once it is written, for instance. */
  #isOther(path: string, kind: Awaited<ReturnType<typeof kindOf>>): boolean {
    if (kind === "file") return !isManifest(path);
    return kind === "none" && !this.#sources.some((source) => source.path.startsWith(`${path}/`));
  }
}

/** Whether reading it again soon may help. */
export function isPassing(source: Source): boolean {
  return "unreadable" in source && source.isPassing === true;
}

async function kindOf(path: string): Promise<"file" | "none" | "other"> {
  try {
    return (await lstat(path)).isFile() ? "file" : "other";
  } catch {
    return "none";
  }
}

class SourceReader {
  readonly sources: Source[] = [];
  /** Real paths of files and folders that were read: links may lead to one twice, or in circles. */
  readonly #seen = new Set<string>();
  /** What folders were when their reading began; null: one that was being changed. */
  readonly #folders = new Map<string, string | null>();
  readonly #options: Pick<ReadOptions, "followLinks"> & Texts;

  constructor(options: Pick<ReadOptions, "followLinks"> & Texts) {
    this.#options = options;
  }

  addText(path: string, text: string): void {
    this.sources.push({ path, text });
  }

  addAbsent(path: string): void {
    this.sources.push({ path, absent: true });
  }

  /** A path that was named. False when there is nothing there. */
  async addPath(path: string): Promise<boolean> {
    return this.#add(path, undefined);
  }

  /** `root`: the real path of the folder that was named; absent: the path itself was. */
  async #add(path: string, root: string | undefined): Promise<boolean> {
    try {
      const real = await realpath(path);
      if (root !== undefined && !this.#options.followLinks && !`${real}/`.startsWith(root)) {
        this.sources.push({ path, unreadable: OUTSIDE });
        return true;
      }
      if (this.#seen.has(real)) return true;
      this.#seen.add(real);
      if ((await stat(path)).isDirectory()) {
        await this.#addFolder(path, root ?? (real === "/" ? real : `${real}/`));
      } else {
        const { texts, canEdit } = this.#options;
        this.sources.push(texts.sourceOf(path, await readRegular(path, real, texts), canEdit));
      }
    } catch (error: unknown) {
      if (textOf(error, "code") === "ENOENT") return false;
      const isPassing = PASSING.has(textOf(error, "code"));
      this.sources.push({ path, unreadable: reasonOf(error), ...(isPassing && { isPassing }) });
    }
    return true;
  }

  /** The folders whose files were added, removed or renamed while they were read, as sources that can't be read. */
  async moving(): Promise<readonly Source[]> {
    const found: Source[] = [];
    for (const [path, before] of this.#folders) {
      const { version } = await folderState(path);
      if (before !== version) found.push({ path, unreadable: MOVING, isPassing: true });
    }
    return found;
  }

  async #addFolder(folder: string, root: string): Promise<void> {
    const state = await restingState(folder);
    this.#folders.set(folder, state.isFresh ? null : state.version);
    const entries = await readdir(folder, { withFileTypes: true });
    const visible = entries.filter((entry) => !entry.name.startsWith("."));
    for (const entry of visible.sort((a, b) => compareStrings(a.name, b.name))) {
      const path = join(folder, entry.name);
      const isFolder =
        entry.isDirectory() || (entry.isSymbolicLink() && (await leadsToFolder(path)));
      if (!isFolder && !isManifest(entry.name)) continue;
      const found = await this.#add(path, root);
      if (found) continue;
      if (entry.isSymbolicLink()) {
        this.sources.push({ path, unreadable: "it is a link to a file that does not exist" });
      } else this.#folders.set(folder, null);
    }
  }
}

const MOVING = "its files kept being moved while it was read";

/** Milliseconds within which a file system may give two changes one time: the kernel's clock for files ticks at least 100 times a second. */
const TICK = 12;

/** `version` changes when entries are added, removed or renamed; `isFresh`: another change may not change it. */
async function folderState(
  folder: string,
): Promise<{ readonly version: string; readonly isFresh: boolean }> {
  try {
    const { dev, ino, mtimeNs, mtimeMs } = await stat(folder, { bigint: true });
    const isFresh = Math.abs(Date.now() - Number(mtimeMs)) < TICK;
    return { version: [dev, ino, mtimeNs].join(), isFresh };
  } catch {
    return { version: "", isFresh: false };
  }
}

async function restingState(folder: string): ReturnType<typeof folderState> {
  const state = await folderState(folder);
  if (!state.isFresh) return state;
  await pause(TICK);
  return folderState(folder);
}

async function leadsToFolder(link: string): Promise<boolean> {
  try {
    return (await stat(link)).isDirectory();
  } catch {
    return false;
  }
}

const OUTSIDE =
  "it is a link that leaves the folder; name what it leads to after -f, or set the option followLinks";

const NOT_REGULAR = "it is no regular file";

/** Opened so that a pipe without a writer does not block. Files of the kernel call themselves regular, and some never end. */
async function readRegular(
  path: string,
  real: string,
  texts: FileTexts,
): ReturnType<typeof filled> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    const isRegular = found.isFile() && !/^\/(?:proc|sys)\//.test(real);
    if (!isRegular) throw new UnreadableError(NOT_REGULAR);
    if (found.size > bufferConstants.MAX_STRING_LENGTH)
      throw new UnreadableError("it is too large");
    return await filled(texts.room(found.size), handle, found.size);
  } finally {
    await handle.close();
  }
}

/** Reads at most `size` bytes. */
async function filled(
  room: Buffer,
  handle: FileHandle,
  size: number,
): Promise<{ readonly room: Buffer; readonly length: number }> {
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(room, length, size - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return { room, length };
}

const PASSING = new Set(["EMFILE", "ENFILE", "EIO", "ESTALE", "EAGAIN", "ETIMEDOUT"]);

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  ELOOP: "its links lead in a circle",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EIO: "the disk reports an error",
  ENXIO: NOT_REGULAR,
  ENOTDIR: "a part of its path is no folder",
  ENAMETOOLONG: "its path is too long",
};

function reasonOf(error: unknown): string {
  if (error instanceof UnreadableError) return error.message;
  return own(REASONS, textOf(error, "code")) ?? textOf(error, "message");
}

function textOf(error: unknown, name: "code" | "message"): string {
  const value = isObject(error) ? error[name] : undefined;
  return typeof value === "string" ? value : "";
}
