import type { HttpRouteMatch, ValueMatch } from "../../../api/gateway.js";
import type { Predicate, ValueTest } from "../../../model/route.js";
import { pathStart } from "../../../support/literal-start.js";
import { droppedHeaderProblem } from "../../http/headers.js";
import { regexProblem } from "../../pattern/regex.js";
import { type Place, within } from "../../place.js";
import type { PathRank } from "../../precedence.js";
import { HTTP_METHODS, type RuleMatch } from "../model.js";
import type { RouteProblems } from "../route-problems.js";

/** The condition of a match on the path, with its rank. */
export interface PathCondition extends Pick<RuleMatch, "path" | "prefix"> {
  readonly rank: PathRank;
}

const PATH_TYPES = ["Exact", "PathPrefix", "RegularExpression"] as const;
const VALUE_TYPES = ["Exact", "RegularExpression"] as const;

/** The matches of a rule of an HTTPRoute; a rule without matches gets one for every request. `place` is that of `matches`. */
export function httpMatches(
  matches: readonly HttpRouteMatch[] | undefined,
  place: Place,
  problems: RouteProblems,
): readonly RuleMatch[] {
  const given = matches === undefined || matches.length === 0 ? [{}] : matches;
  return given.map((match, index) => httpMatch(match, index, within(place, index), problems));
}

function httpMatch(
  match: HttpRouteMatch,
  index: number,
  place: Place,
  problems: RouteProblems,
): RuleMatch {
  const { path, rank, prefix } = pathCondition(match.path ?? {}, within(place, "path"), problems);
  const method = methodCondition(match.method, place, problems);
  const headers = headerConditions(match.headers ?? [], within(place, "headers"), problems);
  const queries = queryConditions(match.queryParams ?? [], within(place, "queryParams"), problems);
  return {
    index,
    path,
    when: [...method, ...headers, ...queries],
    rank: {
      path: rank,
      method: method.length > 0,
      headers: headers.length,
      queries: queries.length,
    },
    ...(prefix !== undefined && { prefix }),
  };
}

function methodCondition(
  method: string | undefined,
  place: Place,
  problems: RouteProblems,
): readonly Predicate[] {
  if (method === undefined) return [];
  const at = within(place, "method");
  const value = problems.choice(method, HTTP_METHODS, at);
  if (value === "CONNECT" || value === "TRACE") {
    problems.unsupported(`${value} requests are answered 405 before they reach a rule`, at);
  }
  return value === undefined ? [] : [{ of: "method", any: [["eq", value]] }];
}

/** Conditions on headers, whose names are case-insensitive; of entries with one name the first counts. */
export function headerConditions(
  matches: readonly ValueMatch[],
  place: Place,
  problems: RouteProblems,
): readonly Predicate[] {
  const lower = matches.map((match) => ({ ...match, name: match.name.toLowerCase() }));
  return conditions("header", lower, place, problems);
}

/** Conditions on query parameters, whose names are case-sensitive. */
function queryConditions(
  matches: readonly ValueMatch[],
  place: Place,
  problems: RouteProblems,
): readonly Predicate[] {
  return conditions("query", matches, place, problems);
}

/** Unsupported conditions are dropped, which widens the match; the rule is refused. */
function conditions(
  of: "header" | "query",
  matches: readonly ValueMatch[],
  place: Place,
  problems: RouteProblems,
): readonly Predicate[] {
  const predicates = new Map<string, Predicate>();
  for (const [index, match] of matches.entries()) {
    if (predicates.has(match.name)) continue;
    const dropped = of === "header" ? droppedHeaderProblem(match.name) : undefined;
    if (dropped !== undefined) {
      problems.unsupported(dropped, within(place, index, "name"));
      continue;
    }
    const test = valueTest(match, within(place, index), problems);
    if (test !== undefined) predicates.set(match.name, { of, key: match.name, any: [test] });
  }
  return [...predicates.values()];
}

function valueTest(
  { type = "Exact", value }: ValueMatch,
  place: Place,
  problems: RouteProblems,
): ValueTest | undefined {
  const chosen = problems.choice(type, VALUE_TYPES, within(place, "type"));
  if (chosen === undefined) return undefined;
  if (chosen === "Exact") return ["eq", value];
  const problem = regexProblem(value);
  if (problem === undefined) return ["regex", value];
  problems.unsupported(problem, within(place, "value"));
  return undefined;
}

/** Without a path, the match is for every path. */
function pathCondition(
  { type = "PathPrefix", value = "/" }: NonNullable<HttpRouteMatch["path"]>,
  place: Place,
  problems: RouteProblems,
): PathCondition {
  switch (problems.choice(type, PATH_TYPES, within(place, "type"))) {
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

/** A trailing slash is ignored. */
function prefix(value: string, place: Place, problems: RouteProblems): PathCondition {
  const path = decoded(value.replace(/\/+$/, ""), place, problems);
  return {
    path: ["prefix", path],
    rank: { kind: "prefix", length: path.length },
    prefix: path,
  };
}

/** Unanchored, unless the pattern has anchors (GEP-4359). */
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
 * Replaces an unsupported condition: matches every path that the condition could match. The rule refuses these requests, so no wider
 * rule serves them, and narrower rules keep theirs.
 */
function couldMatch(pattern: string): PathCondition {
  const value = pathStart(pattern);
  return {
    path: value === "/" ? undefined : ["start", value],
    rank: { kind: "prefix", length: value.length - 1 },
  };
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
