import type { Rule } from "../../api/alb.js";
import { memoized } from "../../support/memoized.js";
import type { BuildContext } from "../build-context.js";
import type { EntryPort } from "../entry-port.js";
import type { LoadBalancer } from "../load-balancer.js";
import { placeOf, sourceRef } from "../place.js";
import { specificity } from "../precedence.js";
import { parseDslx } from "./dslx.js";
import type { ParsedDslx, RuleMatch } from "./dslx.js";
import { albNameOf, frontendNameOf, isGenerated, mayName } from "./labels.js";
import { sizeProblem, widened } from "./rule-size.js";
import { addRuleCertificate } from "./rule-certificate.js";
import { translateRuleAction } from "./rule-action.js";

/** The Rules of every load balancer, bound to their Frontend's port. */
export function translateRules(balancers: readonly LoadBalancer[], context: BuildContext): void {
  const { domains } = context.options;
  const ports = rulePorts(balancers);
  for (const rule of context.resources.list("Rule")) {
    const { isAttached, taken } = portsOf(rule, ports, context);
    if (isGenerated(rule, domains)) reportGenerated(rule, context);
    else if (!isAttached) reportUnattached(rule, taken.length > 0, context);
    if (!isAttached && taken.length > 0) {
      const closed = { what: "metadata.labels", extent: "paths" } as const;
      context.config.closeObject({ ...rule, closed });
    }
    for (const port of taken) translateRule(rule, port, context);
  }
}

/** Tells the owners of hosts which ones Rules name. */
export function claimHostsOfRules(balancers: readonly LoadBalancer[], context: BuildContext): void {
  const ports = rulePorts(balancers);
  for (const rule of ports.size === 0 ? [] : context.resources.list("Rule")) {
    const { taken } = portsOf(rule, ports, context);
    const hosts = taken.length === 0 ? [] : (dslxOf(rule).match?.hosts ?? []);
    for (const { owners } of taken) for (const host of hosts) owners.claim(host, rule);
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

/** The port of its Frontend; where a label is missing or misspelt, every port that it may be for. */
function portsOf(
  rule: Rule,
  ports: ReadonlyMap<string, RulePort>,
  { resources, options: { domains } }: BuildContext,
): { readonly isAttached: boolean; readonly taken: readonly RulePort[] } {
  const { namespace } = rule.metadata;
  const alb = albNameOf(rule, domains);
  const frontend = frontendNameOf(rule, domains);
  const port = ports.get(`${namespace}/${alb ?? ""}/${frontend ?? ""}`);
  const isOther = isGenerated(rule, domains);
  if (port !== undefined) return { isAttached: true, taken: isOther ? [] : [port] };
  const isFor = (kind: "ALB2" | "Frontend", label: string | undefined, name: string): boolean =>
    label === undefined || resources.get(kind, namespace, label) === undefined
      ? mayName(label, name)
      : label === name;
  const near = [...ports].filter(([key]) => {
    const [place, albName = "", name = ""] = key.split("/");
    return place === namespace && isFor("ALB2", alb, albName) && isFor("Frontend", frontend, name);
  });
  return { isAttached: false, taken: isOther ? [] : near.map(([, each]) => each) };
}

function translateRule(rule: Rule, { port, bindings }: RulePort, context: BuildContext): void {
  const { config, diagnostics } = context;
  const place = placeOf(rule, "spec");
  const dslx = dslxOf(rule);
  reportProblems(rule, dslx, context);
  const { match: written } = dslx;
  if (written === undefined) {
    const message = "the rule has no dslx that could match a request, so it is not served";
    diagnostics.report({ code: "RULE_WITHOUT_MATCH", message, ...placeOf(rule, "spec", "dslx") });
    return;
  }
  const match = fitting(written, rule, context);
  const { namespace, name } = rule.metadata;
  const isInvalid = match !== written || dslx.problems.length > 0;
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
function fitting(match: RuleMatch, rule: Rule, { diagnostics }: BuildContext): RuleMatch {
  const message = sizeProblem(match);
  if (message === undefined) return match;
  diagnostics.report({ code: "OBJECT_TOO_LARGE", message, ...placeOf(rule, "spec", "dslx") });
  return widened(match);
}

function reportProblems(rule: Rule, dslx: ParsedDslx, { diagnostics }: BuildContext): void {
  for (const { term, row, problem } of dslx.problems) {
    const below = row === undefined ? [] : ["values", row];
    diagnostics.report({
      code: "RULE_MATCH_INVALID",
      message: problem,
      ...placeOf(rule, "spec", "dslx", term, ...below),
    });
  }
}

function reportGenerated(rule: Rule, { diagnostics }: BuildContext): void {
  const { name = "", namespace = "" } = rule.spec.source ?? {};
  const ingress = name === "" ? "an Ingress" : `Ingress ${namespace}/${name}`;
  diagnostics.report({
    code: "RULE_GENERATED",
    message: `the rule was made from ${ingress}, which is served itself`,
    ...placeOf(rule, "metadata", "labels"),
  });
}

/** A Rule of a Frontend that is not served; one of an instance that is not this one's is nobody's business here. */
function reportUnattached(rule: Rule, isClosed: boolean, context: BuildContext): void {
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

function whyUnattached(rule: Rule, alb: string, { resources, options }: BuildContext): string {
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
