/** Finds the elements of a list that make it fail, by trying parts of it: log2 of its length where one is to blame. */

/** Yields a part of the list, and is told whether it fails; returns the elements to blame. */
export type Search<T> = Generator<readonly T[], readonly T[], boolean>;

/**
 * The last of the shortest start of the list that fails, and the others of its kind that fail in its place: what is wrong with one is often
 * wrong with many. `mostParts`: after so many tries, a part whose elements belong together is to blame as a whole.
 */
export function* failingAmong<T>(
  all: readonly T[],
  {
    kindOf,
    ownerOf,
    mostParts,
  }: {
    readonly kindOf: (element: T) => string;
    readonly ownerOf: (element: T) => string;
    readonly mostParts: number;
  },
): Search<T> {
  let [fine, failing] = [0, all.length];
  while (failing - fine > 1) {
    const middle = Math.floor((fine + failing) / 2);
    if (yield all.slice(0, middle)) failing = middle;
    else fine = middle;
  }
  const first = all[failing - 1];
  if (first === undefined) return [];
  const isAlike = (element: T): boolean => kindOf(element) === kindOf(first);
  const around = all.slice(0, all.findIndex(isAlike));
  const alike = all.slice(failing).filter(isAlike);
  let parts = 0;
  const failingOf = function* (part: readonly T[]): Search<T> {
    parts += 1;
    if (part.length === 0 || !(yield [...around, ...part])) return [];
    const isWhole = parts > mostParts && new Set(part.map(ownerOf)).size === 1;
    if (part.length === 1 || isWhole) return part;
    const middle = Math.floor(part.length / 2);
    const before = yield* failingOf(part.slice(0, middle));
    return [...before, ...(yield* failingOf(part.slice(middle)))];
  };
  return [first, ...(yield* failingOf(alike))];
}

/** Runs a search whose tries are made at once. */
export function searched<T>(
  search: Search<T>,
  fails: (part: readonly T[]) => boolean,
): readonly T[] {
  let step = search.next();
  while (step.done !== true) step = search.next(fails(step.value));
  return step.value;
}

/** Runs a search whose tries take a while. */
export async function searchedInTurns<T>(
  search: Search<T>,
  fails: (part: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let step = search.next();
  while (step.done !== true) step = search.next(await fails(step.value));
  return step.value;
}
