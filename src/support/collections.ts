/** Order of two strings by their UTF-16 units; the same on every machine, unlike a locale's order. */
export function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The same of ids. */
export function compareIds(a: { readonly id: string }, b: { readonly id: string }): number {
  return compareStrings(a.id, b.id);
}

/** Compares by the first comparison that is not 0. */
export function compareBy<T>(
  ...comparisons: readonly ((a: T, b: T) => number)[]
): (a: T, b: T) => number {
  return (a, b) => {
    for (const comparison of comparisons) {
      const order = comparison(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };
}

interface Store<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** The value of a key; a missing one is made and stored (Map.getOrInsertComputed in later Node versions). */
export function getOrInsert<K, V>(store: Store<K, V>, key: K, make: () => NoInfer<V>): V {
  const known = store.get(key);
  if (known !== undefined) return known;
  const made = make();
  store.set(key, made);
  return made;
}

/** Adds an entry to the list of a key. */
export function addTo<K, T>(groups: Store<K, T[]>, key: K, entry: T): void {
  getOrInsert(groups, key, () => []).push(entry);
}

/** Groups in the order of the entries (Map.groupBy needs Node 21). */
export function groupBy<T, K>(entries: Iterable<T>, key: (entry: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const entry of entries) addTo(groups, key(entry), entry);
  return groups;
}

/** A copy without room for more: a list that was pushed to, or that `flatMap` made, has room for 17 entries. */
export function trimmed<T>(list: readonly T[]): readonly T[] {
  return list.slice();
}

/** The same function, but the result for each object is computed once. The objects must not change. */
export function memoized<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key) => getOrInsert(known, key, () => ({ value: compute(key) })).value;
}

const MOST_TEXTS = 10_000;

/** The same for texts. It drops all results once there are many, so texts of users can't fill the memory. */
export function memoizedText<V>(compute: (text: string) => V): (text: string) => V {
  const known = new Map<string, { readonly value: V }>();
  return (text) => {
    if (known.size >= MOST_TEXTS) known.clear();
    return getOrInsert(known, text, () => ({ value: compute(text) })).value;
  };
}

/** The connected parts of the groups' members: members of one group are connected. In the order of their first members. */
export function connected<T>(groups: Iterable<readonly T[]>): readonly (readonly T[])[] {
  const partOf = new Map<T, Set<T>>();
  for (const [first, ...others] of groups) {
    if (first === undefined) continue;
    let whole = getOrInsert(partOf, first, () => new Set([first]));
    for (const member of others) {
      const part = getOrInsert(partOf, member, () => new Set([member]));
      if (part === whole) continue;
      // Moving the smaller part bounds how often a member moves.
      const [into, from] = whole.size < part.size ? [part, whole] : [whole, part];
      for (const each of from) {
        into.add(each);
        partOf.set(each, into);
      }
      whole = into;
    }
  }
  return [...groupBy(partOf.keys(), (member) => partOf.get(member)).values()];
}

/** `===` looks into each object, in case it is NaN: three times as slow in long lists of objects that were not used for a while. */
const isIdentical = (a: unknown, b: unknown): boolean => Object.is(a, b);

/** How many elements at the start and at the end of two lists are identical; none is counted twice. */
export function commonEnds(
  a: readonly unknown[],
  b: readonly unknown[],
): { readonly start: number; readonly end: number } {
  const shorter = Math.min(a.length, b.length);
  if (a === b) return { start: shorter, end: 0 };
  let start = 0;
  while (start < shorter && isIdentical(a[start], b[start])) start += 1;
  const [lastOfA, lastOfB] = [a.length - 1, b.length - 1];
  let end = 0;
  while (end < shorter - start && isIdentical(a[lastOfA - end], b[lastOfB - end])) end += 1;
  return { start, end };
}

/** The lists without the elements at both ends that are the same. */
export function withoutCommonEnds<T>(
  before: readonly T[],
  now: readonly T[],
): { readonly before: readonly T[]; readonly now: readonly T[] } {
  const { start, end } = commonEnds(before, now);
  return {
    before: before.slice(start, before.length - end),
    now: now.slice(start, now.length - end),
  };
}

/** The differences of two lists that are sorted by `compare` and have no duplicates. An equal entry that is another object counts. */
export function listDifferences<T extends object>(
  before: readonly T[],
  now: readonly T[],
  compare: (a: T, b: T) => number,
): readonly Difference<T>[] {
  const { before: left, now: right } = withoutCommonEnds(before, now);
  const found: Difference<T>[] = [];
  let [i, k] = [0, 0];
  while (i < left.length || k < right.length) {
    const [old, current] = [left[i], right[k]];
    const order =
      old === current || old === undefined || current === undefined
        ? Number(old === undefined) - Number(current === undefined)
        : compare(old, current);
    if (order <= 0) i += 1;
    if (order >= 0) k += 1;
    if (order !== 0) found.push(order < 0 ? { before: old } : { now: current });
    else if (old !== current) found.push({ before: old, now: current });
  }
  return found;
}

/** The sorted list with these differences. It costs little more than a copy if there are few. */
export function patched<T extends object>(
  sorted: readonly T[],
  changes: readonly Difference<T>[],
  compare: (a: T, b: T) => number,
): readonly T[] {
  const gone = new Set(changes.flatMap(({ before }) => before ?? []));
  const added = changes.flatMap(({ now }) => now ?? []).sort(compare);
  if (gone.size === 0 && added.length === 0) return sorted;
  const edits = [
    ...Array.from(gone, (entry) => ({ at: indexOf(sorted, entry, compare), now: undefined })),
    ...added.map((now) => ({ at: firstAfter(sorted, now, compare), now })),
  ]
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  const runs: { readonly start: number; end: number; readonly now: T[] }[] = [];
  for (const { at, now } of edits) {
    let run = runs.at(-1);
    if (run === undefined || at > run.end) runs.push((run = { start: at, end: at, now: [] }));
    if (now !== undefined) run.now.push(now);
    else run.end = at + 1;
  }
  const [only] = runs;
  if (only === undefined) return sorted;
  if (runs.length === 1) return spliced(sorted, only, only.now);
  let next = 0;
  const parts = runs.flatMap(({ start, end, now }) => {
    const before = sorted.slice(next, start);
    next = end;
    return [before, now];
  });
  return joined([...parts, sorted.slice(next)]);
}

/** A call can't have more arguments than some ten thousands. */
const MOST_ARGUMENTS = 1000;

/** The list with other entries from `start` to `end`. It is made at once in its length. */
export function spliced<T>(
  list: readonly T[],
  { start, end }: { readonly start: number; readonly end: number },
  now: readonly T[],
): readonly T[] {
  return now.length > MOST_ARGUMENTS
    ? list.slice(0, start).concat(now, list.slice(end))
    : list.toSpliced(start, end - start, ...now);
}

/** The same as `flat`, which is slower, and makes longer lists on the way. */
export function joined<T>(parts: readonly (readonly T[])[]): readonly T[] {
  const none: readonly T[] = [];
  return parts.length > MOST_ARGUMENTS ? parts.flat() : none.concat(...parts);
}

/** The index of the first entry that comes after `entry`, or for which `isAfter` holds. */
function firstAfter<T>(
  sorted: readonly T[],
  entry: T,
  compare: (a: T, b: T) => number,
  isAfter: (order: number) => boolean = (order) => order > 0,
): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = sorted[middle];
    if (other !== undefined && isAfter(compare(other, entry))) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The index of the object itself among equal ones; -1 if absent. */
function indexOf<T>(sorted: readonly T[], entry: T, compare: (a: T, b: T) => number): number {
  let at = firstAfter(sorted, entry, compare, (order) => order >= 0);
  for (let other = sorted[at]; other !== undefined; other = sorted[(at += 1)]) {
    if (other === entry) return at;
    if (compare(other, entry) !== 0) return -1;
  }
  return -1;
}

/** `before` is removed or replaced, `now` is new. */
export interface Difference<T extends object> {
  readonly before?: T | undefined;
  readonly now?: T | undefined;
}

/** Whether two lists have identical elements in the same order. */
export function sameElements(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a === b || (a.length === b.length && a.every((element, i) => isIdentical(element, b[i])));
}
