import type { Gateway, PolicyTargetReference } from "../../../api/gateway.js";
import type { KubernetesObject } from "../../../api/wire.js";
import type { ResourceRef } from "../../../diagnostics/diagnostic.js";
import { getOrInsert } from "../../../support/collections.js";
import type { TranslateContext } from "../../context.js";
import { compareAge } from "../../precedence.js";
import { refusedObjects } from "../../refused-objects.js";
import type { AlikeGateways, BackendPort } from "../model.js";

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
  readonly #winners = new Map<string, { readonly target: PolicyTarget; readonly policy: P }>();

  constructor(policies: readonly P[]) {
    for (const policy of [...policies].sort(compareAge)) {
      for (const ref of targetRefs(policy)) {
        const target = targetOf(policy, ref);
        const key = targetKey(target);
        if (!this.#winners.has(key)) this.#winners.set(key, { target, policy });
      }
    }
  }

  /** No policy is for anything. */
  get isEmpty(): boolean {
    return this.#winners.size === 0;
  }

  /** The policy for exactly this object or section; what holds for its whole object is asked for apart. */
  winner(target: PolicyTarget): P | undefined {
    return this.isEmpty ? undefined : this.#winners.get(targetKey(target))?.policy;
  }

  /** Every target, and the policy that is in force for it. */
  get winners(): Iterable<{ readonly target: PolicyTarget; readonly policy: P }> {
    return this.#winners.values();
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

interface Users {
  /** The lists as they were added. */
  readonly groups: Set<AlikeGateways>;
  /** The Gateways of all groups; absent until `of` needs them. */
  all?: ReadonlySet<Gateway>;
}

/**
 * Which Gateways use a Service. A backendRef adds the route's whole list of Gateways at once, since a few bytes make thousands of
 * pairs; only Services that a policy targets have their lists merged.
 */
export class ServiceUsers {
  readonly #users = new Map<string, Users>();

  add(gateways: AlikeGateways, { namespace, service }: BackendPort): void {
    const key = `${namespace}/${service}`;
    const users = getOrInsert(this.#users, key, (): Users => ({ groups: new Set() }));
    users.groups.add(gateways);
    delete users.all;
  }

  /** Of the Service that the target names, whatever its section. */
  of({ namespace, name }: PolicyTarget): ReadonlySet<Gateway> {
    const users = this.#users.get(`${namespace}/${name}`);
    if (users === undefined) return NO_GATEWAYS;
    return (users.all ??= new Set([...users.groups].flat()));
  }
}

const NO_GATEWAYS: ReadonlySet<Gateway> = new Set();

/**
 * A policy of the namespace that can't be read, so that nobody knows what it is for: it could be for anything of its namespace.
 * Reports it as what closes that.
 */
export function refusedPolicyOf(
  kind: "AuthPolicy" | "BackendTLSPolicy",
  namespace: string,
  { resources, diagnostics }: TranslateContext,
): ResourceRef | undefined {
  const [resource] = refusedObjects(resources, kind, namespace);
  if (resource === undefined) return undefined;
  const message =
    kind === "AuthPolicy"
      ? `what it is for can't be told: routes, listeners and Gateways of namespace ${namespace} that inherit auth are closed`
      : `what it is for can't be told: Services of namespace ${namespace} without another policy are closed`;
  diagnostics.report({ code: "POLICY_UNREADABLE", message, resource });
  return resource;
}
