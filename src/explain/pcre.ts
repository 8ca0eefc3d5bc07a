/**
 * PCRE patterns tried with JavaScript's expressions. The common part of both languages is translated where it differs; what
 * lies outside gives no answer instead of a wrong one.
 */
// eslint-disable-next-line no-restricted-imports -- only node:vm can end a match that takes long; explaining compiles nothing
import { createContext, Script } from "node:vm";
import { own } from "../support/json-object.js";

/** Bytes that PCRE's `\s` and `[[:space:]]` stand for (C locale); JavaScript's has more. */
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

/** Escapes that mean the same, in or outside a class; letters among them are from this list only. */
const SAME_ESCAPE = /^(?:[dDwWnrtf]|x[0-9A-Fa-f]{2}|[^A-Za-z0-9])$/;

/** Pieces of a pattern: escape, class, group opening, POSIX-looking bracket, quantifier, any character. */
const TOKEN =
  /\\x[0-9A-Fa-f]{2}|\\[^]|\[\^?\]?(?:\[:\^?[a-z]+:\]|\\[^]|[^\]\\])*\]|\(\?(?:[:=!]|<[A-Za-z_]\w*>)|\(\?|\(\*|[*+?}][+]|[^]/g;

/** Characters; on longer texts the data plane may give up, and beyond 8 KiB it does (lua/alb/route/expression.lua). */
const LONGEST_TEXT = 1024;

/** Does the pattern match somewhere in the text (wire text)? Undefined: only PCRE can tell. */
export function pcreTest(pattern: string, flags: string, text: string): boolean | undefined {
  const found = pcreMatch(pattern, flags, text);
  return found === undefined ? undefined : found !== null;
}

/** The first match in the text (wire text); null: there is none; undefined: only PCRE can tell. */
export function pcreMatch(
  pattern: string,
  flags: string,
  text: string,
): RegExpExecArray | null | undefined {
  const expression = pcreExpression(pattern, flags, text);
  return expression === undefined ? undefined : execute(expression, text);
}

/** Milliseconds of wall-clock time for one try. On a busy machine the process may have been paused for all of them. */
const LONGEST_TRY = 50;
/** Milliseconds of CPU time for all tries of one pattern. */
const LONGEST = 100;
/** Patterns of one explanation that may take that long. */
const LONG_PATTERNS = 5;

const attempt: { found?: RegExpExecArray | null; expression: RegExp; text: string } = {
  expression: /(?:)/,
  text: "",
};
const context = createContext({ attempt });
const script = new Script("attempt.found = attempt.expression.exec(attempt.text)");
let long = 0;

/** Starts a new explanation, which counts its own long patterns. */
export function forgetLongPatterns(): void {
  long = 0;
}

/** The data plane gives up on patterns that take long (lua/alb/route/fuel.lua), so here they give no answer. */
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
  // eslint-disable-next-line no-restricted-globals -- the clock would count a busy machine's pauses
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function pcreExpression(pattern: string, flags: string, text: string): RegExp | undefined {
  return text.length > LONGEST_TEXT ? undefined : compile(pattern, flags);
}

const compiled = new Map<string, RegExp | undefined>();

function compile(pattern: string, flags: string): RegExp | undefined {
  const key = `${flags} ${pattern}`;
  if (!compiled.has(key)) compiled.set(key, translate(pattern, flags));
  return compiled.get(key);
}

function translate(pattern: string, flags: string): RegExp | undefined {
  // Without case PCRE folds ASCII only, JavaScript more.
  const [, inline = "", rest = pattern] = /^\(\?(i)\)(.*)$/s.exec(pattern) ?? [];
  const ignoreCase = flags.includes("i") || inline === "i";
  if (ignoreCase && /[^\0-\x7f]/.test(pattern)) return undefined;
  // A quantifier since PCRE2 10.43, text before and in JavaScript.
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
      // Two quantifiers in a row are a possessive one in PCRE.
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
