import type { Atom, Part } from "./part.js";
import type { PatternSource } from "./source.js";
import { PatternProblem } from "./source.js";
import { own } from "../../support/own.js";

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
export function readQuantified(atom: Atom, source: PatternSource): Part {
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
export function readQuantifier(source: PatternSource): Quantifier | undefined {
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
