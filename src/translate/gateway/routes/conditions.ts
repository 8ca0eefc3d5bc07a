import type { RoutingResources } from "../../../input/resources.js";
import type { CompileOptions } from "../../../model/options.js";
import type { Condition, ObjectStatus } from "../../../status/object-status.js";
import { sameElements } from "../../../support/collections.js";
import { listed } from "../../../support/text.js";
import type { AttachableRoute, RouteKindName } from "../model.js";
import type { RefusedReason, RouteProblem, RouteProblems, RuleOutcome } from "../route-problems.js";
import type { OwnParent } from "./attachment.js";

/** The conditions of a route for one parent. `problems` are those of the whole route, such as invalid hostnames. */
export function parentConditions(
  route: AttachableRoute,
  own: OwnParent,
  problems: RouteProblems,
  plans: readonly RuleOutcome[],
): { readonly accepted: boolean; readonly conditions: readonly Condition[] } {
  const { generation } = route.metadata;
  const stamp = generation === undefined ? {} : { observedGeneration: generation };
  const { reason, message, dropped } = acceptance(own, problems, plans);
  const accepted = reason === "Accepted";
  const conditions: Condition[] = [
    { type: "Accepted", status: accepted ? "True" : "False", reason, message, ...stamp },
    { ...resolvedRefs(plans), ...stamp },
  ];
  const [first] = dropped;
  if (accepted && first !== undefined) {
    const text = dropped.map(({ name, message: why }) => `Dropped Rule ${name}: ${why}`).join("; ");
    const partly = { type: "PartiallyInvalid", status: "True", reason: first.reason } as const;
    conditions.push({ ...partly, message: text, ...stamp });
  }
  return { accepted, conditions };
}

/** A route is accepted if at least one of its rules can be served as written; the others are `dropped`. */
function acceptance(
  { parent, attached }: OwnParent,
  problems: RouteProblems,
  plans: readonly RuleOutcome[],
): {
  readonly reason: string;
  readonly message: string;
  readonly dropped: readonly { name: string; reason: RefusedReason; message: string }[];
} {
  if (!attached.ok) return { ...attached, dropped: [] };
  const [invalid] = problems.refused;
  if (invalid !== undefined) return refusal(problems.refused, invalid.reason);
  const dropped = plans.flatMap(({ name, index, problems: { refused } }) =>
    refused[0] === undefined
      ? []
      : [{ name: name ?? String(index), reason: refused[0].reason, message: messagesOf(refused) }],
  );
  const [first] = dropped;
  if (first !== undefined && dropped.length === plans.length) {
    return refusal(
      plans.flatMap((plan) => plan.problems.refused),
      first.reason,
    );
  }
  const names = attached.attachments.map(({ listener }) => listener.name).join(", ");
  const idle = attached.attachments.every(({ listener }) => listener.serves === undefined);
  const message = `attached to ${parent.title} by ${names}${idle ? ", which can't serve: see its status" : ""}`;
  return { reason: "Accepted", message, dropped };
}

function refusal(
  problems: readonly RouteProblem<RefusedReason>[],
  reason: RefusedReason,
): ReturnType<typeof acceptance> {
  return { reason, message: messagesOf(problems), dropped: [] };
}

function resolvedRefs(plans: readonly RuleOutcome[]): Condition {
  const unresolved = plans.flatMap((plan) => plan.problems.unresolved);
  const [first] = unresolved;
  if (first === undefined) {
    const message = "everything that the rules name was found";
    return { type: "ResolvedRefs", status: "True", reason: "ResolvedRefs", message };
  }
  const message = messagesOf(unresolved);
  return { type: "ResolvedRefs", status: "False", reason: first.reason, message };
}

function messagesOf(problems: readonly RouteProblem<string>[]): string {
  return listed(problems.map(({ message }) => message));
}

/**
 * Drops the statuses of routes without a parent of ours, unless the status in the cluster still has an entry of ours, which must be
 * removed. That status is read only here, so writing a status changes nothing else. Returns `before` if nothing changed.
 */
export function statusesToReport(
  statuses: readonly ObjectStatus[],
  resources: RoutingResources,
  { controllerName }: Pick<CompileOptions, "controllerName">,
  before: readonly ObjectStatus[],
): readonly ObjectStatus[] {
  const reported = statuses.filter((status) => {
    const { parents } = status.status;
    if (!Array.isArray(parents) || parents.length > 0) return true;
    return writtenParents(status, resources).some(
      (entry) => entry.controllerName === controllerName,
    );
  });
  return sameElements(reported, before) ? before : reported;
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
