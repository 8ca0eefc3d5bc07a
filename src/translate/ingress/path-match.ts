import type { DslxTerm } from "../../api/alb.js";
import { type HostPattern, hostKey } from "../../model/values.js";
import type { PathMatch } from "../../model/route.js";
import { type Specificity, specificity } from "../precedence.js";
import { regexProblem } from "../pattern/regex.js";
import type { IngressPath } from "./ingress-scope.js";

/** Characters that mean something in a regular expression. */
const META = /[\\^$.*+?()[\]{}|]/;

/** What makes a pattern of an ImplementationSpecific path in the origin. */
const ORIGIN_META = /[\^$():?[\]*\\]/;

/**
 * How a path is matched, and as how narrow it counts. Exact and Prefix as Kubernetes defines them, ImplementationSpecific as Prefix.
 * Patterns are anchored at the start and open at the end. `isRegex`: its host is in regex mode, so every path is a pattern without case
 * (ingress-nginx, use-regex). `isOrigin`: an ALB2 serves it, so ImplementationSpecific is what it is in the origin, a pattern with case
 * or the start of a text.
 */
export function matchPath(
  host: HostPattern,
  {
    path,
    pathType,
    isRegex,
    isOrigin = false,
  }: {
    readonly path: string;
    readonly pathType: string;
    readonly isRegex: boolean;
    readonly isOrigin?: boolean;
  },
): {
  readonly path: PathMatch;
  readonly specificity: Specificity;
  /** What is wrong with the path; its requests are refused. */
  readonly problem?: string;
} {
  if (isRegex) return matchRegex(host, path, true);
  if (isOrigin && pathType === "ImplementationSpecific") {
    if (ORIGIN_META.test(path)) return matchRegex(host, path, false);
    const specificity = rank(host, ["STARTS_WITH", path]);
    return { path: ["start", path], specificity };
  }
  if (pathType === "Exact") {
    const specificity = rank(host, ["EQ", path]);
    return { path: ["exact", path], specificity };
  }
  // `/a` and `/a/` are one prefix, so the slash makes neither narrower.
  const value = path.replace(/\/+$/, "");
  const specificity = rank(host, ["STARTS_WITH", value === "" ? "/" : value]);
  return { path: ["prefix", value], specificity };
}

/** As narrow as an expression can be. */
const NARROWEST = " ".repeat(2000);

/**
 * A location of nginx: exact ones come first, then `^~`, expressions in the order of the text, and the longest start of a path. In regex mode
 * a pattern of an Ingress would come before the start of a path that is restricted.
 */
export function matchLocation(
  host: HostPattern,
  { match: path, settings, ...location }: NonNullable<IngressPath["location"]>,
  isRegex: boolean,
): ReturnType<typeof matchPath> {
  const isRestricted = settings === undefined || settings.deny !== undefined;
  const isFirst = location.isFirst === true || (isRegex && isRestricted);
  const [kind, text] = path;
  if (kind === "exact") return { path, specificity: rank(host, ["EQ", text]) };
  if (kind !== "regex" && !isFirst) return { path, specificity: rank(host, ["STARTS_WITH", text]) };
  const { complexity } = rank(host, ["REGEX", NARROWEST]);
  if (kind !== "regex") return { path, specificity: { complexity, length: text.length + 1 } };
  const problem = regexProblem(text);
  const specificity = { complexity, length: 0 };
  if (problem === undefined) return { path, specificity };
  return { path: ["start", "/"], specificity, problem };
}

/** Whether a path is probably meant as a pattern; dots and colons are in many paths. */
export function looksLikePattern(path: string): boolean {
  return /[\^$()?[\]*\\|]/.test(path);
}

function matchRegex(
  host: HostPattern,
  path: string,
  ignoreCase: boolean,
): ReturnType<typeof matchPath> {
  const pattern = path.startsWith("^") ? path : `^${path}`;
  const problem = regexProblem(pattern, path);
  const specificity = ignoreCase ? regexRank(host, path) : rank(host, ["REGEX", pattern]);
  return problem === undefined
    ? { path: ["regex", pattern, ignoreCase ? "i" : ""], specificity }
    : { path: ["start", beforeMeta(path)], specificity, problem };
}

/** On hosts in regex mode ingress-nginx orders the paths as they are written: more bytes first, then the greater text. */
function regexRank(host: HostPattern, path: string): Specificity {
  const { length } = new TextEncoder().encode(path);
  const { complexity } = rank(host, ["REGEX", " ".repeat(length)]);
  return { complexity, length, text: path };
}

function beforeMeta(pattern: string): string {
  const start = META.exec(pattern);
  return start === null ? pattern : pattern.slice(0, start.index);
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
