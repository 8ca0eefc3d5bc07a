/** Which quote or bracket of a broken YAML text was never closed: the parser says only where it could not go on. */
import { own } from "../support/own.js";

export interface Unclosed {
  readonly character: string;
  readonly offset: number;
  /** What stands where its end should be: a bracket of the other form. */
  readonly closedBy?: string;
}

const CLOSING: Readonly<Record<string, string>> = { "{": "}", "[": "]" };
/** A comment, a block scalar's first line, an anchor, alias or tag, an indicator of a key, value or item. */
const COMMENT = /#[^\r\n]*/y;
const BLOCK_SCALAR = /[|>][-+0-9]*[ \t]*(?:#[^\r\n]*)?(?=[\r\n])/y;
const PROPERTY = /[&*!][^\s,[\]{}]*/y;
const INDICATOR = /[-?:](?=\s|$)/y;
/** In a block a plain value ends with its line or before `: ` and ` #`; in brackets before theirs and a comma too. */
const PLAIN_IN_BLOCK = /(?=\S)(?:[^\s:#]|:(?!\s|$)|(?<!\s)#|[ \t]+(?![\s#])){1,10000}/y;
const PLAIN_IN_FLOW =
  /(?=\S)(?:[^\s:#,[\]{}]|:(?![\s,[\]{}]|$)|(?<!\s)#|[ \t]+(?![\s#,[\]{}])){1,10000}/y;

/** The innermost one that is open at `end`; undefined when there is none. */
export function findUnclosed(text: string, end: number): Unclosed | undefined {
  const scanned = text.slice(0, end);
  const open: Unclosed[] = [];
  let at = 0;
  while (at < scanned.length) {
    const character = scanned.charAt(at);
    if (character === '"' || character === "'") {
      const past = endOfQuoted(scanned, at);
      if (past === undefined) return { character, offset: at };
      at = past;
    } else if (character === "{" || character === "[") {
      open.push({ character, offset: at++ });
    } else if (character === "}" || character === "]") {
      const opened = open.pop();
      if (opened !== undefined && own(CLOSING, opened.character) !== character) {
        return { ...opened, closedBy: character };
      }
      at++;
    } else {
      at += lengthOfOther(scanned, at, open.length > 0);
    }
  }
  return open.at(-1);
}

/** Past the quote that ends the value which begins at `at`. No expression: it would be tried from every character of a long text. */
function endOfQuoted(text: string, at: number): number | undefined {
  const quote = text.charAt(at);
  for (let i = at + 1; i < text.length; i++) {
    const character = text.charAt(i);
    const isEscape =
      quote === '"' ? character === "\\" : character === quote && text.charAt(i + 1) === quote;
    if (isEscape) i++;
    else if (character === quote) return i + 1;
  }
  return undefined;
}

function lengthOfOther(text: string, at: number, inFlow: boolean): number {
  const block = inFlow ? 0 : lengthAt(BLOCK_SCALAR, text, at);
  if (block > 0) return block + lengthOfIndented(text, at, at + block);
  const plain = inFlow ? PLAIN_IN_FLOW : PLAIN_IN_BLOCK;
  for (const token of [COMMENT, PROPERTY, INDICATOR, plain]) {
    const length = lengthAt(token, text, at);
    if (length > 0) return length;
  }
  return 1;
}

/** How much text from `start` belongs to a block scalar: the lines that are indented more than the one of `at`. */
function lengthOfIndented(text: string, at: number, start: number): number {
  const lineStart = Math.max(text.lastIndexOf("\n", at), text.lastIndexOf("\r", at)) + 1;
  const indent = lengthAt(/ */y, text, lineStart);
  const lines = new RegExp(
    `(?:\\r?\\n|\\r)(?: {${String(indent + 1)}}[^\\r\\n]*|[ \\t]*(?=[\\r\\n]|$))`,
    "y",
  );
  let position = start;
  for (let length = 1; length > 0; position += length) length = lengthAt(lines, text, position);
  return position - start;
}

function lengthAt(token: RegExp, text: string, at: number): number {
  token.lastIndex = at;
  return token.exec(text)?.[0].length ?? 0;
}
