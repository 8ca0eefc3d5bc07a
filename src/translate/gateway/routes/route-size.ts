/**
 * A route is bound once for each listener, hostname and match. One that is too large refuses its requests by as few matches as fit,
 * each at the rank of the narrowest match that it replaces, so that no wider rule serves requests that the route restricts.
 */
import type { GrpcRoute, HttpRoute, ValueMatch } from "../../../api/gateway.js";
import { addTo, compareStrings } from "../../../support/collections.js";
import { pathStart } from "../../../support/literal-start.js";
import { routeOrderKey } from "../../precedence.js";
import { MOST_BINDINGS, MOST_BINDING_TEXT } from "../../size-limits.js";
import { isGrpcRoute } from "../destination.js";
import type { AnyRoute, ListenerState, RuleMatch, RulePlan } from "../model.js";
import type { OwnParent } from "./attachment.js";
import { IS_GRPC } from "./grpc-matches.js";

/** What is bound for each pair of listener and hostname. */
interface MatchesSize {
  readonly matches: number;
  /** Characters of all paths and conditions. */
  readonly text: number;
}

/** Number of pairs of a serving listener and a host that it has in common with the route. */
export function boundHosts(own: readonly OwnParent[]): number {
  const hosts = new Map<ListenerState, number>();
  for (const { attached } of own) {
    for (const attachment of attached.ok ? attached.attachments : []) {
      const { listener } = attachment;
      if (listener.serves !== undefined) hosts.set(listener, attachment.hosts.length);
    }
  }
  return [...hosts.values()].reduce((sum, count) => sum + count, 0);
}

/** Why the matches can't be bound to this many pairs; undefined: they can. */
export function routeSizeProblem(
  { matches, text }: MatchesSize,
  pairs: number,
): string | undefined {
  const advice =
    "; write fewer hostnames or matches, or name single listeners (parentRefs[].sectionName)";
  const of = `${String(matches)} matches on ${String(pairs)} pairs of listener and hostname`;
  if (matches * pairs > MOST_BINDINGS) {
    const made = String(matches * pairs);
    return `${of} make ${made} bindings; a route may have ${String(MOST_BINDINGS)}${advice}`;
  }
  if (text * pairs <= MOST_BINDING_TEXT) return undefined;
  const made = String(text * pairs);
  return `${of} make ${made} characters of paths and conditions; a route may have ${String(MOST_BINDING_TEXT)}${advice}`;
}

/** Computed from the manifest, before any match is built. */
export function matchesSize(route: HttpRoute | GrpcRoute): MatchesSize {
  return isGrpcRoute(route) ? grpcSize(route) : httpSize(route);
}

function httpSize({ spec: { rules = [{}] } }: HttpRoute): MatchesSize {
  const texts = rules.flatMap(({ matches }) =>
    orOne(matches).map(
      ({ path, method, headers, queryParams }) =>
        length(path?.value) + length(method) + valuesText(headers) + valuesText(queryParams),
    ),
  );
  return { matches: texts.length, text: sum(texts) };
}

function grpcSize({ spec: { rules = [] } }: GrpcRoute): MatchesSize {
  const texts = rules.flatMap(({ matches }) =>
    orOne(matches).map(
      ({ method, headers }) =>
        length(method?.service) + length(method?.method) + valuesText(headers),
    ),
  );
  return { matches: texts.length, text: sum(texts) };
}

/** A rule without matches has one, for every request. */
function orOne<T extends object>(matches: readonly T[] | undefined): readonly Partial<T>[] {
  return matches === undefined || matches.length === 0 ? [{}] : matches;
}

function valuesText(values: readonly ValueMatch[] = []): number {
  return sum(values.map(({ name, value }) => name.length + value.length));
}

function length(text = ""): number {
  return text.length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Numbers of path elements to keep, tried in this order; if none fits, all paths of the hosts are refused. */
const DEPTHS = [Number.POSITIVE_INFINITY, 8, 4, 3, 2, 1];

/** `pairs`: number of pairs of listener and host. */
export function closedMatches(
  plans: readonly RulePlan[],
  route: AnyRoute,
  pairs: number,
): readonly RulePlan[] {
  for (const depth of DEPTHS) {
    const closed = widened(plans, route, depth);
    const matches = [...closed.values()].flat();
    const text = matches.reduce((sum, { path }) => sum + (path?.[1] ?? "").length, 0);
    if (routeSizeProblem({ matches: matches.length, text }, pairs) === undefined) {
      return withMatches(plans, closed);
    }
  }
  return withMatches(plans, widened(plans, route, 0));
}

/** The narrowest match of each shortened path, by its rule. */
function widened(
  plans: readonly RulePlan[],
  route: AnyRoute,
  depth: number,
): ReadonlyMap<RulePlan, readonly RuleMatch[]> {
  const narrowest = new Map<string, ReturnType<typeof candidateOf>>();
  for (const plan of plans) {
    for (const match of plan.branches.flatMap(({ matches }) => matches)) {
      const candidate = candidateOf(plan, match, route, depth);
      const key = JSON.stringify(candidate.match.path);
      const known = narrowest.get(key);
      if (known === undefined || compareStrings(candidate.order, known.order) < 0) {
        narrowest.set(key, candidate);
      }
    }
  }
  const closed = new Map<RulePlan, RuleMatch[]>();
  for (const { plan, match } of narrowest.values()) addTo(closed, plan, match);
  return closed;
}

/** The match without its conditions, except that a GRPCRoute refuses only gRPC requests. */
function candidateOf(
  plan: RulePlan,
  match: RuleMatch,
  route: AnyRoute,
  depth: number,
): { readonly plan: RulePlan; readonly match: RuleMatch; readonly order: string } {
  const when = match.when.filter((predicate) => predicate === IS_GRPC);
  const position = [plan.index, match.index];
  return {
    plan,
    match: { ...match, path: widePath(match.path, depth), when },
    order: routeOrderKey({ match: match.rank, route, position }),
  };
}

/** The path shortened to `depth` elements: it matches the same requests, and more. */
function widePath(path: RuleMatch["path"], depth: number): RuleMatch["path"] {
  if (depth === Number.POSITIVE_INFINITY || path === undefined) return path;
  const [kind, text, flags] = path;
  if (kind === "regex") {
    const value = pathStart(text);
    const isAny = value === "/" || flags === "i";
    return isAny ? undefined : widePath(["start", value], depth);
  }
  const elements = text.split("/").slice(1);
  if (elements.length <= depth) return path;
  const value = elements
    .slice(0, depth)
    .map((element) => `/${element}`)
    .join("")
    .replace(/\/+$/, "");
  return value === "" ? undefined : ["prefix", value];
}

/** All branches of a rule refuse, so the first one gets all matches. */
function withMatches(
  plans: readonly RulePlan[],
  closed: ReadonlyMap<RulePlan, readonly RuleMatch[]>,
): readonly RulePlan[] {
  return plans.map((plan) => {
    const matches = closed.get(plan) ?? [];
    return {
      ...plan,
      branches: plan.branches.slice(0, 1).map((branch) => ({ ...branch, matches })),
    };
  });
}
