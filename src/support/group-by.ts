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
