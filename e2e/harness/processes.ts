/** What /proc says about processes; they are found by the folder that they work in, never by name. */
import { readFile, readdir, readlink } from "node:fs/promises";

/** Pids of the processes whose working folder is `folder`. */
export async function processesIn(folder: string): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      // A process that has ended meanwhile, or is a zombie, has no folder.
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => "");
      return cwd === folder ? [pid] : [];
    }),
  );
  return found.flat();
}

/** Largest resident memory that a process ever had, in bytes. */
export async function peakMemory(pid: number): Promise<number> {
  return memoryField(pid, "VmHWM");
}

/** Resident memory that a process has now, in bytes. */
export async function residentMemory(pid: number): Promise<number> {
  return memoryField(pid, "VmRSS");
}

async function memoryField(pid: number, name: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
