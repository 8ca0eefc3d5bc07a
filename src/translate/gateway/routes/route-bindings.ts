import { filled } from "../../../support/json-object.js";
import type { GrpcRoute, HttpRoute } from "../../../api/gateway.js";
import type { Route } from "../../../model/route.js";
import { addTo, compareStrings, getOrInsert } from "../../../support/collections.js";
import { BoundRoutes } from "../../bound-routes.js";
import { sourceRef } from "../../place.js";
import { routeOrderKey } from "../../precedence.js";
import type { Attachment } from "./attachment.js";
import type { RuleBranch, RulePlan } from "./rule-plan.js";
import type { RoutePolicies } from "../rule-scope.js";

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

/** Binds the route's rules on the listeners for the hosts that they have in common; to a listener that serves nothing, none. */
export function boundRoute(
  attachments: readonly PlannedAttachment[],
  scope: Omit<Binding, "bound">,
): BoundRoutes {
  const binding = { ...scope, bound: new BoundRoutes() };
  const known = new Map<readonly RulePlan[], Variant>();
  const variants = new Map<string, Variant>();
  for (const { listener, hosts, plans } of attachments) {
    if (listener.serves === undefined) continue;
    const id = listener.serves.listener;
    const variant = getOrInsert(known, plans, () => variantOf(plans, id, { ...binding, variants }));
    addTo(variant.places, hosts, id);
  }
  for (const variant of variants.values()) bindVariant(variant, binding);
  return binding.bound;
}

/** `place`: the first listener that it is for. */
function variantOf(
  plans: readonly RulePlan[],
  place: string,
  binding: Binding & { readonly variants: Map<string, Variant> },
): Variant {
  const { bound, variants } = binding;
  const ids = plans.flatMap((plan) =>
    plan.branches.map((branch) => bound.addRoute(servedRoute(branch, plan, binding), place)),
  );
  return getOrInsert(variants, ids.join("|"), () => ({ plans, ids, places: new Map() }));
}

/** The rule with the auth that policies for it or its route give it, where it has no auth filter of its own. */
function servedRoute(
  { id, content }: RuleBranch,
  { place, name }: RulePlan,
  { route, policies }: Binding,
): Route {
  const { auth: own, ...does } = content;
  const auth = own ?? policies.attached(route, name);
  return {
    id,
    source: sourceRef(place),
    ...does,
    // Filters of listeners come before routing, and a policy is for everything on its target: redirects, too.
    ...(does.redirect && { authFirst: true }),
    ...filled("auth", auth),
    ...(auth?.length === 0 && { ownAuth: true }),
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
