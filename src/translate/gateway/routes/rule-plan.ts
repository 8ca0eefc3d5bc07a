import type {
  GrpcRouteRule,
  HttpRouteRetry,
  HttpRouteRule,
  RouteBackendRef,
} from "../../../api/gateway.js";
import type { BackendFilters } from "../../../model/filters.js";
import type { Backend, Retry, Route, Session } from "../../../model/route.js";
import { DEFAULT_TIMEOUTS } from "../../../model/route.js";
import type { Refusal } from "../../../model/upstream.js";
import { filled } from "../../../support/json-object.js";
import { durationMilliseconds } from "../../../support/units.js";
import type { Place } from "../../place.js";
import { placeOf, within } from "../../place.js";
import { invalidBackend, invalidRule } from "../../reasons.js";
import { destinationOf } from "../destination.js";
import { filterEffects } from "../filters/index.js";
import { RouteProblems } from "../route-problems.js";
import { grpcMatches } from "./grpc-matches.js";
import { httpMatches } from "./http-matches.js";
import { replacesPrefix } from "../filters/url-rewrite.js";
import { ruleSession } from "./rule-session.js";
import type { FilterScope, RuleMatch, RuleScope } from "../rule-scope.js";
import { isGrpcRoute } from "../rule-scope.js";

/** What a rule does, but for what it inherits. */
type RuleContent = Omit<Route, "id" | "source" | "auth"> & {
  /** Of its own filters; absent: it has no auth filter. */
  readonly auth?: readonly string[];
};

/** Matches of a rule that do the same. */
export interface RuleBranch {
  /** Of the route; unique in all routes. */
  readonly id: string;
  readonly matches: readonly RuleMatch[];
  readonly content: RuleContent;
}

/** A rule as one Gateway serves it. */
export interface RulePlan {
  readonly index: number;
  readonly name?: string;
  readonly place: Place;
  readonly branches: readonly RuleBranch[];
  readonly problems: RouteProblems;
}

type AnyRule = HttpRouteRule & Omit<GrpcRouteRule, "matches">;

/** The plans of the route's rules. */
export function planRules(scope: Omit<RuleScope, "problems">): readonly RulePlan[] {
  const { route, context } = scope;
  if (!isGrpcRoute(route)) {
    const { rules = [{}] } = route.spec;
    return rules.map((rule, index) => {
      const problems = new RouteProblems(context.diagnostics);
      const place = placeOf(route, "spec", "rules", index);
      const matches = httpMatches(rule.matches, within(place, "matches"), problems);
      return planRule({ rule, index, place, matches }, { ...scope, problems });
    });
  }
  return (route.spec.rules ?? []).map(({ matches: given, ...rule }, index) => {
    const problems = new RouteProblems(context.diagnostics);
    const place = placeOf(route, "spec", "rules", index);
    const matches = grpcMatches(given, within(place, "matches"), problems);
    return planRule({ rule, index, place, matches }, { ...scope, problems });
  });
}

interface RuleParts {
  readonly rule: Omit<AnyRule, "matches">;
  readonly index: number;
  readonly place: Place;
  readonly matches: readonly RuleMatch[];
}

function planRule(parts: RuleParts, scope: RuleScope): RulePlan {
  const { rule, index, place } = parts;
  const { kind, metadata } = scope.route;
  const id = `${kind.toLowerCase()}/${metadata.namespace}/${metadata.name}/${String(index)}`;
  const groups = matchGroups(parts);
  const branches = groups.map(({ matches, prefix }, group) => ({
    id: group === 0 ? id : `${id}-${String(matches[0]?.index ?? group)}`,
    matches,
    content: ruleContent(parts, id, { ...scope, prefix }),
  }));
  const [refused] = scope.problems.refused;
  return {
    index,
    ...(rule.name !== undefined && { name: rule.name }),
    place,
    branches:
      refused === undefined
        ? branches
        : branches.map((branch) => ({ ...branch, content: refusedContent(refused.field) })),
    problems: scope.problems,
  };
}

/** All matches together, or those of each prefix where the prefix is replaced. */
function matchGroups({ rule, matches }: RuleParts): readonly {
  readonly matches: readonly RuleMatch[];
  readonly prefix: string | undefined;
}[] {
  const filters = [
    ...(rule.filters ?? []),
    ...(rule.backendRefs ?? []).flatMap((backend) => backend.filters ?? []),
  ];
  const isPrefix = matches.every(({ prefix }) => prefix !== undefined);
  if (!isPrefix || !filters.some(replacesPrefix)) return [{ matches, prefix: undefined }];
  const prefixes = [...new Set(matches.map(({ prefix }) => prefix))];
  return prefixes.map((prefix) => ({
    matches: matches.filter((match) => match.prefix === prefix),
    prefix,
  }));
}

/** A rule that can't be done as written answers its requests itself, so that no wider rule serves them. */
export function refusedContent(field: string): RuleContent {
  return { refuse: invalidRule(field) };
}

function ruleContent({ rule, place }: RuleParts, id: string, scope: FilterScope): RuleContent {
  const { problems } = scope;
  const effects = filterEffects(rule.filters ?? [], within(place, "filters"), scope);
  const timeouts = ruleTimeouts(rule.timeouts ?? {});
  const retry = rule.retry && ruleRetry(rule.retry, within(place, "retry"), problems);
  const session = sessionOf(rule, id, place, problems);
  const { bodyLimit } = scope;
  const references = rule.backendRefs ?? [];
  const at = within(place, "backendRefs");
  return {
    ...effects,
    ...timeouts,
    ...(retry && { retry }),
    ...(session && { session }),
    ...(bodyLimit !== scope.context.options.dataPlane.bodyLimit && { bodyLimit }),
    ...(effects.redirect === undefined && filled("backends", ruleBackends(references, at, scope))),
  };
}

function sessionOf(
  { sessionPersistence: spec }: Pick<AnyRule, "sessionPersistence">,
  id: string,
  place: Place,
  problems: RouteProblems,
): Session | undefined {
  return spec && ruleSession(spec, id, within(place, "sessionPersistence"), problems);
}

const CODES = [500, 502, 503, 504] as const;
const DEFAULT_ATTEMPTS = 1;

/** Tries follow each other at once, so a backoff can't be kept; codes are those that nginx can try again. */
function ruleRetry(spec: HttpRouteRetry, place: Place, problems: RouteProblems): Retry {
  if (spec.backoff !== undefined) {
    problems.unsupported("there can be no pause between tries", within(place, "backoff"));
  }
  const codes = new Set<(typeof CODES)[number]>();
  for (const [index, code] of (spec.codes ?? []).entries()) {
    const known = CODES.find((candidate) => candidate === code);
    if (known !== undefined) codes.add(known);
    else {
      const message = `${String(code)} is none of ${CODES.join(", ")}`;
      problems.unsupported(message, within(place, "codes", index));
    }
  }
  return {
    ...filled(
      "codes",
      [...codes].sort((a, b) => a - b),
    ),
    attempts: spec.attempts ?? DEFAULT_ATTEMPTS,
  };
}

/** Milliseconds that a connection may be silent where a timeout is switched off: a day, which no request outlives. */
const OFF = 86_400_000;

/** `0s` switches a timeout off. A deadline that is longer than the gateway's own limit for silence replaces that, too. */
function ruleTimeouts(
  spec: NonNullable<HttpRouteRule["timeouts"]>,
): Pick<Route, "timeouts" | "deadlines"> {
  const request = milliseconds(spec.request);
  const backendRequest = milliseconds(spec.backendRequest);
  const limit = backendRequest ?? request;
  if (limit === undefined) return {};
  const silence = limit === 0 ? OFF : limit;
  const { connect, send, read } = DEFAULT_TIMEOUTS;
  const deadlines = {
    ...(isSet(request) && { request }),
    ...(isSet(backendRequest) && { backendRequest }),
  };
  return {
    // A deadline for the answer does not limit the silence within: the longer of the two holds.
    timeouts: { connect, send: Math.max(send, silence), read: Math.max(read, silence) },
    ...(Object.keys(deadlines).length > 0 && { deadlines }),
  };
}

function milliseconds(text: string | undefined): number | undefined {
  return text === undefined ? undefined : durationMilliseconds(text);
}

function isSet(value: number | undefined): value is number {
  return value !== undefined && value > 0;
}

const DEFAULT_WEIGHT = 1;

/** The backends of a rule. Where none gets any request, all are answered 500 (Gateway API, HTTPRouteRule.backendRefs). */
function ruleBackends(
  references: readonly RouteBackendRef[],
  place: Place,
  scope: FilterScope,
): readonly Backend[] {
  const backends = references.map((reference, index) =>
    backendOf(reference, within(place, index), scope),
  );
  if (backends.some(({ weight }) => weight > 0)) return backends;
  // A rule that is refused anyway has been told what to correct.
  if (scope.problems.refused.length > 0) return [];
  const message =
    backends.length === 0 ? "the rule has no backendRefs" : "every backendRef has the weight 0";
  scope.context.diagnostics.report({ code: "ROUTE_WITHOUT_BACKEND", message, ...place });
  return [refusing(invalidBackend("backendRefs"), DEFAULT_WEIGHT, scope)];
}

function backendOf(reference: RouteBackendRef, place: Place, scope: FilterScope): Backend {
  const { weight = DEFAULT_WEIGHT, filters = [] } = reference;
  const destination = destinationOf(reference, place, scope);
  const { refuse, ...effects } = filterEffects(filters, within(place, "filters"), scope);
  if (!destination.ok) return refusing(destination.refuse, weight, scope);
  if (refuse !== undefined) return refusing(refuse, weight, scope);
  const { upstream, protocol, tls } = destination;
  return {
    upstream,
    weight,
    protocol,
    ...backendFilters(effects),
    ...(tls !== undefined && { tls }),
  };
}

function refusing(refuse: Refusal, weight: number, { route }: FilterScope): Backend {
  return { weight, protocol: isGrpcRoute(route) ? "grpc" : "http", refuse };
}

/** Auth filters that check nothing do nothing. */
function backendFilters({ auth, ...others }: BackendFilters): Pick<Backend, "filters"> {
  const filters = { ...others, ...filled("auth", auth) };
  return Object.keys(filters).length === 0 ? {} : { filters };
}
