/**
 * Which files somebody is writing at this moment. What stands in them may be half of what is meant, and the half of a rule with auth may
 * well be a rule without. Only Linux tells (/proc), and only of processes that this user may look into.
 */
import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** O_WRONLY | O_RDWR, as `flags` of /proc/PID/fdinfo has them (octal). */
const WRITES = 0o3;
const OWN = String(process.pid);

/** How long a file is waited for, in milliseconds: who keeps it open for longer means it to be read. */
const PATIENCE = 2000;
/** An empty file that is younger than this, in milliseconds, was emptied to be written anew. */
const FRESH = 500;
const INTERVAL = 20;

/** Resolves when none of the files is being written any more, or patience is at its end. */
export async function untilWritten(paths: readonly string[]): Promise<void> {
  const deadline = performance.now() + PATIENCE;
  const real = new Set(paths.flatMap(realPath));
  while (real.size > 0 && performance.now() < deadline) {
    const open = openForWriting(real);
    const unfinished = [...real].filter((path) => open.has(path) || isFreshAndEmpty(path));
    if (unfinished.length === 0) return;
    await pause(INTERVAL);
  }
}

function openForWriting(paths: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const pid of entries("/proc")) {
    if (!/^\d+$/.test(pid) || pid === OWN) continue;
    for (const fd of entries(`/proc/${pid}/fd`)) {
      const path = attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`));
      if (path !== undefined && paths.has(path) && isForWriting(pid, fd)) found.add(path);
    }
  }
  return found;
}

function isForWriting(pid: string, fd: string): boolean {
  const info = attempt(() => readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8")) ?? "";
  const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & WRITES) !== 0;
}

function isFreshAndEmpty(path: string): boolean {
  const stats = attempt(() => statSync(path));
  return stats?.isFile() === true && stats.size === 0 && Date.now() - stats.mtimeMs < FRESH;
}

/** None where there is no such folder, or it may not be read. */
function entries(folder: string): readonly string[] {
  return attempt(() => readdirSync(folder)) ?? [];
}

function realPath(path: string): readonly string[] {
  const real = attempt(() => realpathSync(path));
  return real === undefined ? [] : [real];
}

/** Processes and files come and go while we look. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
