/** The nginx of an albc that was killed: it serves on and keeps its ports, and an albc with another run folder can't have them. */
import { readFile, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { readListens } from "./listens.js";
import { overlaps } from "./places.js";
import { wasAbandoned } from "./run-folder.js";

/**
 * Run folders whose nginx listens on one of the places although the albc that started it is gone: nginx.conf is albc's, and its lock
 * names no process that runs.
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

/** Folders in which a process works that nginx's pid file there names. */
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
