/** Byte order of two strings; the same on every machine, unlike a locale's order. */
export function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Byte order of ids. */
export function compareIds(a: { readonly id: string }, b: { readonly id: string }): number {
  return compareStrings(a.id, b.id);
}

/** The first comparison that tells the two values apart. */
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

/** The value of a key, which is made and kept when there is none (Map.getOrInsertComputed of later Node versions). */
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

/** In the order of the entries (Map.groupBy needs Node 21). */
export function groupBy<T, K>(entries: Iterable<T>, key: (entry: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const entry of entries) addTo(groups, key(entry), entry);
  return groups;
}

/** The same function, which computes the result for each object once. The objects never change. */
export function memoized<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key) => getOrInsert(known, key, () => ({ value: compute(key) })).value;
}

const MOST_TEXTS = 10_000;

/** The same for a text. It forgets all results when there are many, so texts of users can't fill the memory. */
export function memoizedText<V>(compute: (text: string) => V): (text: string) => V {
  const known = new Map<string, { readonly value: V }>();
  return (text) => {
    if (known.size >= MOST_TEXTS) known.clear();
    return getOrInsert(known, text, () => ({ value: compute(text) })).value;
  };
}

/**
 * The members of the groups, in parts: two that have a group in common are in one part, and so are all that others connect. In the order
 * in which they come.
 */
export function connected<T>(groups: Iterable<readonly T[]>): readonly (readonly T[])[] {
  const partOf = new Map<T, Set<T>>();
  for (const [first, ...others] of groups) {
    if (first === undefined) continue;
    let whole = getOrInsert(partOf, first, () => new Set([first]));
    for (const member of others) {
      const part = getOrInsert(partOf, member, () => new Set([member]));
      if (part === whole) continue;
      // The smaller one moves, so each member moves a few times at most.
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

/** What two lists differ in that are sorted alike and have no two equal entries: one entry, or an equal one that is another object. */
export function listDifferences<T extends object>(
  before: readonly T[],
  now: readonly T[],
  compare: (a: T, b: T) => number,
): readonly Difference<T>[] {
  const found: Difference<T>[] = [];
  let [i, k] = before === now ? [before.length, now.length] : [0, 0];
  while (i < before.length || k < now.length) {
    const [old, current] = [before[i], now[k]];
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

/** The sorted list with these differences. */
export function patched<T extends object>(
  sorted: readonly T[],
  changes: readonly Difference<T>[],
  compare: (a: T, b: T) => number,
): readonly T[] {
  if (changes.length === 0) return sorted;
  const gone = new Set(changes.flatMap(({ before }) => before ?? []));
  const added = changes.flatMap(({ now }) => now ?? []).sort(compare);
  const result: T[] = [];
  let next = 0;
  for (const entry of sorted) {
    if (gone.has(entry)) continue;
    for (let first = added[next]; first !== undefined && compare(first, entry) < 0;) {
      result.push(first);
      first = added[++next];
    }
    result.push(entry);
  }
  return result.concat(added.slice(next));
}

/** `before` is gone or replaced, `now` is new. */
export interface Difference<T extends object> {
  readonly before?: T | undefined;
  readonly now?: T | undefined;
}

/** Whether two lists hold the same things, by identity, in the same order. */
export function sameElements(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a === b || (a.length === b.length && a.every((element, i) => element === b[i]));
}
