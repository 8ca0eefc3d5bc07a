/** One HTTPRoute or GRPCRoute → what it becomes. */
import type { Route, RouteBinding } from "../../../model/route.js";
import type { ObjectStatus } from "../../../status/object-status.js";
import { groupBy } from "../../../support/collections.js";
import { placeOf } from "../../place.js";
import type { ListenerState } from "../model.js";
import { RouteProblems } from "../route-problems.js";
import { ownParents } from "./own-parents.js";
import type { OwnParent } from "./own-parents.js";
import { boundRoute } from "./route-bindings.js";
import type { PlannedAttachment } from "./route-bindings.js";
import type { ParentVerdict } from "./route-conditions.js";
import { judge } from "./route-conditions.js";
import type { RulePlan } from "./rule-plan.js";
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
  const problems = new RouteProblems(context.diagnostics);
  const own = ownParents(route, parents, problems, context);
  if (route.closed !== undefined) {
    problems.unsupported("the route can't be served as written", placeOf(route, route.closed.what));
  }
  const tooMany = tooManyHosts(route, own, problems);
  const rules = new RoutePlans({ route, policies, context, own }, problems, tooMany);
  const judged = own.map((each): JudgedParent => {
    const plans = rules.of(each.parent);
    return { ...each, plans, ...judge(route, each, problems, plans) };
  });
  const { routes, bindings } = boundRoute(attachmentsOf(judged), { route, policies });
  return {
    listeners: acceptingListeners(judged),
    status: statusOf(route, judged, context.options.controllerName),
    routes: [...routes],
    bindings,
  };
}

interface JudgedParent extends OwnParent, ParentVerdict {
  readonly plans: readonly RulePlan[];
}

/** Each listener once: two parentRefs may name one. */
function attachmentsOf(judged: readonly JudgedParent[]): readonly PlannedAttachment[] {
  const all = judged.flatMap(({ attached, plans }) =>
    (attached.ok ? attached.attachments : []).map((each) => ({ ...each, plans })),
  );
  const byListener = groupBy(all, ({ listener }) => listener);
  return [...byListener.values()].flatMap(([first]) => first ?? []);
}

function acceptingListeners(judged: readonly JudgedParent[]): ReadonlySet<ListenerState> {
  const accepting = judged.filter(({ accepted }) => accepted);
  return new Set(
    accepting.flatMap(({ attached }) =>
      attached.ok ? attached.attachments.map(({ listener }) => listener) : [],
    ),
  );
}

/** Pairs of listener and host that the route is too large for, which is reported; undefined: it is not. */
function tooManyHosts(
  route: AnyRoute,
  own: readonly OwnParent[],
  problems: RouteProblems,
): number | undefined {
  const pairs = boundHosts(own);
  const problem = routeSizeProblem(matchesSize(route), pairs);
  if (problem === undefined) return undefined;
  problems.tooLarge(problem, placeOf(route, "spec"));
  return pairs;
}

function statusOf(
  { apiVersion, kind, metadata }: AnyRoute,
  judged: readonly JudgedParent[],
  controllerName: string,
): ObjectStatus {
  const { namespace, name } = metadata;
  const parents = judged.map(({ reference: parentRef, conditions }) => {
    return { parentRef, controllerName, conditions };
  });
  return { apiVersion, kind, metadata: { namespace, name }, status: { parents } };
}
