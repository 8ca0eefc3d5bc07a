import type { GrpcRouteRule } from "../../../api/gateway.js";
import type { Predicate } from "../../../model/route.js";
import { isSet } from "../../../support/text.js";
import { type Place, within } from "../../place.js";
import { regexProblem } from "../../pattern/regex.js";
import type { RuleMatch } from "../model.js";
import type { RouteProblems } from "../route-problems.js";
import { type PathCondition, headerConditions } from "./http-matches.js";

type GrpcMatch = NonNullable<GrpcRouteRule["matches"]>[number];
type MethodMatch = NonNullable<GrpcMatch["method"]>;

const TYPES = ["Exact", "RegularExpression"] as const;
const ANY_SEGMENT = "[^/]+";

/** A GRPCRoute gets only gRPC requests, because an HTTPRoute may have the same hosts. */
export const IS_GRPC: Predicate = {
  of: "header",
  key: "content-type",
  any: [["start", "application/grpc"]],
};

const EVERY_METHOD: PathCondition = {
  path: ["prefix", ""],
  rank: { kind: "prefix", length: 0 },
};

/** The matches of a rule of a GRPCRoute; a rule without matches gets one for every method. `place` is that of `matches`. */
export function grpcMatches(
  matches: readonly GrpcMatch[] | undefined,
  place: Place,
  problems: RouteProblems,
): readonly RuleMatch[] {
  const given = matches === undefined || matches.length === 0 ? [{}] : matches;
  return given.map((match, index) => grpcMatch(match, index, within(place, index), problems));
}

function grpcMatch(
  match: GrpcMatch,
  index: number,
  place: Place,
  problems: RouteProblems,
): RuleMatch {
  const { path, rank } = methodCondition(match.method ?? {}, within(place, "method"), problems);
  const headers = headerConditions(match.headers ?? [], within(place, "headers"), problems);
  const method = isSet(match.method?.method);
  return {
    index,
    path,
    when: [IS_GRPC, ...headers],
    rank: { path: rank, method, headers: headers.length, queries: 0 },
  };
}

/**
 * The path is `/<service>/<method>`. A match on only a method ranks below matches on a service (Gateway API, GRPCRouteRule.matches).
 */
function methodCondition(match: MethodMatch, place: Place, problems: RouteProblems): PathCondition {
  switch (problems.choice(match.type ?? "Exact", TYPES, within(place, "type"))) {
    case "Exact":
      return exact(match);
    case "RegularExpression":
      return expression(match, place, problems);
    case undefined:
      return EVERY_METHOD;
  }
}

function exact({ service, method }: MethodMatch): PathCondition {
  if (isSet(service) && isSet(method)) {
    const value = `/${service}/${method}`;
    return { path: ["exact", value], rank: { kind: "exact", length: value.length } };
  }
  if (isSet(service)) {
    const value = `/${service}`;
    return { path: ["prefix", value], rank: { kind: "prefix", length: value.length } };
  }
  if (!isSet(method)) return EVERY_METHOD;
  const pattern = `^/${ANY_SEGMENT}/${method.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`;
  return { path: ["regex", pattern, ""], rank: EVERY_METHOD.rank };
}

function expression(
  { service, method }: MethodMatch,
  place: Place,
  problems: RouteProblems,
): PathCondition {
  const named = { service, method };
  for (const field of ["service", "method"] as const) {
    const problem = isSet(named[field]) ? regexProblem(named[field]) : undefined;
    if (problem === undefined) continue;
    problems.unsupported(problem, within(place, field));
    return EVERY_METHOD;
  }
  const pattern = `^/${segment(service)}/${segment(method)}$`;
  // Both become one expression: they may share names of groups, or be too large together.
  const problem = regexProblem(pattern);
  if (problem !== undefined) {
    problems.unsupported(problem, place);
    return EVERY_METHOD;
  }
  return {
    path: ["regex", pattern, ""],
    rank: isSet(service) ? { kind: "regex", length: pattern.length } : EVERY_METHOD.rank,
  };
}

/** Unanchored unless the expression begins with `^` or ends with `$`. */
function segment(expression: string | undefined): string {
  if (!isSet(expression)) return ANY_SEGMENT;
  const [, start = "", body = "", end = ""] = /^(\^?)(.*?)((?<!\\)\$)?$/s.exec(expression) ?? [];
  const slack = "[^/]*";
  return `${start === "" ? slack : ""}(?:${body})${end === "" ? slack : ""}`;
}
