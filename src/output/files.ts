/**
 * RenderedFiles → disk. A file is written next to its place, synced and renamed, so that after a power failure, and for readers, it has
 * either the old or the new contents. Only files that differ are written.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { mkdir, open, readFile, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import {
  type RenderedFile,
  RenderedPolicy,
  piecesOf,
  contentsOf,
  mustFit,
} from "../render/rendered-file.js";
import { EnvironmentError } from "../support/errors.js";
import { errorText } from "../support/text.js";
import { own } from "../support/json-object.js";

interface WriteOptions {
  /** Id of the group that reads them as a member; its members can replace none of them. */
  readonly group?: number | undefined;
  /** Default: true. False is only for files that `nginx -t` reads. */
  readonly sync?: boolean;
}

/** Suffix of files that are being written; an interrupted run may leave one. */
const BESIDE = ".albc-new";
/** Folders with our files, and what only our files are called there: stale ones are removed, a user's never. */
const OWN_FOLDERS = ["authorities", "certificates", "credentials", "lua/alb", "streams"];
const OWN_FILE =
  /^(?:(?:authorities|certificates)\/[0-9a-f]{32}\.pem|credentials\/[0-9a-f]{32}\.json|lua\/alb\/.+\.lua|streams\/endpoints\.conf)(?:\.albc-new)?$/;
/** How our files begin that others may have under the same name. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  "nginx.conf": "# Written by albc",
  "policy.json": '{\n  "format": ',
};

/** Writes the files that differ to `folder`, and removes stale ones. Throws EnvironmentError, also rather than replace a file of others. */
export async function writeFiles(folder: string, files: readonly RenderedFile[]): Promise<void> {
  for (const { contents } of files) if (contents instanceof RenderedPolicy) mustFit(contents);
  await writeChanged(folder, await changedFiles(folder, files));
  await removeStale(folder, files);
}

/** The files whose contents or mode differ from those on the disk. Throws EnvironmentError if one would replace a file of others. */
export async function changedFiles(
  folder: string,
  files: readonly RenderedFile[],
): Promise<readonly RenderedFile[]> {
  const changed: RenderedFile[] = [];
  for (const file of files) {
    if (!(await isWritten(join(folder, file.path), file))) changed.push(file);
  }
  return changed;
}

/** Writes the files in this order, with their folders. Throws EnvironmentError at the first file that can't be written. */
export async function writeChanged(
  folder: string,
  files: readonly RenderedFile[],
  options: WriteOptions = {},
): Promise<void> {
  const folders = new Set<string>();
  for (const file of files) {
    const path = join(folder, file.path);
    try {
      await makeFolder(dirname(path), folderMode(file), options.group);
      await writeOne(path, file, options);
    } catch (error: unknown) {
      throw fileError("write", path, error);
    }
    folders.add(dirname(path));
  }
  if (options.sync === false) return;
  for (const path of folders) await syncFolder(path);
}

/** Removes our files that are not among `files`, and folders that become empty. */
export async function removeStale(folder: string, files: readonly RenderedFile[]): Promise<void> {
  const expected = new Set(files.map((file) => file.path));
  for (const path of await ownFiles(folder)) {
    if (expected.has(path)) continue;
    try {
      await rm(join(folder, path), { force: true });
      await removeEmptyFolders(folder, dirname(path));
    } catch (error: unknown) {
      throw fileError("remove", join(folder, path), error);
    }
  }
}

/** Paths, relative to `folder`, of all files that only albc can have written. */
export async function ownFiles(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of OWN_FOLDERS) {
    try {
      const entries = await readdir(join(folder, name), { recursive: true, withFileTypes: true });
      for (const entry of entries.filter((each) => !each.isDirectory())) {
        found.push(join(entry.parentPath, entry.name).slice(join(folder, "/").length));
      }
    } catch (error: unknown) {
      if (errorCode(error) !== "ENOENT") throw fileError("read", join(folder, name), error);
    }
  }
  return found.filter((path) => OWN_FILE.test(path)).sort();
}

async function isWritten(path: string, file: RenderedFile): Promise<boolean> {
  let there: { readonly mode: number; readonly contents: Buffer };
  try {
    there = { mode: (await stat(path)).mode & 0o777, contents: await readFile(path) };
  } catch (error: unknown) {
    if (errorCode(error) === "ENOENT") return false;
    throw fileError("read", path, error);
  }
  mustBeOurs(path, file, there.contents);
  return there.mode === file.mode && there.contents.equals(Buffer.from(contentsOf(file)));
}

/** An empty file has nothing to lose. */
function mustBeOurs(path: string, file: RenderedFile, contents: Buffer): void {
  const beginning = own(BEGINNINGS, file.path);
  if (beginning === undefined || contents.length === 0) return;
  if (contents.subarray(0, beginning.length).toString() === beginning) return;
  throw new EnvironmentError(`${path} is not from albc and is not replaced; choose another folder`);
}

async function writeOne(path: string, file: RenderedFile, options: WriteOptions): Promise<void> {
  const beside = path + BESIDE;
  await rm(beside, { force: true });
  try {
    await writeNew(beside, file, options);
    await rename(beside, path);
  } catch (error: unknown) {
    await rm(beside, { force: true });
    throw error;
  }
}

async function writeNew(path: string, file: RenderedFile, options: WriteOptions): Promise<void> {
  const { group, sync } = options;
  // Created, never opened: an existing file could be a link that another user made.
  const handle = await open(path, "wx", 0o600);
  try {
    for (const chunk of joined(piecesOf(file))) await handle.appendFile(chunk);
    if (group !== undefined) await handle.chown(ownId(), group);
    await handle.chmod(file.mode);
    if (sync !== false) await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Characters of text that are written at once: each call takes a while. */
const WRITTEN_AT_ONCE = 256 * 1024;

function* joined(chunks: Iterable<string>): Iterable<string> {
  let waiting = "";
  for (const chunk of chunks) {
    waiting += chunk;
    if (waiting.length < WRITTEN_AT_ONCE) continue;
    yield waiting;
    waiting = "";
  }
  yield waiting;
}

/** Folders of secrets are as private as the secrets. */
function folderMode({ mode, path }: RenderedFile): number {
  if (mode === 0o644 || !path.includes("/")) return 0o755;
  return mode === 0o640 ? 0o750 : 0o700;
}

async function makeFolder(path: string, mode: number, group: number | undefined): Promise<void> {
  const first = await makeFolders(path, mode);
  if (first === undefined || group === undefined || mode === 0o755) return;
  const handle = await open(path, "r");
  try {
    await handle.chown(ownId(), group);
  } finally {
    await handle.close();
  }
}

/** The user that albc runs as. */
export function ownId(): number {
  return process.getuid?.() ?? 0;
}

/** Without this, a rename may be lost in a power failure. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeEmptyFolders(root: string, path: string): Promise<void> {
  for (let folder = path; folder.includes("/"); folder = dirname(folder)) {
    try {
      await rmdir(join(root, folder));
    } catch (error: unknown) {
      if (errorCode(error) === "ENOTEMPTY") return;
      throw error;
    }
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOTDIR: "a part of the path is a file, not a folder",
  EISDIR: "it is a folder",
  ENAMETOOLONG: "the path is too long",
  EMFILE: "too many open files",
  ENFILE: "too many open files on this machine",
  EIO: "the disk reports an error",
};

/** An error of the operating system about a path, in one line: `can't write out/policy.json: the disk is full`. */
export function fileError(action: string, path: string, cause: unknown): EnvironmentError {
  const code = errorCode(cause);
  return new EnvironmentError(
    `can't ${action} ${path}: ${own(REASONS, code) ?? errorText(cause)}`,
    { cause },
  );
}

/** The `code` of a system error, such as ENOENT; empty for any other value. */
export function errorCode(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/** Bytes of the largest text of V8, nearly. */
const LARGEST = 2 ** 29 - 2 ** 16;

/** The text of a file; undefined if it does not exist. Throws EnvironmentError for anything but a regular file of at most so many bytes. */
export function readTextFile(path: string, most = LARGEST): string | undefined {
  try {
    // A pipe without a writer would block.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!fstatSync(file).isFile()) throw new Error("it is no regular file");
      return readAtMost(file, most).toString("utf8");
    } finally {
      closeSync(file);
    }
  } catch (error: unknown) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw fileError("read", path, error);
  }
}

/** The same, for who can't throw at once. */
export function readIfThere(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    resolve(readTextFile(path));
  });
}

/** Files of the kernel give no size, and some never end. */
function readAtMost(file: number, most: number): Buffer {
  const parts: Buffer[] = [];
  for (let size = 0; size <= most;) {
    const part = Buffer.allocUnsafe(65_536);
    const length = readSync(file, part);
    if (length === 0) return Buffer.concat(parts);
    parts.push(part.subarray(0, length));
    size += length;
  }
  throw new Error(`it has more than ${String(Math.round(most / 1024))} KiB`);
}

/**
 * Makes a folder and its parents; returns the topmost one that it made. Node's recursive mkdir never ends if the kernel reports a missing
 * parent that exists, as below /proc.
 */
export async function makeFolders(path: string, mode = 0o777): Promise<string | undefined> {
  const folder = resolve(path);
  const outcome = await makeOne(folder, mode);
  if (outcome !== "no parent") return outcome === "made" ? folder : undefined;
  const parent = dirname(folder);
  const first = parent === folder ? undefined : await makeFolders(parent, mode);
  switch (await makeOne(folder, mode)) {
    case "made":
      return first ?? folder;
    case "there":
      return first;
    case "no parent":
      throw new Error(`${parent} takes no new folders`);
  }
}

async function makeOne(folder: string, mode: number): Promise<"made" | "there" | "no parent"> {
  try {
    await mkdir(folder, mode);
    return "made";
  } catch (error: unknown) {
    if (errorCode(error) === "ENOENT") return "no parent";
    if (errorCode(error) === "EEXIST" && (await stat(folder)).isDirectory()) return "there";
    throw error;
  }
}
