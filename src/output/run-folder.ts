/** The folder that nginx runs in: its layout, the lock against a second albc, and the mark that nginx has loaded its files. */
import { type Stats, constants } from "node:fs";
import {
  access,
  chmod,
  copyFile,
  lchown,
  lstat,
  open,
  readFile,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { EnvironmentError } from "../support/errors.js";
import { errorCode, fileError, makeFolders, ownId } from "./files.js";
import { startTime } from "./folder-processes.js";
import { overlaps, readListens } from "./listens.js";
import type { WorkerUser } from "./nginx-binary.js";

/** A user of nginx's workers that is not albc's own. */
type OtherUser = Pick<WorkerUser, "uid" | "gid">;

/**
 * Folders and modes. control/ is private, because its socket controls all traffic. tmp/ has sockets that workers connect to, so workers of
 * another user enter it by their group.
 */
const LAYOUT = [
  ["control", 0o700],
  ["logs", 0o755],
  ["tmp", 0o700],
  ["environment", 0o755],
  ["lua", 0o755],
] as const;
const LOCK = "albc.pid";

/**
 * Makes the folder and its layout; returns its absolute path. `isShared`: nginx reads it as a member of our group, and writes elsewhere.
 * Throws EnvironmentError.
 */
export async function makeRunFolder(
  folder: string,
  user?: OtherUser,
  isShared = false,
): Promise<string> {
  try {
    const ownMode = isShared ? 0o750 : 0o700;
    // Workers of another user need only reach their own files.
    await makeFolders(folder, user === undefined ? ownMode : 0o711);
    await mustBePrivate(await realpath(folder), user);
    if (user !== undefined) {
      await chmod(folder, 0o711);
      await takeOver(folder, user);
    }
    for (const [name, mode] of LAYOUT) {
      const path = join(folder, name);
      await makeFolders(path);
      const isTheirs = name === "tmp" && user !== undefined;
      if (isTheirs) await lchown(path, ownId(), user.gid);
      await chmod(path, isTheirs ? 0o750 : mode);
    }
    return await realpath(folder);
  } catch (error: unknown) {
    if (error instanceof EnvironmentError) throw error;
    throw fileError("make the run folder", folder, error);
  }
}

/**
 * The master of nginx reads the files, and makes and gives away folders in tmp/, as root. So the workers' user may own no file and no
 * folder, except those below tmp/. Earlier versions of albc gave it both.
 */
async function takeOver(folder: string, user: OtherUser): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const stats = await lstat(path);
    if (stats.isDirectory()) {
      await lchown(path, ownId(), user.gid);
      if (name === "tmp") continue;
      await chmod(path, (stats.mode & 0o007) === 0 ? 0o750 : 0o755);
      await takeOver(path, user);
    } else if (stats.uid !== ownId() || stats.gid !== user.gid) {
      await replaceByCopy(path, stats, user);
    }
  }
}

/** A worker may still have the old file open for writing. */
async function replaceByCopy(path: string, stats: Stats, user: OtherUser): Promise<void> {
  const copy = `${path}.albc-copy`;
  await rm(copy, { force: true });
  if (stats.isFile()) {
    await copyFile(path, copy, constants.COPYFILE_EXCL);
    await lchown(copy, ownId(), user.gid);
    await chmod(copy, stats.mode & 0o755);
    await rename(copy, path);
  } else if (!stats.isSocket()) await rm(path, { force: true });
}

/**
 * nginx and albc, perhaps as root, write to paths in the folder, so no other user may be able to replace them. A mount point may be a
 * volume of a container: owned by root and writable for all who share it. Throws EnvironmentError.
 */
async function mustBePrivate(folder: string, user?: OtherUser): Promise<void> {
  const isVolume = (await stat(folder)).dev !== (await stat(dirname(folder))).dev;
  const problem = isVolume ? undefined : await problemOf(folder, user);
  if (problem !== undefined) throw unsafe(folder, folder, problem);
  // nginx chooses all names below tmp/ itself.
  const names = (await readdir(folder)).map((name) => join(folder, name));
  const deeper = names.filter((path) => path !== join(folder, "tmp"));
  for (const path of names) await mustBePrivateBelow(path, folder, user, deeper.includes(path));
}

async function mustBePrivateBelow(
  path: string,
  folder: string,
  user: OtherUser | undefined,
  isDeep: boolean,
): Promise<void> {
  const problem = await problemOf(path, user);
  if (problem !== undefined) throw unsafe(folder, path, problem);
  if (!isDeep || !(await lstat(path)).isDirectory()) return;
  for (const name of await readdir(path)) {
    await mustBePrivateBelow(join(path, name), folder, user, true);
  }
}

/** Files must only be no links: they may belong to the user of another nginx. */
async function problemOf(path: string, user?: OtherUser): Promise<string | undefined> {
  const stats = await lstat(path);
  if (stats.isSymbolicLink()) return "is a link";
  if (!stats.isDirectory()) return undefined;
  const known = [ownId(), user?.uid, 0];
  if (!known.includes(stats.uid)) return `belongs to the user with id ${String(stats.uid)}`;
  return (stats.mode & 0o022) === 0 ? undefined : "can be written by other users";
}

function unsafe(folder: string, path: string, problem: string): EnvironmentError {
  return new EnvironmentError(
    `the run folder ${folder} is not safe: ${path} ${problem}; choose another --dir, or remove this one`,
  );
}

/**
 * Locks the folder for this process. The lock of a killed albc is ignored. Throws EnvironmentError if another albc that runs has the
 * lock.
 */
export async function lockRunFolder(
  folder: string,
): Promise<{ readonly release: () => Promise<void> }> {
  const path = join(folder, LOCK);
  const mark = `${String(process.pid)} ${await startTime(process.pid)}\n`;
  for (let attempt = 0; attempt < 2; attempt++) {
    if (await writeNew(path, mark)) return { release: () => rm(path, { force: true }) };
    const pid = await holderOf(folder);
    if (pid !== undefined) {
      throw new EnvironmentError(
        `${folder} is in use by albc with process id ${pid}; choose another --dir`,
      );
    }
    await rm(path, { force: true });
  }
  throw new EnvironmentError(`${folder} is in use by another albc; choose another --dir`);
}

/** The process id of the running albc that has the lock. */
async function holderOf(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, LOCK), "utf8").catch(() => "");
  const [pid = "", started = ""] = text.trim().split(" ");
  const isThere = pid !== "" && started !== "" && (await startTime(Number(pid))) === started;
  return isThere ? pid : undefined;
}

/** Whether an albc was killed while it had the lock. An nginx that others run has no lock. */
async function wasAbandoned(folder: string): Promise<boolean> {
  const isLocked = await stat(join(folder, LOCK)).then(
    () => true,
    () => false,
  );
  return isLocked && (await holderOf(folder)) === undefined;
}

async function writeNew(path: string, text: string): Promise<boolean> {
  try {
    const handle = await open(path, "wx", 0o600);
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
    return true;
  } catch (error: unknown) {
    if (errorCode(error) === "EEXIST") return false;
    throw fileError("write", path, error);
  }
}

/**
 * Run folders whose nginx listens on one of the places although its albc was killed: albc wrote nginx.conf, and no running process has
 * the lock. Such an nginx keeps ports that an albc with another run folder needs.
 */
export async function orphansOn(places: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of places.length === 0 ? [] : await foldersOfMasters()) {
    const path = join(folder, "nginx.conf");
    const text = await readFile(path, "utf8").catch(() => "");
    const isOrphan = text.startsWith("# Written by albc") && (await wasAbandoned(folder));
    const listens = isOrphan ? await readListens(path) : [];
    if (listens.some((each) => places.some((place) => overlaps(each, place)))) found.push(folder);
  }
  return found;
}

/** Working folders of processes that nginx's pid file in the folder names. */
async function foldersOfMasters(): Promise<readonly string[]> {
  const names = await readdir("/proc").catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name));
  const found = pids.map(async (pid) => {
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    const master = await readFile(join(folder, "nginx.pid"), "utf8").catch(() => "");
    return master.trim() === pid ? folder : [];
  });
  return (await Promise.all(found)).flat();
}

/** Folders of the sockets in nginx.conf. */
const FOLDERS = ["control", "tmp"];

/**
 * Removes sockets that a killed nginx or a failed reload left behind: nginx could not listen there again. `live`: text of the nginx.conf
 * whose sockets are in use. Throws EnvironmentError.
 */
export async function removeSockets(folder: string, live = ""): Promise<void> {
  for (const name of FOLDERS) {
    const path = join(folder, name);
    try {
      const sockets = (await readdir(path)).filter((file) => file.endsWith(".sock"));
      const left = sockets.filter((socket) => !live.includes(`unix:${name}/${socket}`));
      for (const socket of left) await rm(join(path, socket), { force: true });
    } catch (error: unknown) {
      if (errorCode(error) === "ENOENT") continue;
      throw fileError("remove sockets of", path, error);
    }
  }
}

const MARK = "control/loaded";

/**
 * A mark on the disk that nginx has loaded the files which it reads only at a reload. A successor of a killed albc reads it; without the
 * mark it reloads once more to be sure.
 */
export class LoadedMark {
  readonly #path: string;
  #isSet: boolean | undefined;

  /** `folder`: the run folder. */
  constructor(folder: string) {
    this.#path = join(folder, MARK);
  }

  async isSet(): Promise<boolean> {
    this.#isSet ??= await access(this.#path).then(
      () => true,
      () => false,
    );
    return this.#isSet;
  }

  /** A mark that can't be written only costs a reload at the next start. */
  async set(): Promise<void> {
    this.#isSet = true;
    await writeFile(this.#path, "", { mode: 0o600 }).catch(() => undefined);
  }

  /** To be called before the files change. Throws EnvironmentError. */
  async clear(): Promise<void> {
    this.#isSet = false;
    await rm(this.#path, { force: true }).catch((error: unknown) => {
      throw fileError("remove", this.#path, error);
    });
  }
}
