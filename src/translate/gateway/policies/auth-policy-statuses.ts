import type { AuthPolicy } from "../../../api/auth-policy.js";
import type { ParentReference } from "../../../api/gateway.js";
import type { ObjectStatus } from "../../../status/object-status.js";
import { getOrInsert } from "../../../support/group-by.js";
import type { BuildContext } from "../../build-context.js";
import { placeOf } from "../../place.js";
import type { GatewayState } from "../model.js";
import { HOLDS, refused } from "../verdict.js";
import type { Verdict } from "../verdict.js";
import type { AuthPolicies } from "./auth-policies.js";
import type { ResolvedTarget } from "./auth-policy-targets.js";
import { resolveTargets } from "./auth-policy-targets.js";
import { conflictMessage, policyStatus } from "./policy-status.js";

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
  context: BuildContext,
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
  { auth }: BuildContext,
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
  { diagnostics }: BuildContext,
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
