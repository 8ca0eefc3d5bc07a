import { filled } from "../../../support/fields.js";
import type { GrpcRouteRule, HttpRouteRule } from "../../../api/gateway.js";
import type { Route, Session } from "../../../model/route.js";
import type { Place } from "../../place.js";
import { placeOf, within } from "../../place.js";
import { invalidRule } from "../../reasons.js";
import { filterEffects } from "./filters.js";
import { Findings } from "./findings.js";
import { grpcMatches } from "./grpc-matches.js";
import { httpMatches } from "./http-matches.js";
import { replacesPrefix } from "./path-modifier.js";
import { ruleBackends } from "./rule-backends.js";
import type { RuleMatch } from "./rule-match.js";
import { ruleRetry } from "./rule-retry.js";
import { ruleSession } from "./rule-session.js";
import { ruleTimeouts } from "./rule-timeouts.js";
import { isGrpcRoute } from "./scope.js";
import type { FilterScope, RuleScope } from "./scope.js";

/** What a rule does, but for what it inherits. */
export type RuleContent = Omit<Route, "id" | "source" | "auth"> & {
  /** Of its own filters; absent: it has no auth filter. */
  readonly auth?: readonly string[];
};

/** Matches of a rule that do the same. */
export interface RuleBranch {
  /** Of the route; unique in all routes. */
  readonly id: string;
  readonly matches: readonly RuleMatch[];
  readonly content: RuleContent;
}

/** A rule as one Gateway serves it. */
export interface RulePlan {
  readonly index: number;
  readonly name?: string;
  readonly place: Place;
  readonly branches: readonly RuleBranch[];
  readonly findings: Findings;
}

type AnyRule = HttpRouteRule & Omit<GrpcRouteRule, "matches">;

/** The plans of the route's rules. */
export function planRules(scope: Omit<RuleScope, "findings">): readonly RulePlan[] {
  const { route, context } = scope;
  if (!isGrpcRoute(route)) {
    const { rules = [{}] } = route.spec;
    return rules.map((rule, index) => {
      const findings = new Findings(context.diagnostics);
      const place = placeOf(route, "spec", "rules", index);
      const matches = httpMatches(rule.matches, within(place, "matches"), findings);
      return planRule({ rule, index, place, matches }, { ...scope, findings });
    });
  }
  return (route.spec.rules ?? []).map(({ matches: given, ...rule }, index) => {
    const findings = new Findings(context.diagnostics);
    const place = placeOf(route, "spec", "rules", index);
    const matches = grpcMatches(given, within(place, "matches"), findings);
    return planRule({ rule, index, place, matches }, { ...scope, findings });
  });
}

interface RuleParts {
  readonly rule: Omit<AnyRule, "matches">;
  readonly index: number;
  readonly place: Place;
  readonly matches: readonly RuleMatch[];
}

function planRule(parts: RuleParts, scope: RuleScope): RulePlan {
  const { rule, index, place } = parts;
  const { kind, metadata } = scope.route;
  const id = `${kind.toLowerCase()}/${metadata.namespace}/${metadata.name}/${String(index)}`;
  const groups = matchGroups(parts);
  const branches = groups.map(({ matches, prefix }, group) => ({
    id: group === 0 ? id : `${id}-${String(matches[0]?.index ?? group)}`,
    matches,
    content: ruleContent(parts, id, { ...scope, prefix }),
  }));
  const [refused] = scope.findings.refused;
  return {
    index,
    ...(rule.name !== undefined && { name: rule.name }),
    place,
    branches:
      refused === undefined
        ? branches
        : branches.map((branch) => ({ ...branch, content: refusedContent(refused.field) })),
    findings: scope.findings,
  };
}

/** All matches together, or those of each prefix where the prefix is replaced. */
function matchGroups({ rule, matches }: RuleParts): readonly {
  readonly matches: readonly RuleMatch[];
  readonly prefix: string | undefined;
}[] {
  const filters = [
    ...(rule.filters ?? []),
    ...(rule.backendRefs ?? []).flatMap((backend) => backend.filters ?? []),
  ];
  const isPrefix = matches.every(({ prefix }) => prefix !== undefined);
  if (!isPrefix || !filters.some(replacesPrefix)) return [{ matches, prefix: undefined }];
  const prefixes = [...new Set(matches.map(({ prefix }) => prefix))];
  return prefixes.map((prefix) => ({
    matches: matches.filter((match) => match.prefix === prefix),
    prefix,
  }));
}

/** A rule that can't be done as written answers its requests itself, so that no wider rule serves them. */
export function refusedContent(field: string): RuleContent {
  return { refuse: invalidRule(field) };
}

function ruleContent({ rule, place }: RuleParts, id: string, scope: FilterScope): RuleContent {
  const { findings } = scope;
  const { mirrors, ...effects } = filterEffects(
    rule.filters ?? [],
    within(place, "filters"),
    scope,
  );
  const timeouts = ruleTimeouts(rule.timeouts ?? {});
  const retry = rule.retry && ruleRetry(rule.retry, within(place, "retry"), findings);
  const session = sessionOf(rule, id, place, findings);
  const { bodyLimit } = scope;
  const references = rule.backendRefs ?? [];
  const at = within(place, "backendRefs");
  return {
    ...effects,
    ...(mirrors && { mirrors }),
    ...timeouts,
    ...(retry && { retry }),
    ...(session && { session }),
    ...(bodyLimit !== scope.context.options.dataPlane.bodyLimit && { bodyLimit }),
    ...(effects.redirect === undefined && filled("backends", ruleBackends(references, at, scope))),
  };
}

function sessionOf(
  { sessionPersistence: spec }: Pick<AnyRule, "sessionPersistence">,
  id: string,
  place: Place,
  findings: Findings,
): Session | undefined {
  return spec && ruleSession(spec, id, within(place, "sessionPersistence"), findings);
}
