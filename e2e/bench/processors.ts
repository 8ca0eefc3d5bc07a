/** Which processor does what: what is measured has one for itself, all that drives it shares the other. */
import { availableParallelism } from "node:os";
import { readFile } from "node:fs/promises";

export const PROXY_CPU = 0;
export const LOAD_CPU = availableParallelism() > 1 ? 1 : 0;

/** For taskset: one worker has the proxy's processor, several have all. */
export function processorsFor(workers: number): string {
  return workers === 1 ? String(PROXY_CPU) : `0-${availableParallelism() - 1}`;
}

/** Nanoseconds of the proxy's processor. */
export interface ProcessorTime {
  /** Spent on anything at all. */
  readonly busy: number;
  /** That the machine below a virtual one had it for others. */
  readonly stolen: number;
}

/** By /proc/stat, see proc_stat(5). */
export async function processorTime(): Promise<ProcessorTime> {
  const text = await readFile("/proc/stat", "utf8");
  const line = new RegExp(`^cpu${PROXY_CPU} (.*)$`, "m").exec(text)?.[1] ?? "";
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line
    .split(" ")
    .map(Number);
  // In ticks of 1/100 s (USER_HZ), whatever the kernel's own tick is.
  return { busy: (user + nice + system + irq + softirq) * 1e7, stolen: steal * 1e7 };
}
