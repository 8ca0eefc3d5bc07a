import type { Gateway } from "../../../api/gateway.js";
import { getOrInsert } from "../../../support/group-by.js";
import { closedMatches } from "./closed-matches.js";
import type { Findings } from "./findings.js";
import type { GatewayParent } from "./parents.js";
import { planRules, refusedContent } from "./rule-plan.js";
import type { RulePlan } from "./rule-plan.js";
import type { RuleScope } from "./scope.js";

/** A route's rules, planned once for each Gateway: they differ by nothing else. */
export class RoutePlans {
  readonly #scope: Pick<RuleScope, "route" | "policies" | "context">;
  /** Of the whole route: with one, none of its rules can be done as written. */
  readonly #findings: Findings;
  /** Pairs of listener and host that the route is too large for. */
  readonly #tooMany: number | undefined;
  readonly #plans = new Map<Gateway, readonly RulePlan[]>();

  /** `tooMany`: pairs of listener and host that so many matches can't be bound to. */
  constructor(
    scope: Pick<RuleScope, "route" | "policies" | "context">,
    findings: Findings,
    tooMany?: number,
  ) {
    this.#scope = scope;
    this.#findings = findings;
    this.#tooMany = tooMany;
  }

  of({ gateway, bodyLimit }: Pick<GatewayParent, "gateway" | "bodyLimit">): readonly RulePlan[] {
    return getOrInsert(this.#plans, gateway, () =>
      this.#refuse(planRules({ ...this.#scope, gateway, bodyLimit })),
    );
  }

  #refuse(plans: readonly RulePlan[]): readonly RulePlan[] {
    const [invalid] = this.#findings.refused;
    if (invalid === undefined) return plans;
    const content = refusedContent(invalid.field);
    const bound =
      this.#tooMany === undefined ? plans : closedMatches(plans, this.#scope.route, this.#tooMany);
    return bound.map((plan) => ({
      ...plan,
      branches: plan.branches.map((branch) => ({ ...branch, content })),
    }));
  }
}
