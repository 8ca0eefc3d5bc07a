/**
 * fast-check for all property tests. In CI the inputs are the same in every run, so that a commit is judged by what it
 * changes; anywhere else they are new each time, and a failure prints the seed that brings it back.
 */
import fc from "fast-check";

const SEED_IN_CI = 20260401;

if (process.env["CI"] !== undefined)
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED_IN_CI });

export { fc };
