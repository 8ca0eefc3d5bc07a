import { setTimeout as pause } from "node:timers/promises";

/** Waits until `holds` does, asking every few milliseconds; throws after `limit` milliseconds. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  limit = 10_000,
): Promise<void> {
  const deadline = performance.now() + limit;
  while (!(await holds())) {
    if (performance.now() > deadline)
      throw new Error(`still not so after ${limit} ms: ${holds.toString()}`);
    await pause(5);
  }
}
