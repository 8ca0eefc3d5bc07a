import type { Atom } from "./part.js";
import type { PatternSource } from "./source.js";
import { PatternProblem } from "./source.js";
import { own } from "../../support/own.js";

/** Groups that a pattern has, for what refers to them; forward too. */
export interface References {
  readonly numbers: Set<number>;
  readonly names: Set<string>;
}

const CHARACTER: Atom = { kind: "character", width: 1, size: 2 };
const ASSERTION: Atom = { kind: "assertion", width: 0, size: 1 };
/** A line end is one byte or two. */
const LINE_END: Atom = { kind: "character", size: 2 };
const REFERENCE: Atom = { kind: "group", size: 5 };

/** What stands after a backslash outside of classes. */
export function readEscape(source: PatternSource, references: References): Atom {
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
 * What may stand after a backslash in a class too: the byte it means, undefined for one of a set. Letters and digits among them
 * are those that every PCRE2 knows.
 */
export function readSharedEscape(source: PatternSource): number | undefined {
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
