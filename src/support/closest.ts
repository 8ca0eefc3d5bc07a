/** More edits than this and the word is another word, not a slip. */
const MAX_EDITS = 2;

/** The candidate that `word` was probably meant to be: at most two edits away, the nearest and first of them; else none. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestEdits = MAX_EDITS + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestEdits) continue;
    const edits = editDistance(word.toLowerCase(), candidate.toLowerCase());
    // Two edits make any short word from any other.
    if (edits < bestEdits && edits < candidate.length / 2) {
      best = candidate;
      bestEdits = edits;
    }
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours that make `b` from `a` (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let edits = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        edits = Math.min(edits, at(beforeLast, j - 2) + 1);
      }
      row.push(edits);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
