/** The folder that nginx runs in: its layout, and the mark that keeps a second albc out. */
import { chmod, chown, open, readFile, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { EnvironmentError } from "../support/environment-error.js";
import { errorCode, fileError } from "./file-error.js";
import type { Owner } from "./file-writer.js";
import { startTime } from "./folder-processes.js";
import { makeFolders } from "./make-folder.js";

/** Folder and mode. control/ lets in nobody else: whoever reaches the socket in it decides about all traffic. */
const LAYOUT = [
  ["control", 0o700],
  ["logs", 0o755],
  ["tmp", 0o755],
  ["environment", 0o755],
  ["lua", 0o755],
] as const;
const LOCK = "albc.pid";

/** Makes the folder and what nginx needs in it; gives its absolute path. Throws EnvironmentError. */
export async function makeRunFolder(folder: string, owner?: Owner): Promise<string> {
  try {
    // Workers of another user must get through to their files, and no further.
    await makeFolders(folder, owner === undefined ? 0o700 : 0o711);
    for (const [name, mode] of LAYOUT) {
      await makeFolders(join(folder, name));
      await chmod(join(folder, name), mode);
    }
    if (owner !== undefined) {
      await chmod(folder, 0o711);
      await chown(join(folder, "tmp"), owner.uid, owner.gid);
    }
    return await realpath(folder);
  } catch (error: unknown) {
    throw fileError("make the run folder", folder, error);
  }
}

/** A folder is one albc's at a time. */
export interface FolderLock {
  release(): Promise<void>;
}

/**
 * Takes the folder for this process. A mark left by an albc that was killed counts for nothing. Throws EnvironmentError
 * when another one is at work there.
 */
export async function lockRunFolder(folder: string): Promise<FolderLock> {
  const path = join(folder, LOCK);
  const mark = `${String(process.pid)} ${await startTime(process.pid)}\n`;
  for (let attempt = 0; attempt < 2; attempt++) {
    if (await writeNew(path, mark)) return { release: () => rm(path, { force: true }) };
    const [pid = "", started = ""] = (await readFile(path, "utf8").catch(() => ""))
      .trim()
      .split(" ");
    if (pid !== "" && started !== "" && (await startTime(Number(pid))) === started) {
      throw new EnvironmentError(
        `${folder} is in use by albc with process id ${pid}; choose another --dir`,
      );
    }
    await rm(path, { force: true });
  }
  throw new EnvironmentError(`${folder} is in use by another albc; choose another --dir`);
}

async function writeNew(path: string, text: string): Promise<boolean> {
  try {
    const handle = await open(path, "wx", 0o600);
    await handle.writeFile(text).finally(() => handle.close());
    return true;
  } catch (error: unknown) {
    if (errorCode(error) === "EEXIST") return false;
    throw fileError("write", path, error);
  }
}
