import type { PolicyTargetReference } from "../../../api/gateway.js";
import type { KubernetesObject } from "../../../api/wire.js";
import { compareAge } from "../../precedence.js";

/** A policy that says itself what it is for (GEP-713, direct policy attachment). */
export interface TargetingPolicy extends KubernetesObject {
  readonly spec: { readonly targetRefs?: readonly PolicyTargetReference[] };
}

/** An object, or one of its sections: a listener of a Gateway, a port of a Service, a rule of a route. */
export interface PolicyTarget {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly section?: string | undefined;
}

/** Which policy is in force for a target: the older one, then the first by namespace and name; the others are in conflict. */
export class TargetIndex<P extends TargetingPolicy> {
  readonly #winners = new Map<string, P>();

  constructor(policies: readonly P[]) {
    for (const policy of [...policies].sort(compareAge)) {
      for (const ref of targetRefs(policy)) {
        const key = targetKey(targetOf(policy, ref));
        if (!this.#winners.has(key)) this.#winners.set(key, policy);
      }
    }
  }

  /** No policy is for anything. */
  get isEmpty(): boolean {
    return this.#winners.size === 0;
  }

  /** The policy for exactly this object or section; what holds for its whole object is asked for apart. */
  winner(target: PolicyTarget): P | undefined {
    return this.isEmpty ? undefined : this.#winners.get(targetKey(target));
  }
}

export function targetRefs(policy: TargetingPolicy): readonly PolicyTargetReference[] {
  return policy.spec.targetRefs ?? [];
}

/** Targets are in the policy's own namespace. */
export function targetOf(policy: TargetingPolicy, ref: PolicyTargetReference): PolicyTarget {
  const { group, kind, name, sectionName } = ref;
  const section = sectionName === "" ? undefined : sectionName;
  return { group, kind, namespace: policy.metadata.namespace, name, section };
}

/** For messages: `Service default/web`, `Gateway infra/edge, section https`. */
export function shownTarget({ kind, namespace, name, section }: PolicyTarget): string {
  const object = `${kind} ${namespace}/${name}`;
  return section === undefined ? object : `${object}, section ${section}`;
}

export function targetKey({ group, kind, namespace, name, section = "" }: PolicyTarget): string {
  return [group, kind, namespace, name, section].join("|");
}
