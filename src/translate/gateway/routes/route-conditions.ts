import type { Condition } from "../../../status/object-status.js";
import { listed } from "../../../support/text.js";
import type { AttachableRoute } from "../model.js";
import type { RouteProblem, RouteProblems, RefusedReason } from "../route-problems.js";
import type { OwnParent } from "./own-parents.js";

/** What became of a rule. */
export interface RuleOutcome {
  readonly name?: string | undefined;
  readonly index: number;
  readonly problems: RouteProblems;
}

/** What a route is for one parent. */
export interface ParentVerdict {
  readonly accepted: boolean;
  readonly conditions: readonly Condition[];
}

/** `problems` are those of the whole route, such as hostnames that can't be matched. */
export function judge(
  route: AttachableRoute,
  own: OwnParent,
  problems: RouteProblems,
  plans: readonly RuleOutcome[],
): ParentVerdict {
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

interface Acceptance {
  readonly reason: string;
  readonly message: string;
  readonly dropped: readonly {
    readonly name: string;
    readonly reason: RefusedReason;
    readonly message: string;
  }[];
}

/** A route is accepted as long as one of its rules can be done as written. */
function acceptance(
  { parent, attached }: OwnParent,
  problems: RouteProblems,
  plans: readonly RuleOutcome[],
): Acceptance {
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
): Acceptance {
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
