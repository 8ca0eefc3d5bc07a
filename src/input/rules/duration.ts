const MILLISECONDS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A duration of GEP-2257, such as `1m30s`, in milliseconds. Its form has been checked. */
export function durationMilliseconds(text: string): number {
  let sum = 0;
  for (const [, digits = "", unit = ""] of text.matchAll(/(\d+)(h|ms|m|s)/g)) {
    sum += Number(digits) * (MILLISECONDS[unit] ?? 0);
  }
  return sum;
}
