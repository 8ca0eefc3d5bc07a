import type { RoutingResources } from "../../../input/resources.js";
import type { CompileOptions } from "../../../model/options.js";
import { type Condition, type ObjectStatus, listOf } from "../../../status/object-status.js";
import { sameElements, withoutCommonEnds } from "../../../support/collections.js";
import { isObject } from "../../../support/json-object.js";
import { listed } from "../../../support/text.js";
import type { AttachableRoute, RouteKindName } from "../model.js";
import type { RouteProblem, RouteProblems, RuleOutcome } from "../route-problems.js";
import { HOLDS, type Verdict, condition, negativeCondition, refused } from "../verdict.js";
import type { OwnParent } from "./attachment.js";

/** The conditions of a route for one parent. `problems` are those of the whole route, such as invalid hostnames. */
export function parentConditions(
  route: AttachableRoute,
  own: OwnParent,
  problems: RouteProblems,
  plans: readonly RuleOutcome[],
): { readonly accepted: boolean; readonly conditions: readonly Condition[] } {
  const dropped = plans.flatMap(({ name, index, problems: { refused: found } }) =>
    found[0] === undefined ? [] : [{ name: name ?? String(index), found, reason: found[0].reason }],
  );
  const accepted = acceptance(own, problems, plans, dropped.length);
  const unresolved = plans.flatMap((plan) => plan.problems.unresolved);
  const conditions = [
    condition("Accepted", accepted, { reason: "Accepted", message: attachedBy(own) }, route),
    condition("ResolvedRefs", verdictOf(unresolved), RESOLVED, route),
  ];
  const [first] = dropped;
  if (accepted.ok && first !== undefined) {
    const message = dropped
      .map(({ name, found }) => `Dropped Rule ${name}: ${messagesOf(found)}`)
      .join("; ");
    conditions.push(negativeCondition("PartiallyInvalid", { ...first, message }, route));
  }
  return { accepted: accepted.ok, conditions };
}

const RESOLVED = {
  reason: "ResolvedRefs",
  message: "everything that the rules name was found",
};

/** A route is accepted if at least one of its rules can be served as written. */
function acceptance(
  { attached }: OwnParent,
  problems: RouteProblems,
  plans: readonly RuleOutcome[],
  dropped: number,
): Verdict {
  if (!attached.ok) return attached;
  const listeners = attached.attachments.map(({ listener }) => listener);
  const closed = listeners.map(({ parent, gateway }) => parent.closed ?? gateway.closed);
  if (closed.length > 0 && !closed.includes(undefined)) {
    return refused("Pending", `its requests answer 503: ${closed[0]?.message ?? ""}`);
  }
  if (problems.refused.length > 0) return verdictOf(problems.refused);
  return dropped === plans.length
    ? verdictOf(plans.flatMap((plan) => plan.problems.refused))
    : HOLDS;
}

/** The first reason, and all messages. */
function verdictOf(found: readonly RouteProblem<string>[]): Verdict {
  const [first] = found;
  return first === undefined ? HOLDS : refused(first.reason, messagesOf(found));
}

function attachedBy({ parent, attached }: OwnParent): string {
  const listeners = (attached.ok ? attached.attachments : []).map(({ listener }) => listener);
  const names = listeners.map(({ name }) => name).join(", ");
  const isIdle = listeners.every(({ serves }) => serves === undefined);
  return `attached to ${parent.title} by ${names}${isIdle ? ", which can't serve: see its status" : ""}`;
}

function messagesOf(problems: readonly RouteProblem<string>[]): string {
  return listed(problems.map(({ message }) => message));
}

export function routeStatus(
  { apiVersion, kind, metadata: { namespace, name } }: AttachableRoute,
  own: readonly (Pick<OwnParent, "reference"> & { readonly conditions: readonly Condition[] })[],
  { controllerName }: Pick<CompileOptions, "controllerName">,
): ObjectStatus {
  const parents = own.map(({ reference: parentRef, conditions }) => {
    return { parentRef, controllerName, conditions };
  });
  return { apiVersion, kind, metadata: { namespace, name }, status: { parents } };
}

/** The status with Accepted false in each entry of ours; an entry that is not accepted keeps its reason. */
export function notAccepted(
  { status, ...object }: ObjectStatus,
  why: Pick<Condition, "reason" | "message">,
  { controllerName }: Pick<CompileOptions, "controllerName">,
): ObjectStatus {
  const refusedIn = (entry: unknown): unknown => {
    if (!isObject(entry) || entry["controllerName"] !== controllerName) return entry;
    const conditions = listOf(entry["conditions"]).map((each) =>
      isObject(each) && each["type"] === "Accepted" && each["status"] === "True"
        ? { ...each, status: "False", ...why }
        : each,
    );
    return { ...entry, conditions };
  };
  const fields = Object.entries(status).map(([name, value]): [string, unknown] => [
    name,
    Array.isArray(value) ? value.map(refusedIn) : value,
  ]);
  return { ...object, status: Object.fromEntries<unknown>(fields) };
}

/**
 * Drops the statuses of routes without a parent of ours, unless the status in the cluster still has an entry of ours, which must be
 * removed. That status is read only here, so writing a status changes nothing else.
 */
export class ReportedStatuses {
  #all: readonly ObjectStatus[] = [];
  /** Those of `#all` that have no parent of ours. */
  readonly #orphans = new Set<ObjectStatus>();
  #dropped: ReadonlySet<ObjectStatus> = new Set();
  #reported: readonly ObjectStatus[] = [];

  /** The list itself if nothing is dropped; the last result if nothing has changed. */
  of(
    statuses: readonly ObjectStatus[],
    resources: RoutingResources,
    { controllerName }: Pick<CompileOptions, "controllerName">,
  ): readonly ObjectStatus[] {
    const { before, now } = withoutCommonEnds(this.#all, statuses);
    // In lists of one length, most are the same at the same place, and need not be looked at.
    const differs = (list: readonly ObjectStatus[]) => (status: ObjectStatus, i: number) =>
      !Object.is(status, list[i]);
    for (const status of before.filter(differs(now))) this.#orphans.delete(status);
    for (const status of now.filter(differs(before))) {
      if (isOrphan(status)) this.#orphans.add(status);
    }
    const isOurs = (status: ObjectStatus): boolean =>
      writtenParents(status, resources).some((entry) => entry.controllerName === controllerName);
    const dropped = new Set([...this.#orphans].filter((status) => !isOurs(status)));
    const isSame = statuses === this.#all && sameElements([...dropped], [...this.#dropped]);
    this.#all = statuses;
    if (isSame) return this.#reported;
    this.#dropped = dropped;
    this.#reported =
      dropped.size === 0 ? statuses : statuses.filter((status) => !dropped.has(status));
    return this.#reported;
  }
}

function isOrphan({ status: { parents } }: ObjectStatus): boolean {
  return Array.isArray(parents) && parents.length === 0;
}

const ROUTE_KINDS: readonly RouteKindName[] = [
  "HTTPRoute",
  "GRPCRoute",
  "TLSRoute",
  "TCPRoute",
  "UDPRoute",
];

function writtenParents(
  { kind, metadata: { namespace, name } }: ObjectStatus,
  resources: RoutingResources,
): readonly { readonly controllerName?: string }[] {
  const known = ROUTE_KINDS.find((each) => each === kind);
  const route = known && resources.get(known, namespace, name);
  return route?.status?.parents ?? [];
}
