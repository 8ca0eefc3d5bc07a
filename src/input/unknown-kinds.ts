import { compareBy, compareStrings } from "../support/compare.js";
import type { Decoded } from "./decode.js";
import type { UnknownKind } from "./source.js";

/** How many values there are of each kind that is not read; sorted by apiVersion and kind. */
export function countUnknownKinds(values: readonly Decoded[]): readonly UnknownKind[] {
  const counts = new Map<string, UnknownKind>();
  for (const value of values) {
    if (value.result !== "unknown") continue;
    const { apiVersion, kind } = value;
    const key = `${apiVersion} ${kind}`;
    counts.set(key, { apiVersion, kind, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()].sort(
    compareBy<UnknownKind>(
      (a, b) => compareStrings(a.apiVersion, b.apiVersion),
      (a, b) => compareStrings(a.kind, b.kind),
    ),
  );
}

/** How many values are of kinds that are read, whether they can be used or not. */
export function countObjects(values: readonly Decoded[]): number {
  return values.filter(({ result }) => result !== "unknown").length;
}
