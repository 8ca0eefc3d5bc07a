/**
 * RenderedFiles → disk. A file is written beside its place, synced and renamed, so that a reader, or a machine that
 * loses power, has the old contents or the new, never a part. Only what differs is written.
 */
import type { Stats } from "node:fs";
import { open, readFile, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { RenderedFile } from "../render/rendered-file.js";
import { RenderedPolicy, chunksOf, contentsOf } from "../render/rendered-file.js";
import { errorCode, fileError, makeFolders } from "./file-error.js";
import { mustFit } from "./policy-size.js";

/** Whose files they are to be; absent: of the user that albc runs as. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export interface WriteOptions {
  readonly owner?: Owner | undefined;
  /** Wait until it is on the disk itself (default); only a trial may go without. */
  readonly sync?: boolean;
}

/** Folders in which every file is ours, so that what is no longer rendered can be removed. */
const OWN_FOLDERS = ["authorities", "certificates", "credentials", "lua", "streams"];
/** What an interrupted run may leave behind. */
const BESIDE = ".albc-new";

/** Makes `folder` hold these files: writes what differs, removes what is stale. Throws EnvironmentError. */
export async function writeFiles(folder: string, files: readonly RenderedFile[]): Promise<void> {
  for (const { contents } of files) if (contents instanceof RenderedPolicy) mustFit(contents);
  await writeChanged(folder, await changedFiles(folder, files));
  await removeStale(folder, files);
}

/** The files whose contents or mode on disk are not what they should be. */
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

/** Writes the files, in this order, and makes their folders. Throws EnvironmentError at the first that can't be. */
export async function writeChanged(
  folder: string,
  files: readonly RenderedFile[],
  options: WriteOptions = {},
): Promise<void> {
  const folders = new Set<string>();
  for (const file of files) {
    const path = join(folder, file.path);
    try {
      await makeFolder(dirname(path), folderMode(file), options.owner);
      await writeOne(path, file, options);
    } catch (error: unknown) {
      throw fileError("write", path, error);
    }
    folders.add(dirname(path));
  }
  if (options.sync === false) return;
  for (const path of folders) await syncFolder(path);
}

/** Removes files in our own folders that are not among `files`, and the folders that are then empty. */
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

/** Paths, relative to `folder`, of all files in the folders that are ours alone. */
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
  return found.sort();
}

async function isWritten(path: string, file: RenderedFile): Promise<boolean> {
  try {
    const stats: Stats = await stat(path);
    if ((stats.mode & 0o777) !== file.mode) return false;
    return (await readFile(path)).equals(Buffer.from(contentsOf(file)));
  } catch (error: unknown) {
    if (errorCode(error) === "ENOENT") return false;
    throw fileError("read", path, error);
  }
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
  const { owner, sync } = options;
  // Made new, never opened: what stands there could be a link of somebody else's.
  const handle = await open(path, "wx", 0o600);
  try {
    for (const chunk of chunksOf(file)) await handle.appendFile(chunk);
    if (owner !== undefined) await handle.chown(owner.uid, owner.gid);
    await handle.chmod(file.mode);
    if (sync !== false) await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Files with secrets have folders of their own. */
function folderMode({ mode, path }: RenderedFile): number {
  if (mode === 0o644 || !path.includes("/")) return 0o755;
  return mode === 0o640 ? 0o750 : 0o700;
}

async function makeFolder(path: string, mode: number, owner: Owner | undefined): Promise<void> {
  const first = await makeFolders(path, mode);
  if (first === undefined || owner === undefined || mode === 0o755) return;
  const handle = await open(path, "r");
  await handle.chown(owner.uid, owner.gid).finally(() => handle.close());
}

/** Without this a rename may not outlive a power failure. */
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
