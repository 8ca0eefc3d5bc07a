import type { Rule } from "../../api/alb.js";
import type { HostPattern } from "../../model/values.js";
import { hostKey } from "../../model/values.js";
import type { Domains } from "../../model/options.js";
import { memoized } from "../../support/collections.js";
import type { AuthContext } from "../auth/auth-policies.js";
import type { HostClaims, HostFacts } from "../host-owners.js";
import { reportRestrictions } from "../ingress/annotation-report.js";
import type { EntryPort, LoadBalancer } from "../load-balancer.js";
import type { Place } from "../place.js";
import { placeOf, sourceRef } from "../place.js";
import type { PathClaim } from "../shadowed-paths.js";
import { INGRESS_PRIORITY, orderKey, specificity } from "../precedence.js";
import { parseDslx, dslxSizeProblem, widened } from "./dslx.js";
import type { ParsedDslx, DslxMatch } from "./dslx.js";
import { albNameOf, frontendNameOf, isGenerated } from "./alb-settings.js";
import { addRuleCertificate, translateRuleAction } from "./rule-action.js";
import type { StrayRules } from "./stray-rules.js";
import type { StrayPlace } from "./stray-rules.js";

/** What a Rule is translated with. */
export interface RuleScope {
  readonly balancers: readonly LoadBalancer[];
  readonly strays: StrayRules;
  readonly context: AuthContext;
  /** What the namespace of the Rule knows of hosts of a load balancer. */
  readonly factsOf: (balancer: LoadBalancer) => (host: HostPattern) => HostFacts;
  /** What is to be bound on a load balancer. */
  readonly claimsOn: (balancer: LoadBalancer) => PathClaim[];
}

/** A Rule, bound to its Frontend's port. */
export function translateRule(rule: Rule, scope: RuleScope): void {
  const { context, balancers, strays } = scope;
  const { domains } = context.options;
  const port = portOf(rule, rulePorts(balancers), domains);
  if (isGenerated(rule, domains)) reportGenerated(rule, context);
  else if (port !== undefined) bindRule(rule, port, scope);
  else closeStray(rule, strays.of(rule), scope);
  const what = reportRestrictions(rule, context);
  if (what !== undefined) {
    context.config.closeObject({ ...rule, closed: { what, extent: "paths" } });
  }
}

/** The hosts that a Rule names on each load balancer; undefined on those that it does not belong to. */
export function hostsOfRule(
  rule: Rule,
  { balancers, strays, context }: Pick<RuleScope, "balancers" | "strays" | "context">,
): readonly (HostClaims | undefined)[] {
  const { domains } = context.options;
  const ports = rulePorts(balancers);
  if (ports.size === 0 || isGenerated(rule, domains)) return [];
  const port = portOf(rule, ports, domains);
  const places = port === undefined ? strays.of(rule) : [port];
  const named = new Map((dslxOf(rule).match?.hosts ?? []).map((host) => [hostKey(host), host]));
  const claims = { object: rule, hosts: Array.from(named.values(), (host) => ({ host })) };
  return balancers.map((each) =>
    places.some(({ balancer }) => balancer === each) ? claims : undefined,
  );
}

/** A Frontend's port. */
interface RulePort {
  readonly port: EntryPort;
  readonly balancer: LoadBalancer;
}

/** By the namespace, ALB2 and Frontend that labels name. */
const rulePorts = memoized((balancers: readonly LoadBalancer[]): ReadonlyMap<string, RulePort> => {
  const found = new Map<string, RulePort>();
  for (const balancer of balancers) {
    const { alb, ports } = balancer;
    for (const port of ports) {
      if (alb === undefined || port.frontend === undefined) continue;
      const { namespace, name } = port.frontend.metadata;
      found.set(`${namespace}/${alb.metadata.name}/${name}`, { port, balancer });
    }
  }
  return found;
});

const dslxOf = memoized((rule: Rule) => parseDslx(rule.spec.dslx ?? []));

/** The port of its Frontend. */
function portOf(
  rule: Rule,
  ports: ReadonlyMap<string, RulePort>,
  domains: Domains,
): RulePort | undefined {
  const [alb, frontend] = [albNameOf(rule, domains), frontendNameOf(rule, domains)];
  return ports.get(`${rule.metadata.namespace}/${alb ?? ""}/${frontend ?? ""}`);
}

/** On all listeners at once: there may be thousands of such Rules and of Frontends. */
function closeStray(
  rule: Rule,
  places: readonly StrayPlace[],
  { context, factsOf }: RuleScope,
): void {
  const { config } = context;
  reportUnattached(rule, places.length > 0, context);
  const match = places.length === 0 ? undefined : matchOf(rule, context);
  if (match === undefined) return;
  const { namespace, name } = rule.metadata;
  config.closeObject({ ...rule, closed: { what: "metadata.labels", extent: "paths" } });
  const route = config.addRoute(
    {
      id: `rule/${namespace}/${name}`,
      source: sourceRef(placeOf(rule, "spec")),
    },
    "stray",
  );
  for (const { balancer, listeners } of places) {
    const facts = factsOf(balancer);
    for (const [position, host] of match.hosts.entries()) {
      config.bind({
        ...{ at: [{ listeners, hosts: [{ host, rank: "" }] }], path: match.path, when: match.when },
        order: orderKey({
          ...{ class: "rule", priority: rule.spec.priority ?? INGRESS_PRIORITY },
          ...{ owner: facts(host).rank, specificity: specificity(dslxOf(rule).terms) },
          ...{ metadata: rule.metadata, position: [position] },
        }),
        route,
      });
    }
  }
}

/** What it is for, or a wider match where that is too large; undefined: nothing that could match. */
function matchOf(rule: Rule, context: AuthContext): DslxMatch | undefined {
  const dslx = dslxOf(rule);
  reportProblems(rule, dslx, context);
  if (dslx.match !== undefined) return fitting(dslx.match, rule, context);
  const message = "the rule has no dslx that could match a request, so it is not served";
  context.diagnostics.report({
    ...{ code: "RULE_WITHOUT_MATCH", message },
    ...placeOf(rule, "spec", "dslx"),
  });
  return undefined;
}

function bindRule(
  rule: Rule,
  { port, balancer }: RulePort,
  { context, claimsOn }: RuleScope,
): void {
  const { config } = context;
  const place = placeOf(rule, "spec");
  const dslx = dslxOf(rule);
  const match = matchOf(rule, context);
  if (match === undefined) return;
  const { namespace, name } = rule.metadata;
  const isInvalid = match !== dslx.match || dslx.problems.length > 0;
  const action = translateRuleAction(rule, port, context, isInvalid);
  const route = config.addRoute(
    { id: `rule/${namespace}/${name}`, source: sourceRef(place), ...action },
    port.port,
  );
  const rank = specificity(dslx.terms);
  for (const [position, host] of match.hosts.entries()) {
    claimsOn(balancer).push({
      ...{ listener: port.listener, hosts: [host], path: match.path, when: match.when, route },
      ...{ object: rule, position: [position], placeOf: dslxPlace },
      specificity: rank,
      ...(rule.spec.priority !== undefined && { priority: rule.spec.priority }),
    });
  }
  addRuleCertificate(rule, match.hosts, port, context);
}

function dslxPlace({ object }: Pick<PathClaim, "object">): Place {
  return placeOf(object, "spec", "dslx");
}

/** The match itself, or a wider one, which then is to be refused. */
function fitting(match: DslxMatch, rule: Rule, { diagnostics }: AuthContext): DslxMatch {
  const message = dslxSizeProblem(match);
  if (message === undefined) return match;
  diagnostics.report({ code: "OBJECT_TOO_LARGE", message, ...placeOf(rule, "spec", "dslx") });
  return widened(match);
}

function reportProblems(rule: Rule, dslx: ParsedDslx, { diagnostics }: AuthContext): void {
  for (const { term, row, problem } of dslx.problems) {
    const below = row === undefined ? [] : ["values", row];
    diagnostics.report({
      code: "RULE_MATCH_INVALID",
      message: problem,
      ...placeOf(rule, "spec", "dslx", term, ...below),
    });
  }
}

function reportGenerated(rule: Rule, { diagnostics }: AuthContext): void {
  const { name = "", namespace = "" } = rule.spec.source ?? {};
  const ingress = name === "" ? "an Ingress" : `Ingress ${namespace}/${name}`;
  diagnostics.report({
    code: "RULE_GENERATED",
    message: `the rule was made from ${ingress}, which is served itself`,
    ...placeOf(rule, "metadata", "labels"),
  });
}

/** A Rule of a Frontend that is not served; one of an instance that is not this one's is nobody's business here. */
function reportUnattached(rule: Rule, isClosed: boolean, context: AuthContext): void {
  const { options, diagnostics } = context;
  const alb = albNameOf(rule, options.domains) ?? "";
  const isOurs = options.alb === "" || options.alb === `${rule.metadata.namespace}/${alb}`;
  if (!isOurs && !isClosed) return;
  diagnostics.report({
    code: "RULE_UNATTACHED",
    message: `${whyUnattached(rule, alb, context)}${isClosed ? "; where it may belong, what it is for answers 503" : ""}`,
    ...placeOf(rule, "metadata", "labels"),
  });
}

function whyUnattached(rule: Rule, alb: string, { resources, options }: AuthContext): string {
  const { namespace } = rule.metadata;
  if (resources.get("ALB2", namespace, alb) === undefined) {
    return `its labels name no ALB2 of namespace ${namespace}`;
  }
  const name = frontendNameOf(rule, options.domains) ?? "";
  const frontend = resources.get("Frontend", namespace, name);
  return frontend !== undefined && albNameOf(frontend, options.domains) === alb
    ? `Frontend ${namespace}/${name} is not served`
    : `its labels name no Frontend of ALB2 ${namespace}/${alb}`;
}
