const PART = /(\d+)(h|ms|m|s)/g;
const MILLISECONDS: ReadonlyMap<string, number> = new Map([
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
]);

/** A duration such as `1h30m` or `500ms` (GEP-2257) in milliseconds. Its form has been checked. */
export function durationMilliseconds(text: string): number {
  return [...text.matchAll(PART)].reduce(
    (sum, [, count = "0", unit = ""]) => sum + Number(count) * (MILLISECONDS.get(unit) ?? 0),
    0,
  );
}
