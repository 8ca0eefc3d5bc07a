/**
 * The nginx processes in a run folder. They are recognized by their working folder, and by nginx's pid file (the master) or the process
 * title (workers), so another nginx of the machine is never touched. A new worker has no title yet, but it is in the session of its
 * master. Without /proc, none is found.
 */
import { readFile, readdir, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { poll } from "./reloader.js";

interface FolderProcess {
  readonly pid: number;
  readonly role: "master" | "worker";
}

/** The master comes first: otherwise it would replace workers that a signal has ended before it gets the signal itself. */
export async function nginxProcessesIn(folder: string): Promise<readonly FolderProcess[]> {
  const path = await realpath(folder).catch(() => folder);
  const pidFile = await readFile(join(path, "nginx.pid"), "utf8").catch(() => "");
  const names = await readdir("/proc").catch(() => []);
  const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number);
  // A pid file may be older than the last boot, so its pid may be the one of this process.
  const pids = numbers.filter((pid) => pid !== process.pid);
  const working = await Promise.all(pids.map((pid) => worksIn(pid, path)));
  const found = pids
    .filter((_, index) => working[index] === true)
    .map(async (pid) => ({ pid, role: await roleOf(pid, Number(pidFile)) }));
  const processes = (await Promise.all(found)).filter(hasRole);
  return processes.sort((a, b) => Number(b.role === "master") - Number(a.role === "master"));
}

export function signalAll(processes: readonly FolderProcess[], signal: NodeJS.Signals): void {
  for (const { pid } of processes) signalOne(pid, signal);
}

/** False if there is no such process. */
export function signalOne(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Milliseconds to wait after each signal. */
const END_LIMIT = 2000;

/** Together with the pid it identifies a process, because pids are reused. Empty if there is no such process. */
export async function startTime(pid: number): Promise<string> {
  // The start time is the 22nd field of proc_pid_stat(5), 20 after the name.
  return (await statOf(pid))[19] ?? "";
}

/** The fields after the name, which may contain any character (proc_pid_stat(5)). */
async function statOf(pid: number): Promise<readonly string[]> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, "utf8").catch(() => "");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The command line, or the title that nginx has set. */
async function titleOf(pid: number): Promise<string> {
  return readFile(`/proc/${String(pid)}/cmdline`, "utf8").catch(() => "");
}

/** Waits until all of them have ended; false after `limit` milliseconds. */
export async function haveEnded(folder: string, limit: number): Promise<boolean> {
  return poll(async () => (await nginxProcessesIn(folder)).length === 0, { limit });
}

/** Ends all processes in the folder, with increasing force. */
export async function endAll(folder: string): Promise<void> {
  for (const signal of ["SIGQUIT", "SIGTERM", "SIGKILL"] as const) {
    const left = await nginxProcessesIn(folder);
    if (left.length === 0) return;
    signalAll(left, signal);
    await haveEnded(folder, END_LIMIT);
  }
}

/** False for a process that has just ended, a zombie, or a process of a user that albc may not inspect. */
async function worksIn(pid: number, folder: string): Promise<boolean> {
  return (await readlink(`/proc/${String(pid)}/cwd`).catch(() => "")) === folder;
}

async function roleOf(pid: number, master: number): Promise<FolderProcess["role"] | undefined> {
  if (pid === master) return "master";
  const line = await titleOf(pid);
  // An unpacked nginx is run by its own loader, whose arguments come before the title.
  const isTitled = line.split("\0").some((word) => word.startsWith("nginx: worker process"));
  const isOurs = isTitled || (master > 0 && (await sessionOf(pid)) === master);
  return isOurs ? "worker" : undefined;
}

/** The session exists even if its leader has ended. */
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
