import { readSharedEscape } from "./escape.js";
import type { Atom } from "./part.js";
import type { PatternSource } from "./source.js";
import { PatternProblem } from "./source.js";

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
