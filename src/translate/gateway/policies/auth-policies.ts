import type { AuthPolicy } from "../../../api/auth-policy.js";
import type { GrpcRoute, HttpRoute } from "../../../api/gateway.js";
import type { ResourceRef } from "../../../diagnostics/diagnostic.js";
import type { BuildContext } from "../../build-context.js";
import { placeOf, resourceRef, sourceRef } from "../../place.js";
import type { ListenerState } from "../model.js";
import { GATEWAY_GROUP } from "../model.js";
import { closedTarget } from "./auth-policy-targets.js";
import type { PolicyTarget } from "./policy-targets.js";
import { TargetIndex, targetKey, targetOf, targetRefs } from "./policy-targets.js";
import { refusedPolicyOf } from "./refused-policies.js";

/** AuthPolicies by what they are for, and their ids in the data plane. */
export class AuthPolicies {
  readonly index: TargetIndex<AuthPolicy>;
  readonly #context: BuildContext;
  /** By the key of a whole object: the policy with a misspelt target that closes it. */
  readonly #closing = new Map<string, AuthPolicy>();

  constructor(context: BuildContext) {
    this.#context = context;
    const policies = context.resources.list("AuthPolicy");
    this.index = new TargetIndex(policies);
    for (const policy of policies) {
      for (const target of targetRefs(policy).map((ref) => targetOf(policy, ref))) {
        const closed = closedTarget(target, context.resources);
        if (closed !== undefined) this.#closing.set(targetKey(closed), policy);
      }
    }
  }

  /** Ids of one policy: none when it configures nothing. */
  idsOf(policy: AuthPolicy): readonly string[] {
    return this.#context.auth.fromObject(policy.spec, {
      resource: resourceRef(policy),
      field: ["spec"],
      operator: false,
    });
  }

  /** A policy that is there but can't be read: what names it is closed. */
  closedBy(resource: ResourceRef): readonly string[] {
    const { kind, namespace, name } = resource;
    const id = `${kind.toLowerCase()}/${namespace}/${name}`;
    const source = sourceRef({ resource, field: [] });
    const invalid = `auth policy ${namespace}/${name} can't be read`;
    this.#context.auth.add({ id, source, invalid });
    return [id];
  }

  /** Of the policy for a rule, by its name, or for its route; undefined: there is none. */
  ofRule(route: HttpRoute | GrpcRoute, rule: string | undefined): readonly string[] | undefined {
    const whole = targetFor(route);
    return this.#narrowest(rule === undefined ? [whole] : [{ ...whole, section: rule }, whole]);
  }

  /** Of the policy for a listener, its ListenerSet or its Gateway. */
  ofListener({ parent, gateway, name }: ListenerState): readonly string[] {
    const whole = targetFor(parent);
    return this.#narrowest([{ ...whole, section: name }, whole, targetFor(gateway)]) ?? [];
  }

  /**
   * The policy of the first level that has one. An unreadable policy closes everything of its namespace that is not covered by a
   * narrower object's policy of another namespace, because it could be for it.
   */
  #narrowest(levels: readonly PolicyTarget[]): readonly string[] | undefined {
    if (this.index.isEmpty && this.#context.resources.refused.length === 0) return undefined;
    for (const level of levels) {
      const unreadable = refusedPolicyOf("AuthPolicy", level.namespace, this.#context);
      if (unreadable !== undefined) return this.closedBy(unreadable);
      const closing = this.#closing.get(targetKey({ ...level, section: "" }));
      if (closing !== undefined) return this.#closedByTarget(closing);
      const policy = this.index.winner(level);
      if (policy !== undefined) return this.idsOf(policy);
    }
    return undefined;
  }

  /** The policy may be in force elsewhere, so what closes has an id of its own. */
  #closedByTarget(policy: AuthPolicy): readonly string[] {
    const resource = resourceRef(policy);
    const { namespace, name } = policy.metadata;
    const id = `authpolicy/${namespace}/${name}/misspelt`;
    const source = sourceRef({ resource, field: ["spec", "targetRefs"] });
    const invalid = `auth policy ${namespace}/${name} has a misspelt target`;
    this.#context.auth.add({ id, source, invalid });
    return [id];
  }

  reportUnused(used: ReadonlySet<AuthPolicy>): void {
    for (const policy of this.#context.resources.list("AuthPolicy")) {
      if (used.has(policy) || (policy.spec.targetRefs ?? []).length > 0) continue;
      this.#context.diagnostics.report({
        code: "POLICY_UNUSED",
        message: "no ExtensionRef filter names it, and it has no targetRefs",
        ...placeOf(policy, "spec"),
      });
    }
  }
}

function targetFor({
  kind,
  metadata,
}: HttpRoute | GrpcRoute | ListenerState["parent"]): PolicyTarget {
  return { group: GATEWAY_GROUP, kind, namespace: metadata.namespace, name: metadata.name };
}
