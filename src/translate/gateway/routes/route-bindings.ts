import type { GrpcRoute, HttpRoute } from "../../../api/gateway.js";
import type { Route } from "../../../ir/route.js";
import type { BoundRoutes } from "../../bound-routes.js";
import { sourceRef } from "../../place.js";
import { invalidRule } from "../../reasons.js";
import { routeOrderKey } from "../../route-precedence.js";
import type { AuthRef } from "../policies/policies.js";
import type { Attachment } from "./attachment.js";
import type { RuleBranch, RulePlan } from "./rule-plan.js";
import type { RoutePolicies } from "./scope.js";

/** The binding of one route to its listeners. */
export interface Binding {
  readonly route: HttpRoute | GrpcRoute;
  readonly policies: RoutePolicies;
  readonly bound: BoundRoutes;
  /** Routes by branch and auth: most listeners get the same, which is compared by identity then. */
  readonly served: Map<RuleBranch, Map<string, Route>>;
}

/** Adds the route's rules to the listener, for the hosts that the two have in common; to one that serves nothing, none. */
export function bindRoute(
  { listener, hosts }: Attachment,
  plans: readonly RulePlan[],
  binding: Binding,
): void {
  const { serves } = listener;
  if (serves === undefined) return;
  const { route, bound, policies } = binding;
  const first = policies.listenerFilters(listener);
  for (const plan of plans) {
    const attached = policies.attached(route, listener, plan.name);
    for (const branch of plan.branches) {
      const served = servedRoute(branch, plan, { first, attached }, binding);
      const id = bound.addRoute(served, serves.listener);
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

/** Auth of a listener's filters, and of the policies that are for the rule there. */
interface InheritedAuth {
  readonly first: AuthRef;
  readonly attached: readonly string[];
}

/** The rule with the auth that it inherits: the listener's always, policies' where it has no auth filter of its own. */
function servedRoute(
  branch: RuleBranch,
  { place }: RulePlan,
  { first, attached }: InheritedAuth,
  { served }: Binding,
): Route {
  const { auth: own, ...does } = branch.content;
  const auth = [...(first.ok ? first.auth : []), ...(own ?? attached)];
  const key = JSON.stringify([first.ok, auth]);
  const routes = served.get(branch) ?? new Map<string, Route>();
  served.set(branch, routes);
  const known = routes.get(key);
  if (known !== undefined) return known;
  const route: Route = {
    id: branch.id,
    source: sourceRef(place),
    ...does,
    // Filters of listeners come before routing, and a policy is for everything on its target: redirects, too.
    ...(does.redirect && auth.length > 0 && { authFirst: true }),
    ...(!first.ok && { refusal: invalidRule("filters of the listener") }),
    satisfy: "all",
    auth,
  };
  routes.set(key, route);
  return route;
}
