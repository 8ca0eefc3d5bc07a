/** What is known of a part of a pattern. */
export interface Part {
  /** Bytes it matches, when they are always the same number; undefined when they are not. */
  readonly width?: number;
  /** Bytes that PCRE needs for it at most, compiled. */
  readonly size: number;
}

/** A part and whether a quantifier may follow it. */
export interface Atom extends Part {
  readonly kind: "assertion" | "character" | "class" | "group";
}

export const EMPTY: Part = { width: 0, size: 0 };

/** One after the other. */
export function sequence(first: Part, second: Part): Part {
  const size = first.size + second.size;
  if (first.width === undefined || second.width === undefined) return { size };
  return { width: first.width + second.width, size };
}

/** One or the other. */
export function either(parts: readonly Part[]): Part {
  // Each begins with its code and the distance to the next.
  const size = parts.reduce((sum, part) => sum + part.size + 3, 0);
  const [first] = parts;
  const same = parts.every(({ width }) => width === first?.width);
  return same && first?.width !== undefined ? { width: first.width, size } : { size };
}
