import type { HttpRouteMatch } from "../../../api/gateway.js";
import type { Predicate } from "../../../model/match.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import type { Findings } from "./findings.js";
import { pathCondition } from "./path-condition.js";
import type { RuleMatch } from "./rule-match.js";
import { headerConditions, queryConditions } from "./value-conditions.js";

export const METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "CONNECT",
  "OPTIONS",
  "TRACE",
  "PATCH",
] as const;

/** The matches of an HTTPRoute's rule; without any it is for every request. `place` is that of `matches`. */
export function httpMatches(
  matches: readonly HttpRouteMatch[] | undefined,
  place: Place,
  findings: Findings,
): readonly RuleMatch[] {
  const given = matches === undefined || matches.length === 0 ? [{}] : matches;
  return given.map((match, index) => httpMatch(match, index, within(place, index), findings));
}

function httpMatch(
  match: HttpRouteMatch,
  index: number,
  place: Place,
  findings: Findings,
): RuleMatch {
  const { path, rank, prefix } = pathCondition(match.path ?? {}, within(place, "path"), findings);
  const method = methodCondition(match.method, place, findings);
  const headers = headerConditions(match.headers ?? [], within(place, "headers"), findings);
  const queries = queryConditions(match.queryParams ?? [], within(place, "queryParams"), findings);
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
  findings: Findings,
): readonly Predicate[] {
  if (method === undefined) return [];
  const at = within(place, "method");
  const value = findings.choice(method, METHODS, at);
  if (value === "CONNECT" || value === "TRACE") {
    findings.unsupported(`${value} requests are answered 405 before they reach a rule`, at);
  }
  return value === undefined ? [] : [{ of: "method", any: [["eq", value]] }];
}
