import type { HttpRouteMatch } from "../../../api/gateway.js";
import type { PathMatch } from "../../../model/route.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import type { PathRank } from "../../precedence.js";
import { regexProblem } from "../../pattern/regex.js";
import type { RouteProblems } from "../route-problems.js";

/** How a path is matched, and as how narrow it counts. */
export interface PathCondition {
  readonly path: PathMatch | undefined;
  readonly rank: PathRank;
  /** Of a prefix match: what ReplacePrefixMatch replaces. */
  readonly prefix?: string;
}

const TYPES = ["Exact", "PathPrefix", "RegularExpression"] as const;
/** Characters that mean something in a regular expression. */
const META = /[\\^$.*+?()[\]{}|]/;

/** The path of a match; without one every path. */
export function pathCondition(
  { type = "PathPrefix", value = "/" }: NonNullable<HttpRouteMatch["path"]>,
  place: Place,
  problems: RouteProblems,
): PathCondition {
  switch (problems.choice(type, TYPES, within(place, "type"))) {
    case "Exact":
      return exact(value, place, problems);
    case "PathPrefix":
      return prefix(value, place, problems);
    case "RegularExpression":
      return expression(value, place, problems);
    case undefined:
      return couldMatch(value.startsWith("/") ? `^${value}` : value);
  }
}

function exact(value: string, place: Place, problems: RouteProblems): PathCondition {
  const path = decoded(value, place, problems);
  return { path: ["exact", path], rank: { kind: "exact", length: value.length } };
}

/** A trailing slash does not count. */
function prefix(value: string, place: Place, problems: RouteProblems): PathCondition {
  const path = decoded(value.replace(/\/+$/, ""), place, problems);
  return {
    path: ["prefix", path],
    rank: { kind: "prefix", length: path.length },
    prefix: path,
  };
}

/** Unanchored unless the pattern is, as GEP-4359 has it. */
function expression(pattern: string, place: Place, problems: RouteProblems): PathCondition {
  const problem = regexProblem(pattern);
  if (problem !== undefined) {
    problems.unsupported(problem, within(place, "value"));
    return couldMatch(pattern);
  }
  return {
    path: ["regex", pattern, ""],
    rank: { kind: "regex", length: pattern.length },
  };
}

/**
 * For a condition that can't be told: what begins with the anchored text before the first special character, or everything. Its
 * requests are refused, so that no wider rule serves them; narrower ones keep theirs.
 */
function couldMatch(pattern: string): PathCondition {
  const value = literalStart(pattern);
  return {
    path: value === "/" ? undefined : ["start", value],
    rank: { kind: "prefix", length: value.length - 1 },
  };
}

/** What every path that the expression matches begins with: the anchored text before the first special character, else `/`. */
export function literalStart(pattern: string): string {
  if (!pattern.startsWith("^/")) return "/";
  const literal = pattern.slice(1);
  const meta = META.exec(literal);
  if (meta === null) return literal;
  if (hasAlternatives(literal)) return "/";
  // What is repeated may be missing.
  const end = /[*?{]/.test(meta[0]) ? meta.index - 1 : meta.index;
  return literal.slice(0, Math.max(end, 1));
}

/** Outside of groups and sets, where they are of the whole expression. */
function hasAlternatives(pattern: string): boolean {
  let outside = pattern.replace(/\\./gs, "").replace(/\[[^\]]*\]/g, "");
  for (let before = ""; before !== outside;) {
    before = outside;
    outside = outside.replace(/\([^()]*\)/g, "");
  }
  return outside.includes("|") && !/^[^|]*\(/.test(outside);
}

/** Paths are matched decoded. */
function decoded(value: string, place: Place, problems: RouteProblems): string {
  if (!value.includes("%")) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    const message = `${JSON.stringify(value)} does not decode to UTF-8`;
    problems.unsupported(message, within(place, "value"));
    return value;
  }
}
