import type { GrpcRoute, HttpRoute } from "../../../api/gateway.js";
import type { Route } from "../../../ir/route.js";
import type { BuildContext } from "../../build-context.js";
import { sourceRef } from "../../place.js";
import { invalidRule } from "../../reasons.js";
import { routeOrderKey } from "../../route-precedence.js";
import type { ListenerState } from "../model.js";
import type { Policies } from "../policies/policies.js";
import type { Attachment } from "./attachment.js";
import type { RuleBranch, RulePlan } from "./rule-plan.js";

interface Bound {
  readonly route: HttpRoute | GrpcRoute;
  readonly policies: Policies;
  readonly build: BuildContext;
}

/** Adds the route's rules to the listener, for the hosts that the two have in common; to one that serves nothing, none. */
export function bindRoute(
  { listener, hosts }: Attachment,
  plans: readonly RulePlan[],
  bound: Bound,
): void {
  const { serves } = listener;
  if (serves === undefined) return;
  const { config } = bound.build;
  for (const plan of plans) {
    for (const branch of plan.branches) {
      const id = config.addRoute(servedRoute(branch, plan, listener, bound), serves.listener);
      const places = hosts.flatMap((host) => branch.matches.map((match) => ({ host, match })));
      for (const { host, match } of places) {
        const order = routeOrderKey({
          hostname: host.pattern,
          match: match.rank,
          route: bound.route,
          position: [plan.index, match.index, host.index],
        });
        const { path, when } = match;
        config.bind({ listener: serves.listener, host: host.host, path, when, order, route: id });
      }
    }
  }
}

/** The rule with the auth that it inherits there: the listener's always, policies' where it has no auth filter of its own. */
function servedRoute(
  { id, content }: RuleBranch,
  { name, place }: RulePlan,
  listener: ListenerState,
  { route, policies }: Bound,
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
