import type { Result } from "../../../support/result.js";
import { ok, problem } from "../../../support/result.js";

const DURATION = /^(?:\d{1,5}(?:h|m|s|ms)){1,4}$/;
const PART = /(\d+)(h|ms|m|s)/g;
const MILLISECONDS: ReadonlyMap<string, number> = new Map([
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
]);

/** Milliseconds of a duration such as `1h30m` or `500ms` (GEP-2257). */
export function parseDuration(text: string): Result<number> {
  if (!DURATION.test(text)) {
    return problem(`${JSON.stringify(text)} is not a duration such as 1h30m, 10s or 500ms`);
  }
  const parts = [...text.matchAll(PART)];
  return ok(
    parts.reduce(
      (sum, [, count = "0", unit = ""]) => sum + Number(count) * (MILLISECONDS.get(unit) ?? 0),
      0,
    ),
  );
}
