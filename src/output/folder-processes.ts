/**
 * The nginx processes that work in a run folder. They are known by their working folder, and by nginx's pid file (the
 * master) or the title that nginx gives itself (workers), so another nginx of the machine is never touched. A worker that
 * was forked just now has no title yet; it is in the session of its master. Needs /proc; elsewhere none is found.
 */
import { readFile, readdir, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { poll } from "./reloader.js";

export interface FolderProcess {
  readonly pid: number;
  readonly role: "master" | "worker";
}

/** The master first: signals that reached it last would find it replacing the workers that had died of theirs. */
export async function nginxProcessesIn(folder: string): Promise<readonly FolderProcess[]> {
  const path = await realpath(folder).catch(() => folder);
  const pidFile = await readFile(join(path, "nginx.pid"), "utf8").catch(() => "");
  const names = await readdir("/proc").catch(() => []);
  const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number);
  // A pid file may be older than the machine's last start: never this process itself.
  const pids = numbers.filter((pid) => pid !== process.pid);
  const working = await Promise.all(pids.map((pid) => worksIn(pid, path)));
  const found = pids
    .filter((_, index) => working[index] === true)
    .map(async (pid) => ({ pid, role: await roleOf(pid, Number(pidFile)) }));
  const processes = (await Promise.all(found)).filter(hasRole);
  return processes.sort((a, b) => Number(b.role === "master") - Number(a.role === "master"));
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

/** Milliseconds for each way to end it. */
const END_LIMIT = 2000;

/** With the pid it names a process for good: pids are used again. Empty when there is no such process. */
export async function startTime(pid: number): Promise<string> {
  // The start time is the 22nd field of proc_pid_stat(5), 20 after the name.
  return (await statOf(pid))[19] ?? "";
}

/** What follows the name, which may hold anything (proc_pid_stat(5)). */
async function statOf(pid: number): Promise<readonly string[]> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, "utf8").catch(() => "");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** What it calls itself: its command line, or what nginx has put there. */
async function titleOf(pid: number): Promise<string> {
  return readFile(`/proc/${String(pid)}/cmdline`, "utf8").catch(() => "");
}

/** Waits until none of them is left; false after `limit` milliseconds. */
export async function haveEnded(folder: string, limit: number): Promise<boolean> {
  return poll(async () => (await nginxProcessesIn(folder)).length === 0, { limit });
}

/** Ends all that works in the folder, as gently as it allows. */
export async function endAll(folder: string): Promise<void> {
  for (const signal of ["SIGQUIT", "SIGTERM", "SIGKILL"] as const) {
    const left = await nginxProcessesIn(folder);
    if (left.length === 0) return;
    signalAll(left, signal);
    await haveEnded(folder, END_LIMIT);
  }
}

/** A process that has just ended, or is a zombie, has no folder; that of somebody else can't be read. */
async function worksIn(pid: number, folder: string): Promise<boolean> {
  return (await readlink(`/proc/${String(pid)}/cwd`).catch(() => "")) === folder;
}

async function roleOf(pid: number, master: number): Promise<FolderProcess["role"] | undefined> {
  if (pid === master) return "master";
  const line = await titleOf(pid);
  // An unpacked nginx is run by its own loader, whose words stand before the title.
  const isTitled = line.split("\0").some((word) => word.startsWith("nginx: worker process"));
  const isOurs = isTitled || (master > 0 && (await sessionOf(pid)) === master);
  return isOurs ? "worker" : undefined;
}

/** Also of a leader that has ended. */
async function sessionOf(pid: number): Promise<number | undefined> {
  const [, , , session] = await statOf(pid);
  return session === undefined ? undefined : Number(session);
}

function hasRole(process: {
  readonly pid: number;
  readonly role: FolderProcess["role"] | undefined;
}): process is FolderProcess {
  return process.role !== undefined;
}
