import { own } from "../../support/json-object.js";
import { readClass, readEscape } from "./escape.js";
import type { References } from "./escape.js";
import type { Atom, Part } from "./source.js";
import { EMPTY, PatternProblem, PatternSource, either, patternSequence } from "./source.js";

/** Groups in groups; PCRE2 takes 250. */
const DEEPEST = 100;
/** Bytes that a lookbehind may look at; more than this depends on the version. */
const LONGEST_LOOKBEHIND = 255;
/** What each group adds. */
const GROUP_SIZE = 8;
const MOST_GROUPS = 1000;
const CHARACTER: Atom = { kind: "character", width: 1, size: 2 };
const ASSERTION: Atom = { kind: "assertion", width: 0, size: 1 };

/** Reads one pattern: bytes as characters. Throws PatternProblem for what not every PCRE2 takes. */
export class PatternParser {
  readonly #source: PatternSource;
  readonly #references: References = { numbers: new Set(), names: new Set() };
  readonly #names = new Set<string>();
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

  /** Up to a `)` or the end. */
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

  /** A group, of which `(` has been read. */
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
      this.#names.add(name);
    }
    this.#groups += 1;
    if (this.#groups > MOST_GROUPS) throw new PatternProblem("it has too many groups");
  }

  #lookaround(behind: boolean): Atom {
    const parts = this.#inside();
    // Alternatives may differ in length, what is in them may not.
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

/** How often; without `max` as often as can be. */
interface Quantifier {
  readonly min: number;
  readonly max?: number;
}

const SIGNS: Readonly<Record<string, Quantifier>> = {
  "*": { min: 0 },
  "+": { min: 1 },
  "?": { min: 0, max: 1 },
};
/** What PCRE2 counts to. */
const MOST = 65_535;
/** Codes of the repetition of one character or class, and around each copy of a group. */
const OF_ONE = 12;
const OF_COPY = 16;

/** An atom with the quantifier after it, if there is one. */
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

/** Undefined when there is none. */
function readQuantifier(source: PatternSource): Quantifier | undefined {
  const sign = source.take(/[*+?]/y);
  if (sign) return own(SIGNS, sign[0]);
  const counts = source.take(/\{([0-9]{1,9})(?:(,)([0-9]{1,9})?)?\}/y);
  if (counts === undefined) {
    // Text to one version of PCRE2, a quantifier to another.
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
