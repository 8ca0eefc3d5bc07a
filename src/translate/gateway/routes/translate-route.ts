/** One HTTPRoute or GRPCRoute → what it becomes. */
import type { RouteParentStatus } from "../../../api/gateway.js";
import type { Route, RouteBinding } from "../../../model/route.js";
import type { ObjectStatus } from "../../../status/object-status.js";
import { BoundRoutes } from "../../bound-routes.js";
import { placeOf } from "../../place.js";
import type { ListenerState } from "../model.js";
import { RouteProblems } from "../route-problems.js";
import { ownParents } from "./own-parents.js";
import type { OwnParent } from "./own-parents.js";
import { bindRoute } from "./route-bindings.js";
import type { PlannedAttachment } from "./route-bindings.js";
import { judge } from "./route-conditions.js";
import { RoutePlans } from "./route-plans.js";
import { boundHosts, matchesSize, routeSizeProblem } from "./closed-matches.js";
import type { AnyRoute } from "../rule-scope.js";
import type { RouteSurroundings } from "./parents.js";

export interface TranslatedRoute {
  /** Those that the route is attached to and accepted for. */
  readonly listeners: ReadonlySet<ListenerState>;
  /** Without parents if none is ours: an entry of ours for one that is gone has to be taken back. */
  readonly status: ObjectStatus;
  readonly routes: readonly Route[];
  readonly bindings: readonly RouteBinding[];
}

export function translateRoute(
  route: AnyRoute,
  { parents, policies, context }: RouteSurroundings,
): TranslatedRoute {
  const { controllerName } = context.options;
  const findings = new RouteProblems(context.diagnostics);
  const own = ownParents(route, parents, findings, context);
  if (route.closed !== undefined) {
    findings.unsupported("the route can't be served as written", placeOf(route, route.closed.what));
  }
  const tooMany = tooManyHosts(route, own, findings);
  const plans = new RoutePlans({ route, policies, context, own }, findings, tooMany);
  const listeners = new Set<ListenerState>();
  const reached = new Map<ListenerState, PlannedAttachment>();
  const entries = own.map((each): RouteParentStatus => {
    const rules = plans.of(each.parent);
    const verdict = judge(route, each, findings, rules);
    for (const attachment of each.attached.ok ? each.attached.attachments : []) {
      const { listener } = attachment;
      if (verdict.accepted) listeners.add(listener);
      // Two parentRefs may name one listener.
      if (!reached.has(listener)) reached.set(listener, { ...attachment, plans: rules });
    }
    return { parentRef: each.reference, controllerName, conditions: verdict.conditions };
  });
  const bound = new BoundRoutes();
  bindRoute([...reached.values()], { route, policies, bound });
  const { routes, bindings } = bound;
  return { listeners, status: statusOf(route, entries), routes: [...routes], bindings };
}

/** Pairs of listener and host that the route is too large for, which is reported; undefined: it is not. */
function tooManyHosts(
  route: AnyRoute,
  own: readonly OwnParent[],
  findings: RouteProblems,
): number | undefined {
  const pairs = boundHosts(own);
  const problem = routeSizeProblem(matchesSize(route), pairs);
  if (problem === undefined) return undefined;
  findings.tooLarge(problem, placeOf(route, "spec"));
  return pairs;
}

function statusOf(
  { apiVersion, kind, metadata }: AnyRoute,
  parents: readonly RouteParentStatus[],
): ObjectStatus {
  const { namespace, name } = metadata;
  return { apiVersion, kind, metadata: { namespace, name }, status: { parents } };
}
