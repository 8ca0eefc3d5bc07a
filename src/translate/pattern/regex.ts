/** Checks regular expressions (PCRE2) of users before the data plane compiles them. */
import { getOrInsert, memoizedText } from "../../support/collections.js";
import { own } from "../../support/json-object.js";

/** The groups of a pattern, whose captures a text may use. */
export interface Groups {
  readonly count: number;
  /** Numbers by name. */
  readonly names: ReadonlyMap<string, number>;
  /** Those whose captures are URL text, which is not encoded again. */
  readonly written?: ReadonlySet<number>;
}

export const NO_GROUPS: Groups = { count: 0, names: new Map() };

/** Bytes of a compiled pattern; PCRE2 allows 65,536, and copies repeated groups. */
const LARGEST = 10_000;

/**
 * The problem of a PCRE2 pattern, undefined if there is none. Constructs that this parser can't judge are refused: rare ones, those that
 * versions of PCRE2 read differently, and those that run without bounds (recursion, callouts, verbs). A pattern that only PCRE refuses,
 * once requests come, would close everything that it may match on a shared host. `written` is the user's own text, which the message shows.
 */
export function regexProblem(pattern: string, written = pattern): string | undefined {
  const problem = patternProblem(pattern);
  return problem === undefined
    ? undefined
    : `${JSON.stringify(written)} is not a regular expression: ${problem}`;
}

/** Patterns without named groups share those of their number. */
const UNNAMED = new Map([[0, NO_GROUPS]]);

/** The groups of a pattern; none if it has a problem. */
export const regexGroups = memoizedText((pattern): Groups => {
  const parser = new PatternParser(bytesOf(pattern));
  try {
    parser.parse();
  } catch (error) {
    if (error instanceof PatternProblem) return NO_GROUPS;
    throw error;
  }
  const { count, names } = parser.groups;
  return names.size > 0 ? { count, names } : getOrInsert(UNNAMED, count, () => ({ count, names }));
});

function patternProblem(pattern: string): string | undefined {
  if (pattern.includes("\0")) return "it holds NUL";
  try {
    const { size } = new PatternParser(bytesOf(pattern)).parse();
    return size > LARGEST ? "it is too large, with what it repeats" : undefined;
  } catch (error) {
    if (error instanceof PatternProblem) return error.message;
    throw error;
  }
}

/** The data plane compares bytes. One character for each byte. */
function bytesOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}

/** A part of a pattern. */
interface Part {
  /** Number of bytes that it matches; undefined if that varies. */
  readonly width?: number;
  /** Largest number of bytes of the compiled part. */
  readonly size: number;
}

/** A part and whether a quantifier may follow it. */
interface Atom extends Part {
  readonly kind: "assertion" | "character" | "class" | "group";
}

const EMPTY: Part = { width: 0, size: 0 };

/** Two parts, one after the other. */
function patternSequence(first: Part, second: Part): Part {
  const size = first.size + second.size;
  if (first.width === undefined || second.width === undefined) return { size };
  return { width: first.width + second.width, size };
}

/** Alternatives. */
function either(parts: readonly Part[]): Part {
  // Each alternative begins with a code and the distance to the next one.
  const size = parts.reduce((sum, part) => sum + part.size + 3, 0);
  const [first] = parts;
  const same = parts.every(({ width }) => width === first?.width);
  return same && first?.width !== undefined ? { width: first.width, size } : { size };
}

/** A problem of a pattern, caught by patternProblem. */
class PatternProblem extends Error {}

/** The text of a pattern, read from left to right. */
class PatternSource {
  readonly #text: string;
  #position = 0;

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

  /** The next character; a problem at the end. */
  next(): string {
    if (this.atEnd) throw new PatternProblem("it ends too early");
    this.#position += 1;
    return this.#text.charAt(this.#position - 1);
  }

  /** Reads the match of a sticky expression at this position. */
  take(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#position;
    const match = sticky.exec(this.#text);
    if (match === null) return undefined;
    this.#position += match[0].length;
    return match;
  }
}

const CHARACTER: Atom = { kind: "character", width: 1, size: 2 };
const ASSERTION: Atom = { kind: "assertion", width: 0, size: 1 };

/** Depth of nested groups; PCRE2 allows 250. */
const DEEPEST = 100;
/** Bytes that every version of PCRE2 allows in a lookbehind. */
const LONGEST_LOOKBEHIND = 255;
/** Bytes that a group adds. */
const GROUP_SIZE = 8;
const MOST_GROUPS = 1000;

/** Parses one pattern. Throws PatternProblem for constructs that not every PCRE2 accepts. */
class PatternParser {
  readonly #source: PatternSource;
  readonly #references: References = { numbers: new Set(), names: new Set() };
  readonly #names = new Map<string, number>();
  #groups = 0;
  #depth = 0;

  constructor(text: string) {
    this.#source = new PatternSource(text);
  }

  /** The whole pattern. */
  parse(): Part {
    const whole = either(this.#alternatives());
    if (!this.#source.atEnd) throw new PatternProblem("a ) closes no group");
    for (const number of this.#references.numbers) {
      if (number > this.#groups) throw new PatternProblem(`there is no group ${String(number)}`);
    }
    for (const name of this.#references.names) {
      if (!this.#names.has(name)) throw new PatternProblem(`there is no group ${name}`);
    }
    return whole;
  }

  /** The groups that were read. */
  get groups(): Groups {
    return { count: this.#groups, names: this.#names };
  }

  /** Reads up to a `)` or the end. */
  #alternatives(): readonly Part[] {
    const parts: Part[] = [];
    do {
      let part = EMPTY;
      while (!this.#source.atEnd && !/[|)]/.test(this.#source.peek())) {
        part = patternSequence(part, readQuantified(this.#atom(), this.#source));
      }
      parts.push(part);
    } while (this.#source.take(/\|/y));
    return parts;
  }

  #atom(): Atom {
    if (readQuantifier(this.#source))
      throw new PatternProblem("a quantifier has nothing before it");
    const text = this.#source.next();
    switch (text) {
      case "\\":
        return readEscape(this.#source, this.#references);
      case "[":
        return readClass(this.#source);
      case "(":
        return this.#group();
      case "^":
      case "$":
        return ASSERTION;
      default:
        return CHARACTER;
    }
  }

  /** The rest of a group after its `(`. */
  #group(): Atom {
    const source = this.#source;
    if (source.take(/\?(?:[ims]+(?:-[ims]+)?|-[ims]+)\)/y)) return { ...ASSERTION, size: 2 };
    const opening = source.take(/\?<?[=!]/y)?.[0];
    if (opening !== undefined) return this.#lookaround(opening.includes("<"));
    if (!source.take(/\?(?:>|(?:[ims]+(?:-[ims]+)?|-[ims]+)?:)/y)) this.#capture();
    const { width, size } = either(this.#inside());
    return { kind: "group", ...(width !== undefined && { width }), size: size + GROUP_SIZE };
  }

  #capture(): void {
    const name = this.#source.take(/\?P?<([A-Za-z_][A-Za-z0-9_]{0,31})>/y)?.[1];
    const next = this.#source.peek();
    if (name === undefined && (next === "?" || next === "*")) {
      throw new PatternProblem(`groups that begin with (${next} in this way are not supported`);
    }
    if (name !== undefined) {
      if (this.#names.has(name)) throw new PatternProblem(`two groups have the name ${name}`);
      this.#names.set(name, this.#groups + 1);
    }
    this.#groups += 1;
    if (this.#groups > MOST_GROUPS) throw new PatternProblem("it has too many groups");
  }

  #lookaround(behind: boolean): Atom {
    const parts = this.#inside();
    // Alternatives may differ in length, but each must have a fixed one.
    if (behind && parts.some(({ width = Infinity }) => width > LONGEST_LOOKBEHIND)) {
      throw new PatternProblem("a lookbehind has no fixed length, or is too long");
    }
    return { kind: "assertion", width: 0, size: either(parts).size + GROUP_SIZE };
  }

  #inside(): readonly Part[] {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw new PatternProblem("its groups are nested too deep");
    const parts = this.#alternatives();
    this.#depth -= 1;
    if (!this.#source.take(/\)/y)) throw new PatternProblem("a group is not closed");
    return parts;
  }
}

/** Without `max`, the number is unlimited. */
interface Quantifier {
  readonly min: number;
  readonly max?: number;
}

const SIGNS: Readonly<Record<string, Quantifier>> = {
  "*": { min: 0 },
  "+": { min: 1 },
  "?": { min: 0, max: 1 },
};
/** The largest count of PCRE2. */
const MOST = 65_535;
/** Bytes that repeating a character or class adds, and that surround each copy of a group. */
const OF_ONE = 12;
const OF_COPY = 16;

/** An atom with its quantifier, if any. */
function readQuantified(atom: Atom, source: PatternSource): Part {
  const quantifier = readQuantifier(source);
  if (quantifier === undefined) return atom;
  if (atom.kind === "assertion") throw new PatternProblem("a quantifier follows an assertion");
  source.take(/[?+]/y);
  if (readQuantifier(source)) throw new PatternProblem("a quantifier follows a quantifier");
  return repeated(atom, quantifier);
}

function repeated({ kind, width, size }: Atom, { min, max }: Quantifier): Part {
  const copies = Math.max(1, max ?? min + 1);
  const all = kind === "group" ? copies * (size + OF_COPY) : 2 * size + OF_ONE;
  if (width === undefined || min !== max) return { size: all };
  return { width: width * min, size: all };
}

/** Undefined if there is none. */
function readQuantifier(source: PatternSource): Quantifier | undefined {
  const sign = source.take(/[*+?]/y);
  if (sign) return own(SIGNS, sign[0]);
  const counts = source.take(/\{([0-9]{1,9})(?:(,)([0-9]{1,9})?)?\}/y);
  if (counts === undefined) {
    // Some versions of PCRE2 read this as text, others as a quantifier.
    if (source.take(/\{[ \t]*[0-9,]/y)) throw new PatternProblem("{ begins no quantifier");
    return undefined;
  }
  const [, least = "", open, most] = counts;
  const min = Number(least);
  if (open !== undefined && most === undefined) return checked({ min });
  return checked({ min, max: most === undefined ? min : Number(most) });
}

function checked(quantifier: Quantifier): Quantifier {
  const { min, max = min } = quantifier;
  if (min > MOST || max > MOST) throw new PatternProblem(`a count is above ${String(MOST)}`);
  if (min > max) throw new PatternProblem("the counts of a quantifier are out of order");
  return quantifier;
}

/** Groups that a pattern refers to; they may follow the reference. */
interface References {
  readonly numbers: Set<number>;
  readonly names: Set<string>;
}

/** A line end is one byte or two. */
const LINE_END: Atom = { kind: "character", size: 2 };
const REFERENCE: Atom = { kind: "group", size: 5 };

/** The rest of an escape outside of classes, after the backslash. */
function readEscape(source: PatternSource, references: References): Atom {
  if (source.take(/[bBAzZ]/y)) return ASSERTION;
  if (source.take(/[hHvVN](?!\{)/y)) return CHARACTER;
  if (source.take(/R/y)) return LINE_END;
  const number = source.take(/([1-9])(?![0-9])/y);
  if (number) {
    references.numbers.add(Number(number[1]));
    return REFERENCE;
  }
  const name = source.take(/k<([A-Za-z_][A-Za-z0-9_]*)>/y);
  if (name) {
    references.names.add(name[1] ?? "");
    return REFERENCE;
  }
  if (readSharedEscape(source) === undefined) return { ...CHARACTER, size: 3 };
  return CHARACTER;
}

/**
 * The rest of an escape that classes may contain, too: its byte, undefined for a set of bytes. Letters and digits must be known to every
 * PCRE2.
 */
function readSharedEscape(source: PatternSource): number | undefined {
  if (source.take(/[dDwWsS]/y)) return undefined;
  const hex = source.take(/x([0-9A-Fa-f]{2})/y);
  if (hex) return Number.parseInt(hex[1] ?? "", 16);
  const control = source.take(/[nrtfea]/y);
  if (control) return own(CONTROLS, control[0]);
  const text = source.next();
  if (/[A-Za-z0-9]/.test(text)) throw new PatternProblem(`\\${text} is not supported there`);
  return text.charCodeAt(0);
}

const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, e: 27, a: 7 };

const POSIX =
  /\[:\^?(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]/y;
/** A code, and a bit for each byte. */
const CLASS: Atom = { kind: "class", width: 1, size: 33 };

/** PCRE refuses a named set outside of a class. */
const BARE_SET = /(?=([:.=])(?:\\[\]\\]|[^\]])*\1\])/y;

/** The rest of a class after its `[`. */
function readClass(source: PatternSource): Atom {
  if (source.take(BARE_SET)) throw new PatternProblem("a named set stands outside of a class");
  source.take(/\^/y);
  // As the first character, `]` belongs to the class.
  let first = true;
  while (first || source.peek() !== "]") {
    readItem(source);
    first = false;
  }
  source.next();
  return CLASS;
}

/** Reads a character, a set or a range. */
function readItem(source: PatternSource): void {
  const from = readMember(source);
  // A hyphen at the end is a character.
  if (!source.take(/-(?!\])/y)) return;
  const to = readMember(source);
  if (from === undefined || to === undefined) {
    throw new PatternProblem("a range begins or ends with a set of characters");
  }
  if (from > to) throw new PatternProblem("a range of characters is out of order");
}

/** The byte of a class member; undefined for a set. */
function readMember(source: PatternSource): number | undefined {
  if (source.take(POSIX)) return undefined;
  if (source.take(/\[(?=[:.=])/y)) throw new PatternProblem("[: in a class begins no known set");
  const text = source.next();
  if (text !== "\\") return text.charCodeAt(0);
  if (source.take(/b/y)) return 8;
  if (source.take(/[hHvV]/y)) return undefined;
  return readSharedEscape(source);
}
