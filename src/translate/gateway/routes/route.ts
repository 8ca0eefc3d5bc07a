/** The translation of one HTTPRoute or GRPCRoute. */
import type { Gateway } from "../../../api/gateway.js";
import type { Route } from "../../../model/route.js";
import type { ObjectStatus } from "../../../status/object-status.js";
import { addTo, compareStrings, getOrInsert, groupBy } from "../../../support/collections.js";
import { SHARED_SHAPE, filled } from "../../../support/json-object.js";
import type { ConfigBuilder } from "../../config-builder.js";
import { placeOf, sourceRef } from "../../place.js";
import { routeOrderKey } from "../../precedence.js";
import { annotatedRoute } from "../../route-annotations.js";
import type { AnyRoute, ListenerState, RouteContext, RulePlan } from "../model.js";
import { RouteProblems } from "../route-problems.js";
import { type Attachment, type OwnParent, isUnattached, ownParents } from "./attachment.js";
import { parentConditions, routeStatus } from "./conditions.js";
import type { Parent, Parents } from "./parents.js";
import { boundHosts, closedMatches, matchesSize, routeSizeProblem } from "./route-size.js";
import { planRules, refusedPlan } from "./rules.js";

/** A parent by its title, and the listeners that the route's parentRefs name; undefined: any. */
export interface AttachedParent {
  readonly title: string;
  readonly sections: readonly string[] | undefined;
}

/** Adds to `context` what the route becomes in the data plane. */
export function translateRoute(
  route: AnyRoute,
  parents: Parents,
  context: RouteContext,
): {
  /** Listeners that the route is attached to and accepted for. */
  readonly listeners: ReadonlySet<ListenerState>;
  /** The parents of which each parentRef found a listener: one that none of them may use changes nothing. */
  readonly attached: readonly AttachedParent[];
  /** Has no parents if none is ours: an old entry of ours has to be removed. */
  readonly status: ObjectStatus;
  /** The Gateways among its parents, each once. */
  readonly gateways: ReadonlySet<Gateway>;
} {
  const problems = new RouteProblems(context.diagnostics);
  const own = ownParents(route, parents, problems, context);
  if (route.closed !== undefined) {
    problems.unsupported(`its requests answer 503: ${route.closed.message}`, placeOf(route));
  }
  if (own.length === 0 && isUnattached(route, parents, problems, context)) {
    planRules({ ...SHARED_SHAPE, ...context, route, gateways: [], body: {} });
  }
  const plansFor = plansByParent(own, problems, { ...SHARED_SHAPE, ...context, route });
  const planned = own.map((each) => {
    const plans = plansFor.get(each.parent) ?? [];
    return { ...SHARED_SHAPE, ...each, plans, ...parentConditions(route, each, problems, plans) };
  });
  const annotated = annotatedRoute(route, context.options.domains.annotations, context);
  bindRules(planned, { ...SHARED_SHAPE, ...context, route, annotated });
  return {
    listeners: new Set(
      planned.flatMap(({ accepted, attached }) =>
        accepted && attached.ok ? attached.attachments.map(({ listener }) => listener) : [],
      ),
    ),
    attached: attachedParents(own),
    status: routeStatus(route, planned, context.options),
    gateways: new Set(own.map(({ parent }) => parent.gateway)),
  };
}

function attachedParents(own: readonly OwnParent[]): readonly AttachedParent[] {
  return [...groupBy(own, ({ parent }) => parent.title)].flatMap(([title, references]) => {
    const isAttached = references.every(
      ({ attached }) => attached.ok && attached.attachments.length > 0,
    );
    const named = references.flatMap(({ reference: { sectionName } }) => sectionName ?? []);
    const sections = named.length < references.length ? undefined : named;
    return isAttached ? [{ title, sections }] : [];
  });
}

/**
 * The rules are planned once for all Gateways with the same body limit and client certificate, because plans differ by nothing else,
 * and a short route can have thousands of pairs of parentRef and backendRef.
 */
function plansByParent(
  own: readonly OwnParent[],
  problems: RouteProblems,
  context: RouteContext & { readonly route: AnyRoute },
): ReadonlyMap<Parent, readonly RulePlan[]> {
  const { route } = context;
  const pairs = boundHosts(own);
  const tooLarge = routeSizeProblem(matchesSize(route), pairs);
  if (tooLarge !== undefined) problems.tooLarge(tooLarge, placeOf(route, "spec"));
  const alike = groupBy(
    own.map(({ parent }) => parent),
    ({ body, clientCertificate = "" }) => `${JSON.stringify(body)} ${clientCertificate}`,
  );
  const byParent = [...alike.values()].flatMap((parents) => {
    const [{ body } = { body: {} }] = parents;
    const gateways = [...new Set(parents.map(({ gateway }) => gateway))];
    const written = planRules({ ...SHARED_SHAPE, ...context, gateways, body });
    const fitting = tooLarge === undefined ? written : closedMatches(written, route, pairs);
    const plans = fitting.map((plan) => refusedPlan(plan, problems));
    return parents.map((parent) => [parent, plans] as const);
  });
  return new Map(byParent);
}

/** Listeners on which the rules become the same routes. */
interface Variant {
  readonly plans: readonly RulePlan[];
  /** Ids of the routes, in the order of all branches. */
  readonly ids: readonly string[];
  /** Listeners by the hosts that they have in common with the route. */
  readonly places: Map<Attachment["hosts"], string[]>;
}

/** Binds the planned rules on the listeners that serve, for the hosts that these have in common with the route. */
function bindRules(
  parents: readonly (OwnParent & { readonly plans: readonly RulePlan[] })[],
  context: RouteContext & {
    readonly route: AnyRoute;
    readonly annotated: ReturnType<typeof annotatedRoute>;
  },
): void {
  const { route, config } = context;
  const known = new Map<readonly RulePlan[], Map<string, Variant>>();
  const variants = new Map<string, Variant>();
  // Two parentRefs may name one listener: the first counts.
  const listeners = new Set<ListenerState>();
  for (const { attached, plans } of parents) {
    for (const { listener, hosts } of attached.ok ? attached.attachments : []) {
      const id = listener.serves?.listener;
      if (id === undefined || listeners.has(listener)) continue;
      listeners.add(listener);
      const byPages = getOrInsert(known, plans, () => new Map<string, Variant>());
      const variant = getOrInsert(byPages, JSON.stringify(listener.errorPages ?? ""), () => {
        const { errorPages } = listener;
        const ids = plans.flatMap((plan) =>
          servedRoutes(plan, context).map((served) =>
            config.addRoute(
              errorPages === undefined ? served : { ...SHARED_SHAPE, ...served, errorPages },
              id,
              plan.closers,
            ),
          ),
        );
        return getOrInsert(variants, ids.join("|"), () => ({ plans, ids, places: new Map() }));
      });
      addTo(variant.places, hosts, id);
    }
  }
  for (const variant of variants.values()) bindVariant(variant, route, config);
}

/** A route for each branch of a rule. A rule without auth filters gets the auth of the policies for it or its route. */
function servedRoutes(
  { branches, place, name }: RulePlan,
  { route, policies, annotated }: Parameters<typeof bindRules>[1],
): readonly Route[] {
  return branches.map(({ id, content: { auth: own, ...content } }) => {
    const auth = own ?? policies.attached(route, name);
    return {
      id,
      source: sourceRef(place),
      ...content,
      // Filters of listeners run before routing, and a policy applies to everything on its target, including redirects.
      ...(content.redirect && { authFirst: true }),
      ...filled("auth", auth),
      ...(auth?.length === 0 && { ownAuth: true }),
      ...annotated,
    };
  });
}

function bindVariant(
  { plans, ids, places }: Variant,
  route: AnyRoute,
  config: ConfigBuilder,
): void {
  const at = [...places].map(([hosts, listeners]) => ({
    listeners: listeners.sort(compareStrings),
    hosts,
  }));
  const branches = plans.flatMap(({ index, branches: own }) =>
    own.map(({ matches }) => ({ index, matches })),
  );
  for (const [i, { index, matches }] of branches.entries()) {
    const id = ids[i];
    if (id === undefined) continue;
    for (const { path, when, rank, index: match } of matches) {
      const order = routeOrderKey({ match: rank, route, position: [index, match] });
      config.bind({ at, path, when, order, route: id });
    }
  }
}
