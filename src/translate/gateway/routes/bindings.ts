import type { Route } from "../../../model/route.js";
import { addTo, compareStrings, getOrInsert } from "../../../support/collections.js";
import { filled } from "../../../support/json-object.js";
import type { ConfigBuilder } from "../../config-builder.js";
import { sourceRef } from "../../place.js";
import { routeOrderKey } from "../../precedence.js";
import type { AnyRoute, ListenerState, PolicyAnswers, RouteContext } from "../model.js";
import type { Attachment, OwnParent } from "./attachment.js";
import type { RulePlan } from "./rules.js";

/** Listeners on which the rules become the same routes. */
interface Variant {
  readonly plans: readonly RulePlan[];
  /** Ids of the routes, in the order of all branches. */
  readonly ids: readonly string[];
  /** Listeners by the hosts that they have in common with the route. */
  readonly places: Map<Attachment["hosts"], string[]>;
}

/** Binds the planned rules on the listeners that serve, for the hosts that these have in common with the route. */
export function bindRules(
  parents: readonly (OwnParent & { readonly plans: readonly RulePlan[] })[],
  { route, policies, config }: RouteContext & { readonly route: AnyRoute },
): void {
  const known = new Map<readonly RulePlan[], Variant>();
  const variants = new Map<string, Variant>();
  // Two parentRefs may name one listener: the first counts.
  const listeners = new Set<ListenerState>();
  for (const { attached, plans } of parents) {
    for (const { listener, hosts } of attached.ok ? attached.attachments : []) {
      const id = listener.serves?.listener;
      if (id === undefined || listeners.has(listener)) continue;
      listeners.add(listener);
      const variant = getOrInsert(known, plans, () => {
        const ids = plans.flatMap((plan) =>
          servedRoutes(plan, route, policies).map((served) => config.addRoute(served, id)),
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
  route: AnyRoute,
  policies: PolicyAnswers,
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
