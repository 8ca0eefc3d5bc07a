import type { GrpcRoute, HttpRoute } from "../../../api/gateway.js";
import type { Condition } from "../../../status/condition.js";
import type { Finding, Findings, RefusedReason } from "./findings.js";
import type { OwnParent } from "./own-parents.js";
import type { RulePlan } from "./rule-plan.js";

/** A message has room for 32768 characters, and nobody reads more than this; diagnostics tell all. */
const MOST = 8;

/** What a route is for one parent. */
export interface ParentVerdict {
  readonly accepted: boolean;
  readonly conditions: readonly Condition[];
}

/** `findings` are those of the whole route, such as hostnames that can't be matched. */
export function judge(
  route: HttpRoute | GrpcRoute,
  own: OwnParent,
  findings: Findings,
  plans: readonly RulePlan[],
): ParentVerdict {
  const { generation } = route.metadata;
  const stamp = generation === undefined ? {} : { observedGeneration: generation };
  const { reason, message, dropped } = acceptance(own, findings, plans);
  const accepted = reason === "Accepted";
  const conditions: Condition[] = [
    { type: "Accepted", status: accepted ? "True" : "False", reason, message, ...stamp },
    { ...resolvedRefs(plans), ...stamp },
  ];
  if (accepted && dropped.length > 0) {
    const text = dropped.map(({ name, message: why }) => `Dropped Rule ${name}: ${why}`).join("; ");
    const partly = {
      type: "PartiallyInvalid",
      status: "True",
      reason: "UnsupportedValue",
    } as const;
    conditions.push({ ...partly, message: text, ...stamp });
  }
  return { accepted, conditions };
}

interface Acceptance {
  readonly reason: string;
  readonly message: string;
  readonly dropped: readonly { readonly name: string; readonly message: string }[];
}

/** A route is accepted as long as one of its rules can be done as written. */
function acceptance(
  { parent, attached }: OwnParent,
  findings: Findings,
  plans: readonly RulePlan[],
): Acceptance {
  if (!attached.ok) return { ...attached, dropped: [] };
  const [invalid] = findings.refused;
  if (invalid !== undefined) return refusal(findings.refused, invalid.reason);
  const refused = plans.filter((plan) => plan.findings.refused.length > 0);
  const all = refused.flatMap((plan) => plan.findings.refused);
  const [first] = all;
  if (first !== undefined && refused.length === plans.length) return refusal(all, first.reason);
  const names = attached.attachments.map(({ listener }) => listener.name).join(", ");
  const idle = attached.attachments.every(({ listener }) => listener.serves === undefined);
  const message = `attached to ${parent.title} by ${names}${idle ? ", which can't serve: see its status" : ""}`;
  return {
    reason: "Accepted",
    message,
    dropped: refused.map((plan) => ({
      name: plan.name ?? String(plan.index),
      message: listed(plan.findings.refused),
    })),
  };
}

function refusal(findings: readonly Finding<RefusedReason>[], reason: RefusedReason): Acceptance {
  return { reason, message: listed(findings), dropped: [] };
}

function resolvedRefs(plans: readonly RulePlan[]): Condition {
  const unresolved = plans.flatMap((plan) => plan.findings.unresolved);
  const [first] = unresolved;
  if (first === undefined) {
    const message = "everything that the rules name was found";
    return { type: "ResolvedRefs", status: "True", reason: "ResolvedRefs", message };
  }
  const message = listed(unresolved);
  return { type: "ResolvedRefs", status: "False", reason: first.reason, message };
}

function listed(findings: readonly Finding<string>[]): string {
  const messages = findings.slice(0, MOST).map(({ message }) => message);
  const more = findings.length - messages.length;
  return [...messages, ...(more > 0 ? [`and ${String(more)} more`] : [])].join("; ");
}
