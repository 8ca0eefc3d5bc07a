import type { HttpRouteRule, RouteBackendRef } from "../../../api/gateway.js";
import type { BackendFilters } from "../../../model/filters.js";
import type { Backend } from "../../../model/route.js";
import type { Refusal } from "../../../model/upstream.js";
import { groupBy } from "../../../support/collections.js";
import { SHARED_SHAPE, filled } from "../../../support/json-object.js";
import { type Place, placeOf, within } from "../../place.js";
import { invalidBackend, invalidRule } from "../../reasons.js";
import { destinationOf, isGrpcRoute } from "../destination.js";
import { filterEffects } from "../filters/index.js";
import { replacesPrefix } from "../filters/url-changes.js";
import type { RuleContext, RuleMatch, RulePlan } from "../model.js";
import { RouteProblems } from "../route-problems.js";
import { grpcMatches } from "./grpc-matches.js";
import { httpMatches } from "./http-matches.js";
import { ruleRetry, ruleSession, ruleTimeouts } from "./rule-traffic.js";

type AnyRule = Omit<HttpRouteRule, "matches">;

export function planRules(context: Omit<RuleContext, "problems">): readonly RulePlan[] {
  const { route } = context;
  if (isGrpcRoute(route)) {
    return (route.spec.rules ?? []).map(({ matches, ...rule }, index) =>
      planRule(rule, index, context, (...at) => grpcMatches(matches, ...at)),
    );
  }
  const { rules = [{}] } = route.spec;
  return rules.map(({ matches, ...rule }, index) =>
    planRule(rule, index, context, (...at) => httpMatches(matches, ...at)),
  );
}

function planRule(
  rule: AnyRule,
  index: number,
  context: Omit<RuleContext, "problems">,
  matchesAt: (place: Place, problems: RouteProblems) => readonly RuleMatch[],
): RulePlan {
  const { route, diagnostics } = context;
  const { namespace, name } = route.metadata;
  const id = `${route.kind.toLowerCase()}/${namespace}/${name}/${String(index)}`;
  const place = placeOf(route, "spec", "rules", index);
  const problems = new RouteProblems(diagnostics);
  const matches = matchesAt(within(place, "matches"), problems);
  reportPreflights(rule, matches, place, diagnostics);
  const groups = matchGroups(rule, matches);
  const branches = groups.map(({ matches, prefix }, group) => ({
    id: group === 0 ? id : `${id}-${String(matches[0]?.index ?? group)}`,
    matches,
    content: ruleContent(rule, id, place, { ...SHARED_SHAPE, ...context, problems, prefix }),
  }));
  // A filter that names nothing refuses the requests of its rule; a backend only its share, and a mirror none.
  const filters = problems.unresolved.filter(({ field }) => !/backendRefs|Mirror/.test(field));
  const closers = filters.map(({ field }) => field);
  const plan = { name: rule.name, index, place, branches, problems, closers };
  return refusedPlan(plan, problems);
}

/** Headers that browsers themselves send with a preflight; a script's are only asked for. */
const OF_BROWSERS =
  /^(?:origin|access-control-request-.*|host|user-agent|accept.*|referer|sec-.*)$/;

/** Reports CORS that answers no preflight: those have the method OPTIONS and no header of a script. */
function reportPreflights(
  { filters = [] }: AnyRule,
  matches: readonly RuleMatch[],
  place: Place,
  diagnostics: RuleContext["diagnostics"],
): void {
  const index = filters.findIndex(({ type }) => type === "CORS");
  if (index === -1 || matches.length === 0 || !matches.every(excludesPreflights)) return;
  const message =
    "no preflight reaches this filter: every match of the rule names a method other than OPTIONS, or a header";
  diagnostics.report({ code: "ROUTE_CORS_PREFLIGHT", message, ...within(place, "filters", index) });
}

function excludesPreflights({ when }: RuleMatch): boolean {
  return when.some(({ of, key = "", any }) =>
    of === "method"
      ? !any.some(([, method]) => method === "OPTIONS")
      : of === "header" && !OF_BROWSERS.test(key.toLowerCase()),
  );
}

/** If the rule or its route can't be served as written, the rule refuses its requests, so that no wider rule serves them. */
export function refusedPlan(plan: RulePlan, { refused }: RouteProblems): RulePlan {
  const [first] = refused;
  if (first === undefined) return plan;
  const content = { refuse: invalidRule(first.field) };
  const closers = [...plan.closers, ...refused.map(({ field }) => field)];
  return { ...plan, closers, branches: plan.branches.map((branch) => ({ ...branch, content })) };
}

/** One group with all matches, or a group for each prefix if filters replace the prefix. */
function matchGroups(
  { filters = [], backendRefs = [] }: AnyRule,
  matches: readonly RuleMatch[],
): readonly { readonly matches: readonly RuleMatch[]; readonly prefix?: string | undefined }[] {
  const all = [...filters, ...backendRefs.flatMap((backend) => backend.filters ?? [])];
  const isPrefix = matches.every(({ prefix }) => prefix !== undefined);
  if (!isPrefix || !all.some(replacesPrefix)) return [{ matches }];
  return [...groupBy(matches, ({ prefix }) => prefix)].map(([prefix, group]) => ({
    matches: group,
    prefix,
  }));
}

function ruleContent(
  rule: AnyRule,
  id: string,
  place: Place,
  context: RuleContext,
): RulePlan["branches"][number]["content"] {
  const { problems, body } = context;
  const { filters = [], backendRefs = [], retry: retrySpec, sessionPersistence } = rule;
  const effects = filterEffects(filters, within(place, "filters"), context);
  const timeouts = ruleTimeouts(rule.timeouts ?? {});
  const retry = retrySpec && ruleRetry(retrySpec, within(place, "retry"), problems);
  const session =
    sessionPersistence &&
    ruleSession(sessionPersistence, id, within(place, "sessionPersistence"), problems);
  const backends =
    effects.redirect === undefined
      ? ruleBackends(backendRefs, within(place, "backendRefs"), context)
      : [];
  reportEscapes(rule, backends, place, context.diagnostics);
  return {
    ...SHARED_SHAPE,
    ...effects,
    ...timeouts,
    ...(retry && { retry }),
    ...(session && { session }),
    ...body,
    ...filled("backends", backends),
  };
}

/** Reports rewrites that keep a part of the client's path, where nginx can send it only decoded. */
function reportEscapes(
  { filters = [], backendRefs = [] }: AnyRule,
  backends: readonly Backend[],
  place: Place,
  diagnostics: RuleContext["diagnostics"],
): void {
  const report = (all: typeof filters, at: Place): void => {
    const index = all.findIndex(replacesPrefix);
    if (index === -1) return;
    const message =
      "requests get 400 if an escape such as %2F or %41 stands in the rewritten path to an HTTP/2 backend";
    diagnostics.report({ code: "ROUTE_REWRITE_ESCAPES", message, ...within(at, index) });
  };
  const isHttp2 = ({ protocol, refuse }: Backend): boolean =>
    refuse === undefined && !protocol.startsWith("http");
  if (backends.some(isHttp2)) report(filters, within(place, "filters"));
  for (const [index, backend] of backends.entries()) {
    const own = backendRefs[index]?.filters ?? [];
    if (isHttp2(backend)) report(own, within(place, "backendRefs", index, "filters"));
  }
}

const DEFAULT_WEIGHT = 1;

/** If no backend gets requests, all requests are answered 500 (Gateway API, HTTPRouteRule.backendRefs). */
function ruleBackends(
  references: readonly RouteBackendRef[],
  place: Place,
  context: RuleContext,
): readonly Backend[] {
  const backends = references.map((reference, index) =>
    backendOf(reference, within(place, index), context),
  );
  if (backends.some(({ weight }) => weight > 0)) return backends;
  // The problem of a refused rule is already reported.
  if (context.problems.refused.length > 0) return [];
  const message =
    backends.length === 0 ? "the rule has no backendRefs" : "every backendRef has the weight 0";
  context.diagnostics.report({ code: "ROUTE_WITHOUT_BACKEND", message, ...place });
  return [refusingBackend(invalidBackend("backendRefs"), DEFAULT_WEIGHT, context)];
}

function backendOf(reference: RouteBackendRef, place: Place, context: RuleContext): Backend {
  const { weight = DEFAULT_WEIGHT, filters = [] } = reference;
  const destination = destinationOf(reference, place, context);
  const { refuse, ...effects } = filterEffects(filters, within(place, "filters"), context);
  if (!destination.ok) return refusingBackend(destination.refuse, weight, context);
  if (refuse !== undefined) return refusingBackend(refuse, weight, context);
  const { upstream, protocol, tls } = destination;
  return {
    upstream,
    weight,
    protocol,
    ...backendFilters(effects),
    ...(tls !== undefined && { tls }),
  };
}

function refusingBackend(refuse: Refusal, weight: number, { route }: RuleContext): Backend {
  return { weight, protocol: isGrpcRoute(route) ? "grpc" : "http", refuse };
}

/** Without auth filters that check nothing. */
function backendFilters({ auth, ...others }: BackendFilters): Pick<Backend, "filters"> {
  const filters = { ...SHARED_SHAPE, ...others, ...filled("auth", auth) };
  return Object.keys(filters).length === 0 ? {} : { filters };
}
