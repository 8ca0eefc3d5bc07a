import { setTimeout as pause } from "node:timers/promises";

export interface PollOptions {
  /** Milliseconds after which to give up. */
  readonly limit: number;
  /** Gives up at once. */
  readonly signal?: AbortSignal;
}

/** Milliseconds between two looks: short at first, because most of what is waited for comes soon. */
const FIRST = 2;
const LONGEST = 50;

/** Asks again and again until `holds` does (true) or the limit is reached (false). */
export async function poll(
  holds: () => boolean | Promise<boolean>,
  { limit, signal }: PollOptions,
): Promise<boolean> {
  const deadline = performance.now() + limit;
  for (let wait = FIRST; ; wait = Math.min(wait * 1.5, LONGEST)) {
    if (await holds()) return true;
    if (signal?.aborted === true || performance.now() >= deadline) return false;
    await pause(wait);
  }
}
