/** Which processor does what: what is measured has one for itself, all that drives it shares the other. */
import { availableParallelism } from "node:os";
import { readFile } from "node:fs/promises";

export const PROXY_CPU = 0;
export const LOAD_CPU = availableParallelism() > 1 ? 1 : 0;

/** Nanoseconds that the proxy's processor has spent on anything at all. */
export async function busyTime(): Promise<number> {
  const text = await readFile("/proc/stat", "utf8");
  const line = new RegExp(`^cpu${PROXY_CPU} (.*)$`, "m").exec(text)?.[1] ?? "";
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line.split(" ").map(Number);
  // In ticks of 1/100 s (USER_HZ), whatever the kernel's own tick is.
  return (user + nice + system + irq + softirq) * 1e7;
}
