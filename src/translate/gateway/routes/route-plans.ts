import type { Gateway } from "../../../api/gateway.js";
import { isSameJson } from "../../../status/json.js";
import { getOrInsert } from "../../../support/group-by.js";
import { closedMatches } from "./closed-matches.js";
import type { Findings } from "./findings.js";
import type { GatewayParent } from "./parents.js";
import { planRules, refusedContent } from "./rule-plan.js";
import type { RulePlan } from "./rule-plan.js";
import type { RoutePolicies, RuleScope } from "./scope.js";

/** What the plans asked of the policies on behalf of a Gateway, and the answer. */
interface GatewayQuestion {
  readonly ask: (gateway: Gateway) => unknown;
  readonly answer: unknown;
}

interface SharedPlans {
  readonly bodyLimit: number;
  readonly questions: readonly GatewayQuestion[];
  readonly plans: readonly RulePlan[];
}

/** A route's rules, planned once for all Gateways of one body limit whose policies answer alike: they differ by nothing else. */
export class RoutePlans {
  readonly #scope: Pick<RuleScope, "route" | "policies" | "context">;
  /** Of the whole route: with one, none of its rules can be done as written. */
  readonly #findings: Findings;
  /** Pairs of listener and host that the route is too large for. */
  readonly #tooMany: number | undefined;
  readonly #plans = new Map<Gateway, readonly RulePlan[]>();
  readonly #shared: SharedPlans[] = [];

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
    return getOrInsert(this.#plans, gateway, () => {
      const known = this.#shared.find(
        ({ bodyLimit: its, questions }) =>
          its === bodyLimit &&
          questions.every(({ ask, answer }) => isSameJson(ask(gateway), answer)),
      );
      return known?.plans ?? this.#planned(gateway, bodyLimit);
    });
  }

  #planned(gateway: Gateway, bodyLimit: number): readonly RulePlan[] {
    const questions: GatewayQuestion[] = [];
    const asking = <Answer>(ask: (gateway: Gateway) => Answer): Answer => {
      const answer = ask(gateway);
      questions.push({ ask, answer });
      return answer;
    };
    const { policies } = this.#scope;
    const listening: RoutePolicies = {
      backendTls: (_, backend) => asking((its) => policies.backendTls(its, backend)),
      extension: (ref, place) => policies.extension(ref, place),
      externalAuth: (filter, place) => asking((its) => policies.externalAuth(filter, place, its)),
      attached: (route, rule) => policies.attached(route, rule),
    };
    const plans = this.#refuse(
      planRules({ ...this.#scope, policies: listening, gateway, bodyLimit }),
    );
    this.#shared.push({ bodyLimit, questions, plans });
    return plans;
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
