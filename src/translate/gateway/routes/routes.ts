/** HTTPRoutes and GRPCRoutes: attached to listeners, bound to them, and told how it went. */
import type { GrpcRoute, HttpRoute, RouteParentStatus } from "../../../api/gateway.js";
import type { ObjectStatus } from "../../../status/object-status.js";
import type { BuildContext } from "../../build-context.js";
import { placeOf } from "../../place.js";
import type { AttachedRoutes, GatewayState, ListenerState } from "../model.js";
import type { Policies } from "../policies/policies.js";
import { Findings } from "./findings.js";
import { ownParents } from "./own-parents.js";
import type { OwnParent } from "./own-parents.js";
import { Parents } from "./parents.js";
import { bindRoute } from "./route-bindings.js";
import { judge } from "./route-conditions.js";
import { RoutePlans } from "./route-plans.js";
import { boundHosts, matchesSize, sizeProblem } from "./route-size.js";

export interface TranslatedRoutes {
  readonly attached: AttachedRoutes;
  readonly statuses: readonly ObjectStatus[];
}

export function translateRoutes(
  states: readonly GatewayState[],
  policies: Policies,
  build: BuildContext,
): TranslatedRoutes {
  const parents = new Parents(states, build.resources);
  const attached = new Map<ListenerState, number>();
  const routes = [...build.resources.list("HTTPRoute"), ...build.resources.list("GRPCRoute")];
  const statuses = routes.map((route) => {
    const translated = translateRoute(route, parents, policies, build);
    for (const listener of translated.listeners) {
      attached.set(listener, (attached.get(listener) ?? 0) + 1);
    }
    return translated.status;
  });
  return { attached, statuses };
}

interface TranslatedRoute {
  /** Those that the route is attached to and accepted for. */
  readonly listeners: ReadonlySet<ListenerState>;
  /** Without parents if none is ours: an entry of ours for one that is gone has to be taken back. */
  readonly status: ObjectStatus;
}

function translateRoute(
  route: HttpRoute | GrpcRoute,
  parents: Parents,
  policies: Policies,
  build: BuildContext,
): TranslatedRoute {
  const { controllerName } = build.options;
  const findings = new Findings(build.diagnostics);
  const own = ownParents(route, parents, findings, build);
  const tooMany = tooManyHosts(route, own, findings);
  const plans = new RoutePlans({ route, policies, build }, findings, tooMany);
  const listeners = new Set<ListenerState>();
  const bound = new Set<ListenerState>();
  const entries = own.map((each): RouteParentStatus => {
    const rules = plans.of(each.parent.gateway);
    const verdict = judge(route, each, findings, rules);
    for (const attachment of each.attached.ok ? each.attached.attachments : []) {
      const { listener } = attachment;
      if (verdict.accepted) listeners.add(listener);
      // Two parentRefs may name one listener.
      if (bound.has(listener)) continue;
      bound.add(listener);
      bindRoute(attachment, rules, { route, policies, build });
    }
    return { parentRef: each.reference, controllerName, conditions: verdict.conditions };
  });
  return { listeners, status: statusOf(route, entries) };
}

/** Pairs of listener and host that the route is too large for, which is reported; undefined: it is not. */
function tooManyHosts(
  route: HttpRoute | GrpcRoute,
  own: readonly OwnParent[],
  findings: Findings,
): number | undefined {
  const pairs = boundHosts(own);
  const problem = sizeProblem(matchesSize(route), pairs);
  if (problem === undefined) return undefined;
  findings.tooLarge(problem, placeOf(route, "spec"));
  return pairs;
}

function statusOf(
  { apiVersion, kind, metadata }: HttpRoute | GrpcRoute,
  parents: readonly RouteParentStatus[],
): ObjectStatus {
  const { namespace, name } = metadata;
  return { apiVersion, kind, metadata: { namespace, name }, status: { parents } };
}
