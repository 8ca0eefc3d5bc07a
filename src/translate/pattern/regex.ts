import { PatternParser } from "./parser.js";
import { PatternProblem } from "./source.js";

/** Bytes of a compiled pattern; PCRE2 takes 65,536, and repeats groups by copying them. */
const LARGEST = 10_000;

/**
 * What is wrong with a PCRE2 pattern, undefined for nothing. What can't be judged here is refused: constructs that are rare, that
 * versions of PCRE2 take in different ways, or that run without bounds (recursion, callouts, verbs). A pattern that PCRE refused
 * only when requests come would close what it may match, for all who share the host.
 */
export function regexProblem(pattern: string): string | undefined {
  const problem = patternProblem(pattern);
  return problem === undefined
    ? undefined
    : `${JSON.stringify(pattern)} is not a regular expression: ${problem}`;
}

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

/** The data plane compares bytes. */
function bytesOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}
