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
export function patternSequence(first: Part, second: Part): Part {
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

/** What is wrong with a pattern; thrown by its readers, caught in regex.ts. */
export class PatternProblem extends Error {}

/** The text of a pattern, read from left to right. */
export class PatternSource {
  readonly #text: string;
  #position = 0;

  /** `text` holds one character for each byte of the pattern: so PCRE reads it. */
  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#position >= this.#text.length;
  }

  /** The next character; "" at the end. */
  peek(): string {
    return this.#text.charAt(this.#position);
  }

  /** The next character, which must be there. */
  next(): string {
    if (this.atEnd) throw new PatternProblem("it ends too early");
    this.#position += 1;
    return this.#text.charAt(this.#position - 1);
  }

  /** Reads what a sticky expression matches here. */
  take(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#position;
    const match = sticky.exec(this.#text);
    if (match === null) return undefined;
    this.#position += match[0].length;
    return match;
  }
}
