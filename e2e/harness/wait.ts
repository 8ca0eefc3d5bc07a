import { setTimeout as delay } from "node:timers/promises";

/** Long enough for a loaded machine; a condition that holds sooner is seen sooner. */
const DEADLINE = 15_000;

/**
 * Polls `probe` until it gives something other than `undefined` or `false`, and returns that. An error it throws counts as
 * "not yet" and is told when the time is over. `what` completes the sentence "gave up waiting until …".
 */
export async function waitFor<T>(
  what: string,
  probe: () => Promise<T | false | undefined> | T | false | undefined,
  { deadline = DEADLINE, every = 10 } = {},
): Promise<T> {
  const end = performance.now() + deadline;
  let last: unknown;
  for (;;) {
    try {
      const found = await probe();
      if (found !== undefined && found !== false) return found;
      last = undefined;
    } catch (error: unknown) {
      last = error;
    }
    if (performance.now() >= end) {
      throw new Error(`gave up waiting until ${what} (${deadline} ms)`, { cause: last });
    }
    await delay(every);
  }
}

/** `promise`, but an error when it has not settled within `deadline` milliseconds. */
export async function within<T>(
  what: string,
  promise: Promise<T>,
  deadline: number = DEADLINE,
): Promise<T> {
  const stop = new AbortController();
  const late = delay(deadline, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`${what} took longer than ${deadline} ms`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    stop.abort();
    late.catch(() => undefined);
  }
}
