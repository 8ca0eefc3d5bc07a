import type { Rule } from "../../api/alb.js";
import type { Domains } from "../../model/options.js";
import { memoized } from "../../support/collections.js";
import type { AuthContext } from "../auth/auth-policies.js";
import type { EntryPort, LoadBalancer } from "../load-balancer.js";
import { placeOf, sourceRef } from "../place.js";
import { INGRESS_PRIORITY, orderKey, specificity } from "../precedence.js";
import { parseDslx, dslxSizeProblem, widened } from "./dslx.js";
import type { ParsedDslx, DslxMatch } from "./dslx.js";
import { albNameOf, frontendNameOf, isGenerated } from "./alb-settings.js";
import { addRuleCertificate, translateRuleAction } from "./rule-action.js";
import { StrayRules } from "./stray-rules.js";
import type { StrayPlace } from "./stray-rules.js";

/** The Rules of every load balancer, bound to their Frontend's port. */
export function translateRules(balancers: readonly LoadBalancer[], context: AuthContext): void {
  const { domains } = context.options;
  const ports = rulePorts(balancers);
  const strays = straysOf(context)(balancers);
  for (const rule of context.resources.list("Rule")) {
    const port = portOf(rule, ports, domains);
    if (isGenerated(rule, domains)) reportGenerated(rule, context);
    else if (port !== undefined) translateRule(rule, port, context);
    else closeStray(rule, strays.of(rule), context);
  }
}

/** Tells the owners of hosts which ones Rules name. */
export function claimHostsOfRules(balancers: readonly LoadBalancer[], context: AuthContext): void {
  const { domains } = context.options;
  const ports = rulePorts(balancers);
  const strays = straysOf(context)(balancers);
  for (const rule of ports.size === 0 ? [] : context.resources.list("Rule")) {
    if (isGenerated(rule, domains)) continue;
    const port = portOf(rule, ports, domains);
    for (const { owners } of port === undefined ? strays.of(rule) : [port]) {
      for (const host of dslxOf(rule).match?.hosts ?? []) owners.claim(host, rule);
    }
  }
}

/** A Frontend's port, and what its load balancer gathers. */
interface RulePort extends Pick<LoadBalancer, "owners" | "bindings"> {
  readonly port: EntryPort;
}

/** By the namespace, ALB2 and Frontend that labels name. */
const rulePorts = memoized((balancers: readonly LoadBalancer[]): ReadonlyMap<string, RulePort> => {
  const found = new Map<string, RulePort>();
  for (const { alb, ports, owners, bindings } of balancers) {
    for (const port of ports) {
      if (alb === undefined || port.frontend === undefined) continue;
      const { namespace, name } = port.frontend.metadata;
      found.set(`${namespace}/${alb.metadata.name}/${name}`, { port, owners, bindings });
    }
  }
  return found;
});

const dslxOf = memoized((rule: Rule) => parseDslx(rule.spec.dslx ?? []));

const straysOf = memoized((context: AuthContext) =>
  memoized((balancers: readonly LoadBalancer[]) => new StrayRules(balancers, context)),
);

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
function closeStray(rule: Rule, places: readonly StrayPlace[], context: AuthContext): void {
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
  for (const { owners, listeners } of places) {
    for (const [position, host] of match.hosts.entries()) {
      config.bind({
        ...{ at: [{ listeners, hosts: [{ host, rank: "" }] }], path: match.path, when: match.when },
        order: orderKey({
          ...{ class: "rule", priority: rule.spec.priority ?? INGRESS_PRIORITY },
          ...{ owner: owners.rank(namespace, host), specificity: specificity(dslxOf(rule).terms) },
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

function translateRule(rule: Rule, { port, bindings }: RulePort, context: AuthContext): void {
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
    bindings.add({
      ...{ listener: port.listener, hosts: [host], path: match.path, when: match.when, route },
      ...{ object: rule, position: [position], place: placeOf(rule, "spec", "dslx") },
      specificity: rank,
      ...(rule.spec.priority !== undefined && { priority: rule.spec.priority }),
    });
  }
  addRuleCertificate(rule, match.hosts, port, context);
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
