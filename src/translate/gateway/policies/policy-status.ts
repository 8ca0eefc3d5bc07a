import { GATEWAY_GROUP } from "../../../api/wire.js";
import type { Gateway, ParentReference, PolicyStatus } from "../../../api/gateway.js";
import type { KubernetesObject } from "../../../api/wire.js";
import type { Condition, ObjectStatus } from "../../../status/object-status.js";
import type { TranslateContext } from "../../context.js";
import { nameOf, placeOf } from "../../place.js";
import type { Verdict } from "../verdict.js";
import type { PolicyTarget } from "./policy-targets.js";
import { shownTarget } from "./policy-targets.js";
import { own } from "../../../support/json-object.js";

/** Entries that a status holds (Gateway API, PolicyStatus). */
const MAX_ANCESTORS = 16;

/** Of conditions that hold. */
const MESSAGES: Readonly<Record<string, string>> = {
  Accepted: "the policy is in force",
  ResolvedRefs: "every reference is resolved",
};

/** What a policy's status says about one object that it is for. */
export interface PolicyAncestor {
  readonly ref: ParentReference;
  /** By condition type; called only for entries that the status has room for. */
  readonly verdicts: () => Readonly<Record<string, Verdict>>;
}

type Policy = KubernetesObject & { readonly status?: PolicyStatus };

/** A Gateway, or one of its listeners, as what a policy has an effect on. */
export function gatewayRef(gateway: Gateway, sectionName?: string): ParentReference {
  const { namespace, name } = gateway.metadata;
  return {
    group: GATEWAY_GROUP,
    kind: "Gateway",
    namespace,
    name,
    ...(sectionName !== undefined && { sectionName }),
  };
}

/** A target itself, where it can't be told which Gateway it belongs to. */
export function targetAsAncestor({
  group,
  kind,
  namespace,
  name,
  section,
}: PolicyTarget): ParentReference {
  return {
    group,
    kind,
    namespace,
    name,
    ...(section !== undefined && { sectionName: section }),
  };
}

/**
 * The status of a policy; none for one that nothing of ours uses and whose status says nothing of ours. Entries of other controllers
 * count, since a status can't hold more than sixteen.
 */
export function policyStatus(
  policy: Policy,
  ancestors: readonly PolicyAncestor[],
  context: TranslateContext,
): readonly ObjectStatus[] {
  const { controllerName } = context.options;
  const written = policy.status?.ancestors ?? [];
  const others = written.filter((entry) => entry.controllerName !== controllerName);
  if (ancestors.length === 0 && others.length === written.length) return [];
  const room = Math.max(0, MAX_ANCESTORS - others.length);
  if (ancestors.length > room) {
    context.diagnostics.report({
      code: "POLICY_STATUS_FULL",
      message: `the status has room for ${String(room)} of its ${String(ancestors.length)} entries`,
      ...placeOf(policy, "status", "ancestors"),
    });
  }
  const { apiVersion, kind, metadata } = policy;
  const { namespace, name } = metadata;
  const own = ancestors.slice(0, room).map(({ ref, verdicts }) => ({
    ancestorRef: ref,
    controllerName,
    conditions: conditionsOf(verdicts(), metadata.generation),
  }));
  return [{ apiVersion, kind, metadata: { name, namespace }, status: { ancestors: own } }];
}

function conditionsOf(
  verdicts: Readonly<Record<string, Verdict>>,
  generation: number | undefined,
): readonly Condition[] {
  return Object.entries(verdicts).map(([type, verdict]) => ({
    type,
    status: verdict.ok ? "True" : "False",
    reason: verdict.ok ? type : verdict.reason,
    message: verdict.ok ? (own(MESSAGES, type) ?? "") : verdict.message,
    ...(generation !== undefined && { observedGeneration: generation }),
  }));
}

/** Why a policy is not in force for a target that another one has. */
export function conflictMessage(target: PolicyTarget, winner: KubernetesObject): string {
  return `${nameOf(winner)} is in force for ${shownTarget(target)}: it is older, or of equal age and first by name`;
}
