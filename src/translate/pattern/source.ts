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
