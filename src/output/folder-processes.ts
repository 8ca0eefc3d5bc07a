/**
 * The nginx processes that work in a run folder. They are known by their working folder, and by nginx's pid file (the
 * master) or the title that nginx gives itself (workers), so another nginx of the machine is never touched. Needs /proc;
 * elsewhere none is found.
 */
import { readFile, readdir, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { poll } from "./poll.js";

export interface FolderProcess {
  readonly pid: number;
  readonly role: "master" | "worker";
}

/** In no order. */
export async function nginxProcessesIn(folder: string): Promise<readonly FolderProcess[]> {
  const path = await realpath(folder).catch(() => folder);
  const pidFile = await readFile(join(path, "nginx.pid"), "utf8").catch(() => "");
  const names = await readdir("/proc").catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const working = await Promise.all(pids.map((pid) => worksIn(pid, path)));
  const found = pids
    .filter((_, index) => working[index] === true)
    .map(async (pid) => ({ pid, role: await roleOf(pid, Number(pidFile), [folder, path]) }));
  return (await Promise.all(found)).filter(hasRole);
}

/** A signal to each that is still there. */
export function signalAll(processes: readonly FolderProcess[], signal: NodeJS.Signals): void {
  for (const { pid } of processes) signalOne(pid, signal);
}

/** False when there is no such process (any more). */
export function signalOne(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Waits until none of them is left; false after `limit` milliseconds. */
export async function haveEnded(folder: string, limit: number): Promise<boolean> {
  return poll(async () => (await nginxProcessesIn(folder)).length === 0, { limit });
}

/** A process that has just ended, or is a zombie, has no folder; that of somebody else can't be read. */
async function worksIn(pid: number, folder: string): Promise<boolean> {
  return (await readlink(`/proc/${String(pid)}/cwd`).catch(() => "")) === folder;
}

async function roleOf(
  pid: number,
  master: number,
  folders: readonly string[],
): Promise<FolderProcess["role"] | undefined> {
  if (pid === master) return "master";
  const line = await readFile(`/proc/${String(pid)}/cmdline`, "utf8").catch(() => "");
  const words = line.split("\0");
  // An unpacked nginx is run by its own loader, whose words stand before the title.
  if (words.some((word) => word.startsWith("nginx: worker process"))) return "worker";
  // One that was forked just now has its master's words until it gives itself a title.
  return words.some((word, i) => word === "-p" && folders.includes(words[i + 1] ?? ""))
    ? "worker"
    : undefined;
}

function hasRole(process: {
  readonly pid: number;
  readonly role: FolderProcess["role"] | undefined;
}): process is FolderProcess {
  return process.role !== undefined;
}
