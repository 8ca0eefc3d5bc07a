import { isSameJson } from "../../../status/json.js";
import { getOrInsert, groupBy } from "../../../support/collections.js";
import type { AlikeGateways } from "../model.js";
import { closedMatches } from "./closed-matches.js";
import type { RouteProblems } from "../route-problems.js";
import type { OwnParent } from "./own-parents.js";
import type { GatewayParent } from "./parents.js";
import { planRules, refusedContent } from "./rule-plan.js";
import type { RulePlan } from "./rule-plan.js";
import type { RoutePolicies, RuleScope } from "../rule-scope.js";

/** What the plans asked of the policies on behalf of Gateways, and the answer. */
interface GatewayQuestion {
  readonly ask: (gateways: AlikeGateways) => unknown;
  readonly answer: unknown;
}

interface SharedPlans {
  readonly bodyLimit: number;
  readonly questions: readonly GatewayQuestion[];
  readonly plans: readonly RulePlan[];
}

interface PlansScope extends Pick<RuleScope, "route" | "policies" | "context"> {
  readonly own: readonly OwnParent[];
}

/** A route's rules, planned once for all Gateways of one body limit whose policies answer alike: they differ by nothing else. */
export class RoutePlans {
  readonly #scope: PlansScope;
  /** Of the whole route: with one, none of its rules can be done as written. */
  readonly #findings: RouteProblems;
  /** Pairs of listener and host that the route is too large for. */
  readonly #tooMany: number | undefined;
  /** Each Gateway's group, which is asked for as one: few bytes of parentRefs and backendRefs make thousands of pairs. */
  readonly #gateways = new Map<GatewayParent["gateway"], AlikeGateways>();
  readonly #plans = new Map<AlikeGateways, readonly RulePlan[]>();
  readonly #shared: SharedPlans[] = [];

  /** `tooMany`: pairs of listener and host that so many matches can't be bound to. */
  constructor(scope: PlansScope, findings: RouteProblems, tooMany?: number) {
    this.#scope = scope;
    this.#findings = findings;
    this.#tooMany = tooMany;
    const parents = new Map(scope.own.map(({ parent }) => [parent.gateway, parent]));
    const alike = groupBy(parents.values(), ({ gateway, bodyLimit, namesCertificate }) =>
      namesCertificate ? gateway : bodyLimit,
    );
    for (const group of alike.values()) {
      const gateways = group.map(({ gateway }) => gateway);
      for (const gateway of gateways) this.#gateways.set(gateway, gateways);
    }
  }

  of({ gateway, bodyLimit }: Pick<GatewayParent, "gateway" | "bodyLimit">): readonly RulePlan[] {
    const gateways = this.#gateways.get(gateway) ?? [gateway];
    return getOrInsert(this.#plans, gateways, () => {
      const known = this.#shared.find(
        ({ bodyLimit: its, questions }) =>
          its === bodyLimit &&
          questions.every(({ ask, answer }) => isSameJson(ask(gateways), answer)),
      );
      return known?.plans ?? this.#planned(gateways, bodyLimit);
    });
  }

  #planned(gateways: AlikeGateways, bodyLimit: number): readonly RulePlan[] {
    const questions: GatewayQuestion[] = [];
    const asking = <Answer>(ask: (gateways: AlikeGateways) => Answer): Answer => {
      const answer = ask(gateways);
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
      planRules({ ...this.#scope, policies: listening, gateways, bodyLimit }),
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
