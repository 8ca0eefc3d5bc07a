/** The translation of one HTTPRoute or GRPCRoute. */
import type { Gateway } from "../../../api/gateway.js";
import type { Condition, ObjectStatus } from "../../../status/object-status.js";
import { groupBy } from "../../../support/collections.js";
import { placeOf } from "../../place.js";
import type { AnyRoute, ListenerState, RouteContext } from "../model.js";
import { RouteProblems } from "../route-problems.js";
import type { OwnParent } from "./attachment.js";
import { ownParents } from "./attachment.js";
import { bindRules } from "./bindings.js";
import { parentConditions } from "./conditions.js";
import type { Parent, Parents } from "./parents.js";
import { boundHosts, closedMatches, matchesSize, routeSizeProblem } from "./route-size.js";
import type { RulePlan } from "./rules.js";
import { planRules, refusedPlan } from "./rules.js";

export interface TranslatedRoute {
  /** Listeners that the route is attached to and accepted for. */
  readonly listeners: ReadonlySet<ListenerState>;
  /** Has no parents if none is ours: an old entry of ours has to be removed. */
  readonly status: ObjectStatus;
  /** The Gateways among its parents, each once. */
  readonly gateways: ReadonlySet<Gateway>;
}

/** What it becomes in the data plane is added to `context`. */
export function translateRoute(
  route: AnyRoute,
  parents: Parents,
  context: RouteContext,
): TranslatedRoute {
  const problems = new RouteProblems(context.diagnostics);
  const own = ownParents(route, parents, problems, context);
  if (route.closed !== undefined) {
    problems.unsupported("the route can't be served as written", placeOf(route, route.closed.what));
  }
  const plansFor = plansByParent(own, problems, { ...context, route });
  const planned = own.map((each) => {
    const plans = plansFor.get(each.parent) ?? [];
    return { ...each, plans, ...parentConditions(route, each, problems, plans) };
  });
  bindRules(planned, { ...context, route });
  return {
    listeners: new Set(
      planned.flatMap(({ accepted, attached }) =>
        accepted && attached.ok ? attached.attachments.map(({ listener }) => listener) : [],
      ),
    ),
    status: statusOf(route, planned, context.options.controllerName),
    gateways: new Set(own.map(({ parent }) => parent.gateway)),
  };
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
    ({ bodyLimit, clientCertificate = "" }) => `${String(bodyLimit)} ${clientCertificate}`,
  );
  const byParent = [...alike.values()].flatMap((parents) => {
    const [{ bodyLimit } = { bodyLimit: 0 }] = parents;
    const gateways = [...new Set(parents.map(({ gateway }) => gateway))];
    const written = planRules({ ...context, gateways, bodyLimit });
    const fitting = tooLarge === undefined ? written : closedMatches(written, route, pairs);
    const plans = fitting.map((plan) => refusedPlan(plan, problems));
    return parents.map((parent) => [parent, plans] as const);
  });
  return new Map(byParent);
}

function statusOf(
  { apiVersion, kind, metadata: { namespace, name } }: AnyRoute,
  planned: readonly (Pick<OwnParent, "reference"> & {
    readonly conditions: readonly Condition[];
  })[],
  controllerName: string,
): ObjectStatus {
  const parents = planned.map(({ reference: parentRef, conditions }) => {
    return { parentRef, controllerName, conditions };
  });
  return { apiVersion, kind, metadata: { namespace, name }, status: { parents } };
}
