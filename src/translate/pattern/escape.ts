import { own } from "../../support/json-object.js";
import type { Atom, PatternSource } from "./source.js";
import { PatternProblem } from "./source.js";

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
/** Its code, and a bit for each byte. */
const CLASS: Atom = { kind: "class", width: 1, size: 33 };

/** What PCRE takes for a named set outside of a class, and refuses. */
const BARE_SET = /(?=([:.=])(?:\\[\]\\]|[^\]])*\1\])/y;

/** A class, of which `[` has been read. */
export function readClass(source: PatternSource): Atom {
  if (source.take(BARE_SET)) throw new PatternProblem("a named set stands outside of a class");
  source.take(/\^/y);
  // First in the class it is one of its characters.
  let first = true;
  while (first || source.peek() !== "]") {
    readItem(source);
    first = false;
  }
  source.next();
  return CLASS;
}

/** A character, a set, or a range. */
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

/** The byte; undefined for a set. */
function readMember(source: PatternSource): number | undefined {
  if (source.take(POSIX)) return undefined;
  if (source.take(/\[(?=[:.=])/y)) throw new PatternProblem("[: in a class begins no known set");
  const text = source.next();
  if (text !== "\\") return text.charCodeAt(0);
  if (source.take(/b/y)) return 8;
  if (source.take(/[hHvV]/y)) return undefined;
  return readSharedEscape(source);
}
