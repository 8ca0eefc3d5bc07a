import { getOrInsert, groupBy } from "../../../support/collections.js";
import type { AlikeGateways } from "../model.js";
import type { RouteProblems } from "../route-problems.js";
import type { RuleScope } from "../rule-scope.js";
import { closedMatches } from "./closed-matches.js";
import type { OwnParent } from "./own-parents.js";
import type { GatewayParent } from "./parents.js";
import { planRules, refusedContent } from "./rule-plan.js";
import type { RulePlan } from "./rule-plan.js";

interface PlansScope extends Pick<RuleScope, "route" | "policies" | "context"> {
  readonly own: readonly OwnParent[];
}

/**
 * A route's rules, planned once for all Gateways of one body limit that show backends the same certificate: by nothing else do they
 * differ, and few bytes of parentRefs and backendRefs make thousands of pairs.
 */
export class RoutePlans {
  readonly #scope: PlansScope;
  /** Of the whole route: with one, none of its rules can be done as written. */
  readonly #problems: RouteProblems;
  /** Pairs of listener and host that the route is too large for. */
  readonly #tooMany: number | undefined;
  readonly #gateways: ReadonlyMap<string, AlikeGateways>;
  readonly #plans = new Map<string, readonly RulePlan[]>();

  /** `tooMany`: pairs of listener and host that so many matches can't be bound to. */
  constructor(scope: PlansScope, problems: RouteProblems, tooMany?: number) {
    this.#scope = scope;
    this.#problems = problems;
    this.#tooMany = tooMany;
    const alike = groupBy(
      scope.own.map(({ parent }) => parent),
      likeness,
    );
    this.#gateways = new Map(
      [...alike].map(([key, group]) => [key, [...new Set(group.map(({ gateway }) => gateway))]]),
    );
  }

  of(parent: GatewayParent): readonly RulePlan[] {
    const key = likeness(parent);
    return getOrInsert(this.#plans, key, () =>
      this.#planned(this.#gateways.get(key) ?? [], parent),
    );
  }

  #planned(gateways: AlikeGateways, { bodyLimit }: GatewayParent): readonly RulePlan[] {
    const plans = planRules({ ...this.#scope, gateways, bodyLimit });
    const [invalid] = this.#problems.refused;
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

function likeness({ bodyLimit, clientCertificate = "" }: GatewayParent): string {
  return `${bodyLimit} ${clientCertificate}`;
}
