import { getOrInsert } from "./group-by.js";

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
