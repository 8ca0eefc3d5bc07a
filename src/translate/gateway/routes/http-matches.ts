import { HTTP_METHODS } from "../model.js";
import type { HttpRouteMatch, ValueMatch } from "../../../api/gateway.js";
import type { Predicate, ValueTest } from "../../../model/route.js";
import { droppedHeaderProblem } from "../../http/special-headers.js";
import { regexProblem } from "../../pattern/regex.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import type { RouteProblems } from "../route-problems.js";
import { pathCondition } from "./path-condition.js";
import type { RuleMatch } from "../rule-scope.js";

/** The matches of an HTTPRoute's rule; without any it is for every request. `place` is that of `matches`. */
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

const TYPES = ["Exact", "RegularExpression"] as const;

/** Conditions on headers, whose names have no case; of entries with one name the first counts. */
export function headerConditions(
  matches: readonly ValueMatch[],
  place: Place,
  problems: RouteProblems,
): readonly Predicate[] {
  const lower = matches.map((match) => ({ ...match, name: match.name.toLowerCase() }));
  return conditions("header", lower, place, problems);
}

/** Conditions on query parameters, whose names have case. */
function queryConditions(
  matches: readonly ValueMatch[],
  place: Place,
  problems: RouteProblems,
): readonly Predicate[] {
  return conditions("query", matches, place, problems);
}

/** What can't be done is left out, which makes the match wider; the rule is refused. */
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
  const chosen = problems.choice(type, TYPES, within(place, "type"));
  if (chosen === undefined) return undefined;
  if (chosen === "Exact") return ["eq", value];
  const problem = regexProblem(value);
  if (problem === undefined) return ["regex", value];
  problems.unsupported(problem, within(place, "value"));
  return undefined;
}
