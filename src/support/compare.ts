/** Byte order of two strings; the same on every machine, unlike a locale's order. */
export function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
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
