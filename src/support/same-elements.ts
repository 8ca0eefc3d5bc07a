/** Whether two lists hold the same things, by identity, in the same order. */
export function sameElements(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a === b || (a.length === b.length && a.every((element, i) => element === b[i]));
}
