import type { Gateway } from "../../../api/gateway.js";
import type { ListenerState } from "../model.js";
import type { Findings } from "./findings.js";
import type { OwnParent } from "./own-parents.js";
import { planRules, refusedContent } from "./rule-plan.js";
import type { RulePlan } from "./rule-plan.js";
import type { RuleScope } from "./scope.js";

/** A route's rules, planned once for each Gateway and port: they differ by nothing else. */
export class RoutePlans {
  readonly #scope: Pick<RuleScope, "route" | "policies" | "build">;
  /** Of the whole route: with one, none of its rules can be done as written. */
  readonly #findings: Findings;
  readonly #plans = new Map<string, readonly RulePlan[]>();

  constructor(scope: Pick<RuleScope, "route" | "policies" | "build">, findings: Findings) {
    this.#scope = scope;
    this.#findings = findings;
  }

  /** For what a parent is told. */
  of({ parent, attached }: OwnParent): readonly RulePlan[] {
    const listener = attached.ok ? attached.attachments[0]?.listener : parent.listeners[0];
    return this.#plan(parent.gateway, listener?.port ?? 0);
  }

  on({ gateway, port }: ListenerState): readonly RulePlan[] {
    return this.#plan(gateway, port);
  }

  #plan(gateway: Gateway, port: number): readonly RulePlan[] {
    const key = `${gateway.metadata.namespace}/${gateway.metadata.name}:${String(port)}`;
    const plans =
      this.#plans.get(key) ?? this.#refuse(planRules({ ...this.#scope, gateway, port }));
    this.#plans.set(key, plans);
    return plans;
  }

  #refuse(plans: readonly RulePlan[]): readonly RulePlan[] {
    const [invalid] = this.#findings.refused;
    if (invalid === undefined) return plans;
    const content = refusedContent(invalid.field);
    return plans.map((plan) => ({
      ...plan,
      branches: plan.branches.map((branch) => ({ ...branch, content })),
    }));
  }
}
