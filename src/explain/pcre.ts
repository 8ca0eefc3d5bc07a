/**
 * Tries PCRE patterns with JavaScript's regular expressions. What both languages can express is translated; any other pattern gets no
 * answer instead of a wrong one.
 */
// eslint-disable-next-line no-restricted-imports -- only node:vm can stop a long match; explain compiles no objects
import { createContext, Script } from "node:vm";
import { own } from "../support/json-object.js";

/** PCRE's `\s` and `[[:space:]]` (C locale); JavaScript's `\s` has more characters. */
const SPACE = "\\t\\n\\v\\f\\r ";

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  blank: "\\t ",
  digit: "0-9",
  lower: "a-z",
  space: SPACE,
  upper: "A-Z",
  word: "\\w",
  xdigit: "0-9A-Fa-f",
};

/** Escapes with the same meaning in both languages, in or outside a class; no other letters. */
const SAME_ESCAPE = /^(?:[dDwWnrtf]|x[0-9A-Fa-f]{2}|[^A-Za-z0-9])$/;

/** Tokens of a pattern: escape, class, start of a group, two quantifiers in a row, any character. */
const TOKEN =
  /\\x[0-9A-Fa-f]{2}|\\[^]|\[\^?\]?(?:\[:\^?[a-z]+:\]|\\[^]|[^\]\\])*\]|\(\?(?:[:=!]|<[A-Za-z_]\w*>)|\(\?|\(\*|[*+?}][+]|[^]/g;

/** Characters. On longer texts the data plane may give up; above 8 KiB it always does (lua/alb/route/expression.lua). */
const LONGEST_TEXT = 1024;

/** Whether the pattern matches somewhere in the wire text; undefined: only PCRE can decide. */
export function pcreTest(pattern: string, flags: string, text: string): boolean | undefined {
  const found = pcreMatch(pattern, flags, text);
  return found === undefined ? undefined : found !== null;
}

/** The first match in the wire text; null: there is none; undefined: only PCRE can decide. */
export function pcreMatch(
  pattern: string,
  flags: string,
  text: string,
): RegExpExecArray | null | undefined {
  const expression = text.length > LONGEST_TEXT ? undefined : compile(pattern, flags);
  return expression === undefined ? undefined : execute(expression, text);
}

/** Milliseconds of wall-clock time for one try; on a busy machine the process may be paused during all of them. */
const LONGEST_TRY = 50;
/** Milliseconds of CPU time for all tries of a pattern. */
const LONGEST = 100;
/** How many patterns of one explanation may take that long. */
const LONG_PATTERNS = 5;

const attempt: { found?: RegExpExecArray | null; expression: RegExp; text: string } = {
  expression: /(?:)/,
  text: "",
};
const context = createContext({ attempt });
const script = new Script("attempt.found = attempt.expression.exec(attempt.text)");
let long = 0;

/** Starts a new explanation: each counts its own long patterns. */
export function forgetLongPatterns(): void {
  long = 0;
}

/** Gives no answer for patterns that take long, because the data plane gives up on them (lua/alb/route/fuel.lua). */
function execute(expression: RegExp, text: string): RegExpExecArray | null | undefined {
  if (long >= LONG_PATTERNS) return undefined;
  attempt.expression = expression;
  attempt.text = text;
  const end = cpuTime() + LONGEST;
  do {
    try {
      script.runInContext(context, { timeout: LONGEST_TRY });
      return attempt.found;
    } catch {
      continue;
    }
  } while (cpuTime() < end);
  long += 1;
  return undefined;
}

/** Milliseconds. */
function cpuTime(): number {
  // eslint-disable-next-line no-restricted-globals -- a clock would count the pauses of a busy machine
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const compiled = new Map<string, RegExp | undefined>();

function compile(pattern: string, flags: string): RegExp | undefined {
  const key = `${flags} ${pattern}`;
  if (!compiled.has(key)) compiled.set(key, translate(pattern, flags));
  return compiled.get(key);
}

function translate(pattern: string, flags: string): RegExp | undefined {
  // PCRE ignores the case of ASCII only, JavaScript of more characters.
  const [, inline = "", rest = pattern] = /^\(\?(i)\)(.*)$/s.exec(pattern) ?? [];
  const ignoreCase = flags.includes("i") || inline === "i";
  if (ignoreCase && /[^\0-\x7f]/.test(pattern)) return undefined;
  // PCRE2 reads it as a quantifier since 10.43; older versions and JavaScript as text.
  if (pattern.includes("{,")) return undefined;
  const pieces = (rest.match(TOKEN) ?? []).map(translateToken);
  if (pieces.includes(undefined)) return undefined;
  try {
    return new RegExp(pieces.join(""), ignoreCase ? "i" : "");
  } catch {
    return undefined;
  }
}

function translateToken(token: string): string | undefined {
  if (token.startsWith("\\")) return translateEscape(token.slice(1));
  if (token.startsWith("[") && token.length > 1) return translateClass(token);
  switch (token) {
    case ".":
      return "[^\\n]";
    case "$":
      return "(?=\\n?$)";
    case "(?":
    case "(*":
    case "[":
      return undefined;
    default:
      // In PCRE two quantifiers in a row are a possessive one.
      return /^[*+?}]\+$/.test(token) ? undefined : token;
  }
}

function translateEscape(escaped: string): string | undefined {
  switch (escaped) {
    case "s":
      return `[${SPACE}]`;
    case "S":
      return `[^${SPACE}]`;
    case "b":
    case "B":
      return `\\${escaped}`;
    case "A":
      return "^";
    case "z":
      return "$";
    case "Z":
      return "(?=\\n?$)";
    default:
      return SAME_ESCAPE.test(escaped) ? `\\${escaped}` : undefined;
  }
}

function translateClass(token: string): string | undefined {
  const [, negated = "", body = ""] = /^\[(\^?)([^]*)\]$/.exec(token) ?? [];
  const pieces = (body.match(/\[:\^?[a-z]+:\]|\\x[0-9A-Fa-f]{2}|\\[^]|[^]/g) ?? []).map((piece) => {
    if (piece.startsWith("[:")) return own(POSIX_CLASSES, piece.slice(2, -2));
    if (piece === "\\s") return SPACE;
    if (piece.startsWith("\\")) return SAME_ESCAPE.test(piece.slice(1)) ? piece : undefined;
    return piece === "[" || piece === "]" ? `\\${piece}` : piece;
  });
  if (pieces.includes(undefined)) return undefined;
  return `[${negated}${pieces.join("")}]`;
}
