import { GATEWAY_GROUP } from "../../../api/wire.js";
import type { AuthPolicy } from "../../../api/auth.js";
import type { GrpcRoute, HttpRoute, ParentReference } from "../../../api/gateway.js";
import type { ResourceRef } from "../../../diagnostics/diagnostic.js";
import type { ObjectStatus } from "../../../status/object-status.js";
import { groupBy } from "../../../support/collections.js";
import type { AuthContext } from "../../auth/auth-context.js";
import { settingsOfObject } from "../../auth/methods.js";
import { nameOf, placeOf, resourceRef, sourceRef } from "../../place.js";
import type { Fact } from "../../keys.js";
import { policiesKey } from "../../keys.js";
import type { GatewayState, ListenerState } from "../model.js";
import type { Verdict } from "../verdict.js";
import { HOLDS, refused } from "../verdict.js";
import { closedTarget, resolveTargets } from "./auth-policy-targets.js";
import type { PolicyTarget } from "./policy-targets.js";
import {
  TargetIndex,
  conflictMessage,
  policyStatus,
  refusedPolicyOf,
  targetKey,
  targetsOf,
} from "./policy-targets.js";

/** AuthPolicies by target, and their ids in the data plane. */
export class AuthPolicies {
  readonly index: TargetIndex<AuthPolicy>;
  readonly #context: AuthContext;
  /** By the key of a whole object: the policy with a misspelt target that closes it. */
  readonly #closing = new Map<
    string,
    { readonly target: PolicyTarget; readonly policy: AuthPolicy }
  >();

  constructor(context: AuthContext) {
    this.#context = context;
    const policies = context.resources.list("AuthPolicy");
    this.index = new TargetIndex(policies);
    for (const policy of policies) {
      for (const target of targetsOf(policy)) {
        const closed = closedTarget(target, context.resources);
        if (closed !== undefined) this.#closing.set(targetKey(closed), { target: closed, policy });
      }
    }
  }

  /** What `ofRule` depends on, except for policies that can't be read. */
  get facts(): Iterable<Fact> {
    const winners = [...this.index.winners].map(({ target, policy }): Fact => {
      const isEmpty = settingsOfObject(policy.spec, []) === undefined;
      return [policiesKey(target), [target.section, nameOf(policy), isEmpty]];
    });
    const closing = [...this.#closing.values()].map(({ target, policy }): Fact => {
      return [policiesKey(target), ["closed by", nameOf(policy)]];
    });
    return [...winners, ...closing];
  }

  /** Ids of one policy; empty: it configures nothing. */
  idsOf(policy: AuthPolicy): readonly string[] {
    return this.#context.auth.fromObject(policy.spec, {
      resource: resourceRef(policy),
      field: ["spec"],
      operator: false,
    });
  }

  /** For a policy that exists but can't be read: closes whatever names it. */
  closedBy(resource: ResourceRef): readonly string[] {
    const { kind, namespace, name } = resource;
    const id = `${kind.toLowerCase()}/${namespace}/${name}`;
    const source = sourceRef({ resource, field: [] });
    const invalid = `auth policy ${namespace}/${name} can't be read`;
    this.#context.auth.add({ id, source, invalid });
    return [id];
  }

  /** Ids of the policy for a rule, by its name, or for its route; undefined: there is none. */
  ofRule(route: HttpRoute | GrpcRoute, rule: string | undefined): readonly string[] | undefined {
    const whole = targetFor(route);
    return this.#narrowest(rule === undefined ? [whole] : [{ ...whole, section: rule }, whole]);
  }

  /** Ids of the policy for a listener, its ListenerSet or its Gateway. */
  ofListener({ parent, gateway, name }: ListenerState): readonly string[] {
    const whole = targetFor(parent);
    return this.#narrowest([{ ...whole, section: name }, whole, targetFor(gateway)]) ?? [];
  }

  /**
   * Ids of the policy of the first level that has one. An unreadable policy could be for anything in its namespace, so it closes
   * everything there, except what a narrower policy of another namespace covers.
   */
  #narrowest(levels: readonly PolicyTarget[]): readonly string[] | undefined {
    if (this.index.isEmpty && this.#context.resources.refused.length === 0) return undefined;
    for (const level of levels) {
      const unreadable = refusedPolicyOf("AuthPolicy", level.namespace, this.#context);
      if (unreadable !== undefined) return this.closedBy(unreadable);
      const closing = this.#closing.get(targetKey({ ...level, section: "" }));
      if (closing !== undefined) return this.#closedByTarget(closing.policy);
      const policy = this.index.winner(level);
      if (policy !== undefined) return this.idsOf(policy);
    }
    return undefined;
  }

  /** The policy may be in force elsewhere, so what it closes gets an id of its own. */
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
      if (used.has(policy) || targetsOf(policy).length > 0) continue;
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

/**
 * The statuses of AuthPolicies; reports problems of their targets. `named`: the Gateways that a policy serves by ExtensionRef filters. A
 * policy is accepted for an ancestor if it is in force for one of the targets that lead there.
 */
export function authPolicyStatuses(
  policies: AuthPolicies,
  named: ReadonlyMap<AuthPolicy, readonly ParentReference[]>,
  states: readonly GatewayState[],
  context: AuthContext,
): readonly ObjectStatus[] {
  return context.resources.list("AuthPolicy").flatMap((policy) => {
    const gateways = (named.get(policy) ?? []).map((ref) => ({ ref, verdict: HOLDS }));
    const targets = targetVerdicts(policy, policies, states, context);
    const byAncestor = groupBy([...gateways, ...targets], ({ ref }) => JSON.stringify(ref));
    const ancestors = [...byAncestor.values()].flatMap((entries) => {
      const entry = entries.find(({ verdict }) => verdict.ok) ?? entries[0];
      if (entry === undefined) return [];
      const { ref, verdict } = entry;
      return {
        ref,
        verdicts: () => ({
          Accepted: verdict.ok ? contentVerdict(policy, policies, context) : verdict,
        }),
      };
    });
    return policyStatus(policy, ancestors, context);
  });
}

/** Whether the policy is in force for its targets, for each ancestor that a target leads to. */
function targetVerdicts(
  policy: AuthPolicy,
  { index }: AuthPolicies,
  states: readonly GatewayState[],
  { resources, diagnostics }: AuthContext,
): readonly { readonly ref: ParentReference; readonly verdict: Verdict }[] {
  return resolveTargets(policy, states, resources).flatMap((resolved, i) => {
    const { target, ancestors, problem, streams = [] } = resolved;
    const place = placeOf(policy, "spec", "targetRefs", i);
    if (streams.length > 0) {
      const message = `auth is for requests; connections are passed on without it by ${streams.join(", ")}`;
      diagnostics.report({ code: "POLICY_NOT_FOR_CONNECTIONS", message, ...place });
    }
    const winner = problem === undefined ? index.winner(target) : undefined;
    const conflict =
      winner === undefined || winner === policy
        ? undefined
        : refused("Conflicted", conflictMessage(target, winner));
    const verdict = problem ?? conflict ?? HOLDS;
    if (!verdict.ok) {
      const code = problem?.code ?? "POLICY_CONFLICT";
      diagnostics.report({ code, message: verdict.message, ...place });
    }
    return ancestors.map((ref) => ({ ref, verdict }));
  });
}

/** A policy that can't be used is in force nevertheless, and closes its targets. */
function contentVerdict(
  policy: AuthPolicy,
  policies: AuthPolicies,
  { auth }: AuthContext,
): Verdict {
  const [problem] = policies.idsOf(policy).flatMap((id) => auth.invalid(id) ?? []);
  return problem === undefined
    ? HOLDS
    : refused("Invalid", `what it covers answers 503 until this is corrected: ${problem}`);
}
