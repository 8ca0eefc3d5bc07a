import type { Rule } from "../../api/alb.js";
import type { BuildContext } from "../build-context.js";
import type { EntryPort } from "../entry-port.js";
import type { LoadBalancer } from "../load-balancer.js";
import { placeOf, sourceRef } from "../place.js";
import { orderKey, specificity } from "../precedence.js";
import { parseDslx } from "./dslx.js";
import type { ParsedDslx, RuleMatch } from "./dslx.js";
import { albNameOf, frontendNameOf, hasMisspeltLabel, isGenerated } from "./labels.js";
import { sizeProblem, widened } from "./rule-size.js";
import { addRuleCertificate } from "./rule-certificate.js";
import { translateRuleAction } from "./rule-action.js";

/** Where a Rule that names no priority stands, as an Ingress does. */
const DEFAULT_PRIORITY = 5;

/** The Rules of every load balancer, bound to their Frontend's port. */
export function translateRules(balancers: readonly LoadBalancer[], context: BuildContext): void {
  const ports = new Map<string, EntryPort>();
  for (const { alb, ports: own } of balancers) {
    if (alb === undefined) continue;
    for (const port of own) {
      if (port.frontend === undefined) continue;
      const { namespace, name } = port.frontend.metadata;
      ports.set(`${namespace}/${alb.metadata.name}/${name}`, port);
    }
  }
  const { domains } = context.options;
  for (const rule of context.resources.list("Rule")) {
    const alb = albNameOf(rule, domains) ?? "";
    const frontend = frontendNameOf(rule, domains) ?? "";
    const port = ports.get(`${rule.metadata.namespace}/${alb}/${frontend}`);
    if (isGenerated(rule, domains)) reportGenerated(rule, context);
    else if (port !== undefined) translateRule(rule, port, context);
    else reportUnattached(rule, context);
    if (port === undefined && hasMisspeltLabel(rule, domains)) closeStray(rule, ports, context);
  }
}

/** On every port that the Rule may be for: its labels can't be told. */
function closeStray(
  rule: Rule,
  ports: ReadonlyMap<string, EntryPort>,
  context: BuildContext,
): void {
  const closed = { what: "metadata.labels", extent: "paths" } as const;
  context.config.closeObject({ ...rule, closed });
  for (const [key, port] of ports) {
    if (key.startsWith(`${rule.metadata.namespace}/`)) translateRule(rule, port, context);
  }
}

function translateRule(rule: Rule, port: EntryPort, context: BuildContext): void {
  const { config, diagnostics } = context;
  const place = placeOf(rule, "spec");
  const dslx = parseDslx(rule.spec.dslx ?? []);
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
    const order = orderKey({
      class: "rule",
      priority: rule.spec.priority ?? DEFAULT_PRIORITY,
      specificity: rank,
      metadata: rule.metadata,
      position: [position],
    });
    config.bind({
      listener: port.listener,
      host,
      path: match.path,
      when: match.when,
      order,
      route,
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
function reportUnattached(rule: Rule, context: BuildContext): void {
  const { options, diagnostics } = context;
  const alb = albNameOf(rule, options.domains) ?? "";
  if (options.alb !== "" && options.alb !== `${rule.metadata.namespace}/${alb}`) return;
  diagnostics.report({
    code: "RULE_UNATTACHED",
    message: whyUnattached(rule, alb, context),
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
