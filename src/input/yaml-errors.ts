/** The YAML parser's complaints in words that say what to do. */
import { own } from "../support/json-object.js";

export interface MessageAndHint {
  readonly message: string;
  readonly hint: string;
}

const QUOTES = "close the quote; a quote inside the value is doubled ('') or escaped (\\\")";

/** `reason` matches the parser's words; its group `alias` is a name from the text. */
const ROWS: readonly (MessageAndHint & { readonly reason: RegExp })[] = [
  {
    reason: /^tab characters/,
    message: "a tab is used for indentation",
    hint: "indent with spaces; YAML does not allow tabs there",
  },
  {
    reason: /^duplicated mapping key/,
    message: "a key stands twice in one mapping",
    hint: "remove one of the two; YAML reads y, on and yes as the same key as true",
  },
  {
    reason: /^bad indentation of a mapping entry/,
    message: "this line does not fit the mapping around it",
    hint: "indent it like its neighbours; a value that holds ': ' needs quotes",
  },
  {
    reason: /^bad indentation of a sequence entry/,
    message: "this line does not fit the list around it",
    hint: "put the '-' of every item of a list in the same column",
  },
  {
    reason: /^deficient indentation/,
    message: "this line is indented too little for the value that it continues",
    hint: "indent it more than the key of the value, or close the value before it",
  },
  {
    reason: /^(expected ':'|can not read a block mapping entry)/,
    message: "a key without ':' after it",
    hint: "write 'key: value'; a text over several lines needs '|' after its key",
  },
  {
    reason: /^a whitespace character is expected after/,
    message: "no space after the ':' of a key",
    hint: "write 'key: value', with a space",
  },
  {
    reason: /within a (double|single) quoted scalar/,
    message: "a quoted value has no end",
    hint: QUOTES,
  },
  {
    reason: /within a flow collection/,
    message: "a '{' or '[' is never closed",
    hint: "add the missing '}' or ']'; the file may have been cut off",
  },
  {
    reason: /^unexpected end of the stream$/,
    message: "the text ends inside a value",
    hint: "close the '{', '[' or quote that is open; the file may have been cut off",
  },
  {
    reason: /^(missed comma|expected the node content)/,
    message: "a ',' is missing or too many between '{ }' or '[ ]'",
    hint: "separate entries with one ',' each",
  },
  {
    reason: /^end of the stream or a document separator/,
    message: "text after the end of the document",
    hint: "put a line '---' between two documents, or correct the indentation of this line",
  },
  {
    reason: /^null byte/,
    message: "the text holds a NUL character",
    hint: "save the file as UTF-8 text; NULs are a sign of UTF-16 or of a damaged file",
  },
  {
    reason: /^(the stream contains non-printable|expected valid JSON character)/,
    message: "the text holds a control character",
    hint: "remove it, or write it as an escape in double quotes",
  },
  {
    reason: /^(unknown escape sequence|expected hexadecimal)/,
    message: "an unknown escape after '\\' in double quotes",
    hint: "double the '\\', or use single quotes, where it means itself",
  },
  {
    reason: /^nesting exceeded/,
    message: "collections are nested more than 100 deep",
    hint: "no manifest needs that; check the file's brackets and indentation",
  },
  {
    reason: /^merge keys exceeded|^abnormal merge/,
    message: "merge keys (<<) bring in too many fields",
    hint: "write the fields out",
  },
  {
    reason: /^cannot merge mappings/,
    message: "a merge key (<<) names something that is no mapping",
    hint: "let it name an anchored mapping, or a list of them",
  },
  {
    reason: /^unidentified alias "(?<alias>.*)"/s,
    message: "an alias (*) names an anchor that does not stand before it",
    hint: "define the anchor (&) first; a text that begins with '*' needs quotes",
  },
  {
    reason: /tag|^cannot resolve a node/,
    message: "a tag (!) is not known here or does not fit its value",
    hint: "remove it; a text that begins with '!' needs quotes",
  },
  {
    reason: /complex keys|inside keys/,
    message: "a key is a mapping or a list",
    hint: "keys are text; a value that begins with '{' or '[' needs quotes",
  },
  {
    reason: /directive/,
    message: "a line that begins with '%' is no valid directive",
    hint: "remove it, or put the text in quotes",
  },
];

/** The parser's words where a quote or bracket that was never closed may be the cause. */
const MAY_BE_UNCLOSED =
  /^deficient indentation|within a (?:double|single) quoted scalar|within a flow collection|^unexpected end of the stream|^missed comma|^expected the node content/;

/** What to say of a quote or bracket that is open where the parser stopped; undefined when that is not the cause. */
export function explainUnclosed(reason: string, unclosed: Unclosed): MessageAndHint | undefined {
  if (!MAY_BE_UNCLOSED.test(reason)) return undefined;
  const { character, closedBy } = unclosed;
  if (character === "'" || character === '"') {
    return { message: "a quoted value has no end", hint: QUOTES };
  }
  const end = character === "{" ? "}" : "]";
  return closedBy === undefined
    ? {
        message: `a '${character}' is never closed`,
        hint: `add the missing '${end}'; the file may have been cut off`,
      }
    : {
        message: `a '${character}' is closed by a '${closedBy}'`,
        hint: `close it by a '${end}' before that`,
      };
}

/** `mayShowNames` is false for texts that may hold secrets: an unquoted password can look like an alias. */
export function explainYamlError(reason: string, mayShowNames: boolean): MessageAndHint {
  for (const row of ROWS) {
    const match = row.reason.exec(reason);
    if (match === null) continue;
    const alias = mayShowNames ? match.groups?.["alias"] : undefined;
    const message = alias === undefined ? row.message : `${row.message}: *${alias}`;
    return { message, hint: row.hint };
  }
  return {
    message: mayShowNames ? `the text is not valid YAML: ${reason}` : "the text is not valid YAML",
    hint: "correct the text; nothing of this file is used until then",
  };
}

/** Which quote or bracket of a broken YAML text was never closed: the parser says only where it could not go on. */

interface Unclosed {
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
