import type { GrpcRoute, HttpRoute } from "../../../api/gateway.js";
import type { Route } from "../../../ir/route.js";
import { compareStrings } from "../../../support/compare.js";
import { addTo, getOrInsert } from "../../../support/group-by.js";
import type { BoundRoutes } from "../../bound-routes.js";
import { sourceRef } from "../../place.js";
import { invalidRule } from "../../reasons.js";
import { routeOrderKey } from "../../route-precedence.js";
import type { ListenerState } from "../model.js";
import type { AuthRef } from "../policies/policies.js";
import type { Attachment } from "./attachment.js";
import type { RuleBranch, RulePlan } from "./rule-plan.js";
import type { RoutePolicies } from "./scope.js";

/** An attachment, and the rules as its Gateway has them. */
export interface PlannedAttachment extends Attachment {
  readonly plans: readonly RulePlan[];
}

interface Binding {
  readonly route: HttpRoute | GrpcRoute;
  readonly policies: RoutePolicies;
  readonly bound: BoundRoutes;
}

/** Listeners on which the rules are the same routes. */
interface Variant {
  readonly plans: readonly RulePlan[];
  /** Ids of the routes, in the order of all branches. */
  readonly ids: readonly string[];
  /** Listeners by the hosts that they have in common with the route. */
  readonly places: Map<Attachment["hosts"], string[]>;
}

/**
 * Binds the route's rules on the listeners for the hosts that they have in common; to a listener that serves nothing, none. Most
 * listeners inherit the same auth, and are bound together.
 */
export function bindRoute(attachments: readonly PlannedAttachment[], binding: Binding): void {
  const known = new Map<readonly RulePlan[], Map<string, Variant>>();
  const variants = new Map<string, Variant>();
  for (const { listener, hosts, plans } of attachments) {
    if (listener.serves === undefined) continue;
    const id = listener.serves.listener;
    const auth = inheritedAuth(listener, plans, binding);
    const key = JSON.stringify([auth.first, ...auth.attached]);
    const ofPlans = getOrInsert(known, plans, () => new Map());
    const variant = getOrInsert(ofPlans, key, () =>
      variantOf(plans, auth, id, { ...binding, variants }),
    );
    addTo(variant.places, hosts, id);
  }
  for (const variant of variants.values()) bindVariant(variant, binding);
}

/** Auth of the listener's filters, and of the policies that are for a rule there, by its name. */
interface InheritedAuth {
  readonly first: AuthRef;
  readonly attached: ReadonlyMap<string | undefined, readonly string[]>;
}

function inheritedAuth(
  listener: ListenerState,
  plans: readonly RulePlan[],
  { route, policies }: Binding,
): InheritedAuth {
  const attached = new Map<string | undefined, readonly string[]>();
  for (const { name } of plans) {
    if (!attached.has(name)) attached.set(name, policies.attached(route, listener, name));
  }
  return { first: policies.listenerFilters(listener), attached };
}

/** `place`: the first listener that it is for. */
function variantOf(
  plans: readonly RulePlan[],
  auth: InheritedAuth,
  place: string,
  { bound, variants }: Pick<Binding, "bound"> & { readonly variants: Map<string, Variant> },
): Variant {
  const ids = plans.flatMap((plan) =>
    plan.branches.map((branch) => bound.addRoute(servedRoute(branch, plan, auth), place)),
  );
  return getOrInsert(variants, ids.join("|"), () => ({ plans, ids, places: new Map() }));
}

/** The rule with the auth that it inherits: the listener's always, policies' where it has no auth filter of its own. */
function servedRoute(
  branch: RuleBranch,
  { place, name }: RulePlan,
  { first, attached }: InheritedAuth,
): Route {
  const { auth: own, ...does } = branch.content;
  const auth = [...(first.ok ? first.auth : []), ...(own ?? attached.get(name) ?? [])];
  return {
    id: branch.id,
    source: sourceRef(place),
    ...does,
    // Filters of listeners come before routing, and a policy is for everything on its target: redirects, too.
    ...(does.redirect && auth.length > 0 && { authFirst: true }),
    ...(!first.ok && { refusal: invalidRule("filters of the listener") }),
    satisfy: "all",
    auth,
  };
}

function bindVariant({ plans, ids, places }: Variant, { route, bound }: Binding): void {
  const at = [...places].map(([hosts, listeners]) => ({
    listeners: listeners.sort(compareStrings),
    hosts,
  }));
  const branches = plans.flatMap((plan) => plan.branches.map((branch) => ({ plan, branch })));
  for (const [i, { plan, branch }] of branches.entries()) {
    const id = ids[i];
    if (id === undefined) continue;
    for (const match of branch.matches) {
      const { path, when, rank } = match;
      const position = [plan.index, match.index];
      bound.bind({
        at,
        path,
        when,
        order: routeOrderKey({ match: rank, route, position }),
        route: id,
      });
    }
  }
}
