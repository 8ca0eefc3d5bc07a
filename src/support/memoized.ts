/** The same function, which computes the result for each object once. The objects never change. */
export function memoized<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const found = known.get(key) ?? { value: compute(key) };
    known.set(key, found);
    return found.value;
  };
}

const MOST_TEXTS = 10_000;

/** The same for a text. It forgets all results when there are many, so texts of users can't fill the memory. */
export function memoizedText<V>(compute: (text: string) => V): (text: string) => V {
  const known = new Map<string, { readonly value: V }>();
  return (text) => {
    const found = known.get(text) ?? { value: compute(text) };
    if (known.size >= MOST_TEXTS) known.clear();
    known.set(text, found);
    return found.value;
  };
}
