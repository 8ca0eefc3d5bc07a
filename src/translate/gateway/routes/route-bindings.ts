import type { GrpcRoute, HttpRoute } from "../../../api/gateway.js";
import type { Route } from "../../../ir/route.js";
import type { BoundRoutes } from "../../bound-routes.js";
import { sourceRef } from "../../place.js";
import { invalidRule } from "../../reasons.js";
import { routeOrderKey } from "../../route-precedence.js";
import type { ListenerState } from "../model.js";
import type { Attachment } from "./attachment.js";
import type { RuleBranch, RulePlan } from "./rule-plan.js";
import type { RoutePolicies } from "./scope.js";

interface Binding {
  readonly route: HttpRoute | GrpcRoute;
  readonly policies: RoutePolicies;
  readonly bound: BoundRoutes;
}

/** Adds the route's rules to the listener, for the hosts that the two have in common; to one that serves nothing, none. */
export function bindRoute(
  { listener, hosts }: Attachment,
  plans: readonly RulePlan[],
  binding: Binding,
): void {
  const { serves } = listener;
  if (serves === undefined) return;
  const { route, bound } = binding;
  for (const plan of plans) {
    for (const branch of plan.branches) {
      const id = bound.addRoute(servedRoute(branch, plan, listener, binding), serves.listener);
      const places = hosts.flatMap((host) => branch.matches.map((match) => ({ host, match })));
      for (const { host, match } of places) {
        const order = routeOrderKey({
          hostname: host.pattern,
          match: match.rank,
          route,
          position: [plan.index, match.index, host.index],
        });
        const { path, when } = match;
        bound.bind({ listener: serves.listener, host: host.host, path, when, order, route: id });
      }
    }
  }
}

/** The rule with the auth that it inherits there: the listener's always, policies' where it has no auth filter of its own. */
function servedRoute(
  { id, content }: RuleBranch,
  { name, place }: RulePlan,
  listener: ListenerState,
  { route, policies }: Binding,
): Route {
  const first = policies.listenerFilters(listener);
  const { auth: own, ...does } = content;
  const inherited = own ?? policies.attached(route, listener, name);
  const auth = [...(first.ok ? first.auth : []), ...inherited];
  return {
    id,
    source: sourceRef(place),
    ...does,
    // Filters of listeners come before routing, and a policy is for everything on its target: redirects, too.
    ...(does.redirect && auth.length > 0 && { authFirst: true }),
    ...(!first.ok && { refusal: invalidRule("filters of the listener") }),
    satisfy: "all",
    auth,
  };
}
