import { compareStrings } from "./collections.js";

// For inner loops: in a VM context, such as in tests, each access to a global is slow.
const { abs, floor, max, min } = Math;
const FAR = Infinity;

/**
 * The candidate that a misspelt name most likely means: at most `farthest` edits away, and a quarter of its length. Without `farthest`,
 * also the only one that begins or ends with the name, or the other way round: Prefix means PathPrefix.
 */
export function didYouMean(
  name: string,
  candidates: Iterable<string>,
  farthest = FAR,
): string | undefined {
  const lower = name.toLowerCase();
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const quarter = floor(max(name.length, candidate.length) / 4);
    const limit = min(farthest, max(1, quarter));
    if (abs(name.length - candidate.length) > limit) continue;
    const distance = editDistance(lower, candidate.toLowerCase(), limit);
    if (distance <= limit && (best === undefined || distance < best.distance)) {
      best = { candidate, distance };
    }
  }
  return best?.candidate ?? (farthest === FAR ? partlyNamed(lower, candidates) : undefined);
}

/** Shorter parts say little. */
const SHORTEST_PART = 4;

function partlyNamed(lower: string, candidates: Iterable<string>): string | undefined {
  const found = [...candidates].filter((candidate) => {
    const other = candidate.toLowerCase();
    const [part, whole] = other.length < lower.length ? [other, lower] : [lower, other];
    return part.length >= SHORTEST_PART && (whole.startsWith(part) || whole.endsWith(part));
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Whether names differ in at most two letters, or one if `known` has three. Case is ignored. */
export function isNear(name: string, known: string): boolean {
  const limit = known.length < 4 ? 1 : 2;
  if (abs(name.length - known.length) > limit) return false;
  return editDistance(name.toLowerCase(), known.toLowerCase(), limit) <= limit;
}

/** The candidates that are fewest edits away, the nearest first. */
export function mostSimilar(
  name: string,
  candidates: Iterable<string>,
  most: number,
): readonly string[] {
  const found = [...candidates].map((candidate) => {
    return { candidate, distance: editDistance(name, candidate, FAR) };
  });
  const nearest = found.sort(
    (a, b) => a.distance - b.distance || compareStrings(a.candidate, b.candidate),
  );
  return nearest.slice(0, most).map(({ candidate }) => candidate);
}

function editDistance(a: string, b: string, limit: number): number {
  return distances(a, b, limit)[a.length] ?? FAR;
}

/**
 * The number of insertions, deletions, replacements and swaps of neighbours from each prefix of `a`, by its length, to `b`
 * (Damerau-Levenshtein, exact up to 2). Only cells within `limit` of the diagonal are computed, so the cost is linear.
 */
function distances(a: string, b: string, limit: number): readonly number[] {
  const rows: number[][] = [];
  for (let i = 0; i <= a.length; i++) {
    const row: number[] = [];
    rows.push(row);
    let least = FAR;
    for (let j = max(0, i - limit); j <= min(b.length, i + limit); j++) {
      const distance = i === 0 || j === 0 ? i + j : cell(a, b, rows, j);
      row[j] = distance;
      least = min(least, distance);
    }
    if (least > limit) break;
  }
  return rows.map((row) => row[b.length] ?? FAR);
}

type Rows = readonly (readonly number[])[];

function cell(a: string, b: string, rows: Rows, j: number): number {
  const i = rows.length - 1;
  const changed = min(at(rows, i - 1, j), at(rows, i, j - 1)) + 1;
  const before = at(rows, i - 1, j - 1);
  if (a[i - 1] === b[j - 1]) return min(before, changed);
  return min(before + 1, changed, afterSwap(a, b, rows, j));
}

/** After a swap of two letters that ends here; another letter may have been inserted between them, or deleted. */
function afterSwap(a: string, b: string, rows: Rows, j: number): number {
  const i = rows.length - 1;
  if (i < 2 || j < 2) return FAR;
  const [last, other] = [a[i - 1], b[j - 1]];
  const isNext = a[i - 2] === other;
  const swapped = isNext && b[j - 2] === last ? at(rows, i - 2, j - 2) + 1 : FAR;
  const came = a[i - 3] === other && b[j - 2] === last ? at(rows, i - 3, j - 2) + 2 : FAR;
  const gone = isNext && b[j - 3] === last ? at(rows, i - 2, j - 3) + 2 : FAR;
  return min(swapped, came, gone);
}

function at(rows: Rows, i: number, j: number): number {
  return rows[i]?.[j] ?? FAR;
}
