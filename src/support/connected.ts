import { getOrInsert, groupBy } from "./group-by.js";

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
