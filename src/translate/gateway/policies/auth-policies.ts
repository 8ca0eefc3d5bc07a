import { GATEWAY_GROUP } from "../../../api/wire.js";
import type { AuthPolicy } from "../../../api/auth.js";
import type { GrpcRoute, HttpRoute, ParentReference } from "../../../api/gateway.js";
import type { ResourceRef } from "../../../diagnostics/diagnostic.js";
import type { ObjectStatus } from "../../../status/object-status.js";
import { getOrInsert } from "../../../support/collections.js";
import type { AuthContext } from "../../auth/auth-policies.js";
import { settingsOfObject } from "../../auth/methods.js";
import { nameOf, placeOf, resourceRef, sourceRef } from "../../place.js";
import { policiesKey } from "../keys.js";
import type { Fact } from "../keys.js";
import type { GatewayState, ListenerState } from "../model.js";
import type { Verdict } from "../verdict.js";
import { HOLDS, refused } from "../verdict.js";
import type { ResolvedTarget } from "./auth-policy-targets.js";
import { closedTarget, resolveTargets } from "./auth-policy-targets.js";
import { conflictMessage, policyStatus } from "./policy-status.js";
import type { PolicyTarget } from "./policy-targets.js";
import { TargetIndex, refusedPolicyOf, targetKey, targetOf, targetRefs } from "./policy-targets.js";

/** AuthPolicies by what they are for, and their ids in the data plane. */
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
      for (const target of targetRefs(policy).map((ref) => targetOf(policy, ref))) {
        const closed = closedTarget(target, context.resources);
        if (closed !== undefined) this.#closing.set(targetKey(closed), { target: closed, policy });
      }
    }
  }

  /** What `ofRule` depends on, but for policies that can't be read. */
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
      if (closing !== undefined) return this.#closedByTarget(closing.policy);
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

/** What is said about one ancestor, from all targets that lead to it; one in force is enough to be accepted. */
interface Entry {
  readonly ref: ParentReference;
  readonly verdicts: Verdict[];
}

/**
 * Statuses of AuthPolicies, and reports on their targets. `named` are the Gateways that a policy serves by ExtensionRef filters.
 */
export function authPolicyStatuses(
  policies: AuthPolicies,
  named: ReadonlyMap<AuthPolicy, readonly ParentReference[]>,
  states: readonly GatewayState[],
  context: AuthContext,
): readonly ObjectStatus[] {
  const known = { resources: context.resources, states };
  return context.resources.list("AuthPolicy").flatMap((policy) => {
    const entries = new Map<string, Entry>();
    for (const ref of named.get(policy) ?? []) addVerdict(entries, ref, HOLDS);
    for (const resolved of resolveTargets(policy, known)) {
      const verdict = targetVerdict(policy, resolved, policies);
      report(policy, resolved, verdict, context);
      for (const ref of resolved.ancestors) addVerdict(entries, ref, verdict);
    }
    const ancestors = [...entries.values()].map(({ ref, verdicts }) => {
      const inForce = verdicts.find(({ ok }) => ok) ?? verdicts[0] ?? HOLDS;
      return {
        ref,
        verdicts: () => ({
          Accepted: inForce.ok ? contentVerdict(policy, policies, context) : inForce,
        }),
      };
    });
    return policyStatus(policy, ancestors, context);
  });
}

function addVerdict(entries: Map<string, Entry>, ref: ParentReference, verdict: Verdict): void {
  getOrInsert(entries, JSON.stringify(ref), () => ({ ref, verdicts: [] })).verdicts.push(verdict);
}

function targetVerdict(
  policy: AuthPolicy,
  { target, problem }: ResolvedTarget,
  { index }: AuthPolicies,
): Verdict {
  if (problem !== undefined) return refused(problem.reason, problem.message);
  const winner = index.winner(target);
  return winner === undefined || winner === policy
    ? HOLDS
    : refused("Conflicted", conflictMessage(target, winner));
}

/** A policy that can't be used is in force all the same, and closes what it is for. */
function contentVerdict(
  policy: AuthPolicy,
  policies: AuthPolicies,
  { auth }: AuthContext,
): Verdict {
  const problems = policies.idsOf(policy).flatMap((id) => auth.invalid(id) ?? []);
  const [problem] = problems;
  return problem === undefined
    ? HOLDS
    : refused("Invalid", `what it covers answers 503 until this is corrected: ${problem}`);
}

function report(
  policy: AuthPolicy,
  { index, problem, streams = [] }: ResolvedTarget,
  verdict: Verdict,
  { diagnostics }: AuthContext,
): void {
  const place = placeOf(policy, "spec", "targetRefs", index);
  if (streams.length > 0) {
    const message = `auth is for requests; connections are passed on without it by ${streams.join(", ")}`;
    diagnostics.report({ code: "POLICY_NOT_FOR_CONNECTIONS", message, ...place });
  }
  if (verdict.ok) return;
  const code = problem?.code ?? "POLICY_CONFLICT";
  diagnostics.report({ code, message: verdict.message, ...place });
}
