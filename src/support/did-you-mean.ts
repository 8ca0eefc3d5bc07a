/** The candidate that a misspelt name most likely stands for, if one is near: `farthest` edits away at most. */
export function didYouMean(
  name: string,
  candidates: Iterable<string>,
  farthest = Infinity,
): string | undefined {
  const lower = name.toLowerCase();
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const quarter = Math.floor(Math.max(name.length, candidate.length) / 4);
    const limit = Math.min(farthest, Math.max(1, quarter));
    if (Math.abs(name.length - candidate.length) > limit) continue;
    const distance = editDistance(lower, candidate.toLowerCase(), limit);
    if (distance <= limit && (best === undefined || distance < best.distance)) {
      best = { candidate, distance };
    }
  }
  return best?.candidate;
}

/** At most two letters away, one of names of three letters; case does not count. */
export function isNear(name: string, known: string): boolean {
  const limit = known.length < 4 ? 1 : 2;
  if (Math.abs(name.length - known.length) > limit) return false;
  return editDistance(name.toLowerCase(), known.toLowerCase(), limit) <= limit;
}

/**
 * Insertions, deletions, replacements and swaps of neighbours between two texts (optimal string alignment); Infinity above `limit`.
 * Only cells within `limit` of the diagonal are computed, so long names cost no more than their length.
 */
function editDistance(a: string, b: string, limit: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1).fill(Infinity);
    row[0] = i;
    let least = i;
    for (let j = Math.max(1, i - limit); j <= Math.min(b.length, i + limit); j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? at(beforeLast, j - 2) + 1
          : Infinity;
      const distance = Math.min(replaced, swapped, at(last, j) + 1, at(row, j - 1) + 1);
      row[j] = distance;
      least = Math.min(least, distance);
    }
    if (least > limit) return Infinity;
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
