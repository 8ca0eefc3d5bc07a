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
  readonly specificity: Specificity;
  /** What is wrong with the path; its requests are refused. */
  readonly problem?: string;
}

/** Characters that mean something in a regular expression. */
const META = /[\\^$.*+?()[\]{}|]/;

/**
 * Exact and Prefix as Kubernetes defines them, ImplementationSpecific as Prefix. On hosts in regex mode every path is a pattern:
 * without case, anchored at the start, open at the end (ingress-nginx, use-regex).
 */
export function matchPath(
  host: HostPattern,
  { path, pathType, isRegex }: { path: string; pathType: string; isRegex: boolean },
): IngressMatch {
  if (isRegex) return matchRegex(host, path);
  if (pathType === "Exact") {
    return { path: { kind: "exact", value: path }, specificity: rank(host, ["EQ", path]) };
  }
  return {
    path: { kind: "prefix", value: path.replace(/\/+$/, "") },
    specificity: rank(host, ["STARTS_WITH", path]),
  };
}

function matchRegex(host: HostPattern, path: string): IngressMatch {
  const pattern = path.startsWith("^") ? path : `^${path}`;
  const ranked = rank(host, ["REGEX", pattern]);
  const problem = regexProblem(pattern);
  if (problem === undefined) {
    return { path: { kind: "regex", pattern, ignoreCase: true }, specificity: ranked };
  }
  // What could have matched begins with the text before the first special character.
  const start = META.exec(path);
  const value = start === null ? path : path.slice(0, start.index);
  return { path: { kind: "start", value }, specificity: ranked, problem };
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
