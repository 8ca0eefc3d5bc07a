/** Direct policy attachment (GEP-713): what a policy targets, which policy is in force there, and what its status says. */
import { GATEWAY_GROUP, type KubernetesObject } from "../../../api/wire.js";
import type {
  Gateway,
  ParentReference,
  PolicyStatus,
  PolicyTargetReference,
} from "../../../api/gateway.js";
import { type ObjectStatus, statusOf } from "../../../status/object-status.js";
import { getOrInsert, memoized } from "../../../support/collections.js";
import { SHARED_SHAPE, own } from "../../../support/json-object.js";
import type { TranslateContext } from "../../context.js";
import { nameOf, placeOf } from "../../place.js";
import { compareAge } from "../../precedence.js";
import type { GatewayState } from "../model.js";
import { type Verdict, condition } from "../verdict.js";

export interface TargetingPolicy extends KubernetesObject {
  readonly spec: { readonly targetRefs?: readonly PolicyTargetReference[] };
  readonly status?: PolicyStatus;
}

/** An object, or one of its sections: a listener of a Gateway, a port of a Service, a rule of a route. */
export interface PolicyTarget {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly section?: string | undefined;
}

/** Which policy is in force for a target: the oldest, then the first by namespace and name. All others conflict with it. */
export class TargetIndex<P extends TargetingPolicy> {
  readonly #winners = new Map<string, { readonly target: PolicyTarget; readonly policy: P }>();

  constructor(policies: readonly P[]) {
    for (const policy of [...policies].sort(compareAge)) {
      for (const target of targetsOf(policy)) {
        const key = targetKey(target);
        if (!this.#winners.has(key)) this.#winners.set(key, { target, policy });
      }
    }
  }

  get isEmpty(): boolean {
    return this.#winners.size === 0;
  }

  /** The policy for exactly this object or section; a section does not get the policy of its object. */
  winner(target: PolicyTarget): P | undefined {
    return this.isEmpty ? undefined : this.#winners.get(targetKey(target))?.policy;
  }

  /** Every target, and the policy that is in force for it. */
  get winners(): Iterable<{ readonly target: PolicyTarget; readonly policy: P }> {
    return this.#winners.values();
  }
}

const NONE: readonly PolicyTarget[] = [];

/** In the order of targetRefs; targets are in the policy's own namespace. Of thousands of policies few are new. */
export const targetsOf = memoized(({ metadata, spec }: TargetingPolicy) =>
  spec.targetRefs === undefined
    ? NONE
    : spec.targetRefs.map(({ group, kind, name, sectionName }): PolicyTarget => {
        const section = sectionName === "" ? undefined : sectionName;
        return { group, kind, namespace: metadata.namespace, name, section };
      }),
);

/** For messages: `Service default/web`, `Gateway infra/edge, section https`. */
export function shownTarget({ kind, namespace, name, section }: PolicyTarget): string {
  const object = `${kind} ${namespace}/${name}`;
  return section === undefined ? object : `${object}, section ${section}`;
}

export function targetKey({ group, kind, namespace, name, section = "" }: PolicyTarget): string {
  return [group, kind, namespace, name, section].join("|");
}

/** Why a policy is not in force for a target that another policy has. */
export function conflictMessage(target: PolicyTarget, winner: KubernetesObject): string {
  return `${nameOf(winner)} is in force for ${shownTarget(target)}: it is older, or of equal age and first by name`;
}

/** A Gateway, or one of its listeners, as an ancestor in a policy's status. */
export function gatewayRef({ metadata }: Gateway, section?: string): ParentReference {
  const { namespace, name } = metadata;
  return targetAsAncestor({ group: GATEWAY_GROUP, kind: "Gateway", namespace, name, section });
}

/** The target itself as the ancestor, if it is unknown to which Gateway it belongs. */
export function targetAsAncestor({ section, ...object }: PolicyTarget): ParentReference {
  return { ...SHARED_SHAPE, ...object, ...(section !== undefined && { sectionName: section }) };
}

/** Positions in the list of Gateways, by the title of each Gateway and ListenerSet; computed once for all routes and policies. */
const indexed = memoized((states: readonly GatewayState[]) => {
  const index = new Map<string, Set<number>>();
  for (const [position, { gateway, listeners }] of states.entries()) {
    for (const object of [gateway, ...listeners.map(({ parent }) => parent)]) {
      getOrInsert(index, nameOf(object), () => new Set()).add(position);
    }
  }
  return index;
});

/** The Gateways that have one of these titles, such as `Gateway infra/edge`, or listeners of a ListenerSet that has one; each once. */
export function gatewaysNamed(
  titles: Iterable<string>,
  states: readonly GatewayState[],
): readonly Gateway[] {
  const index = indexed(states);
  const positions = new Set(
    Array.from(new Set(titles)).flatMap((title) => [...(index.get(title) ?? [])]),
  );
  return [...positions]
    .sort((a, b) => a - b)
    .flatMap((position) => states[position]?.gateway ?? []);
}

/** Entries that a status can hold (Gateway API, PolicyStatus). */
const MAX_ANCESTORS = 16;

/** Messages of conditions that hold. */
const MESSAGES: Readonly<Record<string, string>> = {
  Accepted: "the policy is in force",
  ResolvedRefs: "every reference is resolved",
};

/**
 * The status of a policy; none if no Gateway of ours uses it and its current status has no entry of ours. Entries of other controllers
 * take room: a status can't hold more than sixteen. `verdicts` is called only for ancestors that the status has room for.
 */
export function policyStatus(
  policy: TargetingPolicy,
  ancestors: readonly {
    readonly ref: ParentReference;
    /** By condition type. */
    readonly verdicts: () => Readonly<Record<string, Verdict>>;
  }[],
  { options, diagnostics }: TranslateContext,
): readonly ObjectStatus[] {
  const { controllerName } = options;
  const written = policy.status?.ancestors ?? [];
  const others = written.filter((entry) => entry.controllerName !== controllerName);
  if (ancestors.length === 0 && others.length === written.length) return [];
  const room = Math.max(0, MAX_ANCESTORS - others.length);
  if (ancestors.length > room) {
    const message = `the status has room for ${String(room)} of its ${String(ancestors.length)} entries`;
    const place = placeOf(policy, "status", "ancestors");
    diagnostics.report({ code: "POLICY_STATUS_FULL", message, ...place });
  }
  const entries = ancestors.slice(0, room).map(({ ref, verdicts }) => ({
    ancestorRef: ref,
    controllerName,
    conditions: Object.entries(verdicts()).map(([type, verdict]) =>
      condition(type, verdict, { reason: type, message: own(MESSAGES, type) ?? "" }, policy),
    ),
  }));
  return [statusOf(policy, { ancestors: entries })];
}
