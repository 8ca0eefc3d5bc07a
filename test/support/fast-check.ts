/**
 * fast-check for all property tests. In CI the inputs are the same in every run, so that a commit is judged by what it
 * changes. Anywhere else they are new each time, and a failure prints its seed: `ALBC_PROPERTY_SEED` repeats it.
 * `ALBC_PROPERTY_SECONDS=1200` makes each law that asks for `runs` search that long, with new inputs in CI too.
 */
import fc from "fast-check";

const SEED_IN_CI = 20260401;
/** How long each law searches; 0 for its usual number of runs. */
export const SECONDS = Number(process.env["ALBC_PROPERTY_SECONDS"] ?? "0");

const isNew = process.env["CI"] === undefined || SECONDS > 0;
const seed = process.env["ALBC_PROPERTY_SEED"] ?? (isNew ? undefined : SEED_IN_CI);
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });

/** Parameters of `fc.assert`: as many runs, or as many as the given time allows. */
export function runs(usual: number): fc.Parameters<unknown> {
  if (SECONDS === 0) return { numRuns: usual };
  return {
    numRuns: Number.MAX_SAFE_INTEGER,
    plugins: [fc.interruptAfterTimeLimit(SECONDS * 1000)],
  };
}

/** Milliseconds that a test may take whose law takes as many when `runs` is the usual number. */
export function timeoutOf(usual: number): number {
  return Math.max(usual, SECONDS * 1000 + 60_000);
}

export { fc };
