import type { DslxTerm } from "../../api/alb.js";
import type { HostPattern } from "../../ir/host-pattern.js";
import { hostKey } from "../../ir/host-pattern.js";
import type { PathMatch } from "../../ir/match.js";
import { specificity } from "../precedence.js";
import type { Specificity } from "../precedence.js";
import { regexProblem } from "../regex.js";

/** How a path is matched, and as how narrow it counts. */
export interface IngressMatch {
  readonly path: PathMatch;
  /** Inside its namespace. */
  readonly specificity: Specificity;
  /** Between namespaces: a pattern counts as the prefix that it begins with, since a long one may match everything. */
  readonly claim: Specificity;
  /** What every path that it matches begins with. */
  readonly literal: string;
  /** What is wrong with the path; its requests are refused. */
  readonly problem?: string;
}

/** Characters that mean something in a regular expression. */
const META = /[\\^$.*+?()[\]{}|]/;

/** What makes a pattern of an ImplementationSpecific path in the origin. */
const ORIGIN_META = /[\^$():?[\]*\\]/;

export interface PathText {
  readonly path: string;
  readonly pathType: string;
  /** Its host is in regex mode: every path is a pattern without case (ingress-nginx, use-regex). */
  readonly isRegex: boolean;
  /** An ALB2 serves it: ImplementationSpecific is what it is in the origin, a pattern with case or the start of a text. */
  readonly isOrigin?: boolean;
}

/**
 * Exact and Prefix as Kubernetes defines them, ImplementationSpecific as Prefix unless an ALB2 serves it. Patterns are anchored at the
 * start and open at the end.
 */
export function matchPath(
  host: HostPattern,
  { path, pathType, isRegex, isOrigin = false }: PathText,
): IngressMatch {
  if (isRegex) return matchRegex(host, path, true);
  if (isOrigin && pathType === "ImplementationSpecific") {
    if (ORIGIN_META.test(path)) return matchRegex(host, path, false);
    const specificity = rank(host, ["STARTS_WITH", path]);
    return { path: { kind: "start", value: path }, specificity, claim: specificity, literal: path };
  }
  if (pathType === "Exact") {
    const specificity = rank(host, ["EQ", path]);
    return { path: { kind: "exact", value: path }, specificity, claim: specificity, literal: path };
  }
  // `/a` and `/a/` are one prefix, so the slash makes neither narrower.
  const value = path.replace(/\/+$/, "");
  const specificity = rank(host, ["STARTS_WITH", value === "" ? "/" : value]);
  return { path: { kind: "prefix", value }, specificity, claim: specificity, literal: value };
}

/** Whether an ImplementationSpecific path is probably meant as a pattern; dots and colons are in many paths. */
export function looksLikePattern({ path, pathType }: PathText): boolean {
  return pathType === "ImplementationSpecific" && /[\^$()?[\]*\\|]/.test(path);
}

function matchRegex(host: HostPattern, path: string, ignoreCase: boolean): IngressMatch {
  const pattern = path.startsWith("^") ? path : `^${path}`;
  const problem = regexProblem(pattern);
  const literal = problem === undefined ? literalStart(pattern.slice(1)) : beforeMeta(path);
  const ranked = {
    specificity: rank(host, ["REGEX", pattern]),
    claim: rank(host, ["STARTS_WITH", literal]),
    literal,
  };
  return problem === undefined
    ? { path: { kind: "regex", pattern, ignoreCase }, ...ranked }
    : { path: { kind: "start", value: literal }, ...ranked, problem };
}

function beforeMeta(pattern: string): string {
  const start = META.exec(pattern);
  return start === null ? pattern : pattern.slice(0, start.index);
}

/** What every match of a valid pattern begins with: nothing, where it has alternatives that are in no group. */
function literalStart(pattern: string): string {
  if (hasAlternatives(pattern)) return "";
  const literal = beforeMeta(pattern);
  const next = pattern.charAt(literal.length);
  return /[?*{]/.test(next) ? literal.slice(0, -1) : literal;
}

/** A class whose first `]` is not its last may seem to have them, which makes the pattern only wider. */
function hasAlternatives(pattern: string): boolean {
  if (!pattern.includes("|")) return false;
  let depth = 0;
  for (const character of pattern.replace(/\\./gs, "_").replace(/\[\^?\]?[^\]]*\]/g, "_")) {
    if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    else if (character === "|" && depth === 0) return true;
  }
  return false;
}

function rank(host: HostPattern, url: readonly string[]): Specificity {
  return specificity([...hostTerms(host), { type: "URL", values: [url] }]);
}

/** The terms that a Rule for the same host would have. */
export function hostTerms(host: HostPattern): readonly DslxTerm[] {
  if (host.kind === "any") return [];
  const operator = host.kind === "exact" ? "EQ" : "ENDS_WITH";
  return [{ type: "HOST", values: [[operator, hostKey(host)]] }];
}
