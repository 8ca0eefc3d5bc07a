import type { Rule } from "../../api/alb.js";
import type { Route } from "../../model/route.js";
import { type HostPattern, hostKey } from "../../model/values.js";
import { memoized } from "../../support/collections.js";
import type { AuthContext } from "../auth/auth-context.js";
import type { TranslateContext } from "../context.js";
import type { HostClaims, HostFacts } from "../host-owners.js";
import { reportRestrictions } from "../ingress/annotation-problems.js";
import type { Key } from "../keys.js";
import type { EntryPort, LoadBalancer } from "../load-balancer.js";
import { type Place, placeOf, sourceRef, within } from "../place.js";
import { specificity } from "../precedence.js";
import type { PathClaim } from "../shadowed-paths.js";
import { type DslxMatch, dslxSizeProblem, parseDslx, widened } from "./dslx.js";
import { transportOf } from "./alb-settings.js";
import { albNameOf, frontendNameOf, isGenerated } from "./labels.js";
import { addRuleCertificate, translateRuleAction } from "./rule-action.js";
import { SHARED_SHAPE } from "../../support/json-object.js";

interface PortScope {
  readonly balancers: readonly LoadBalancer[];
  readonly context: TranslateContext;
}

interface RuleScope extends PortScope {
  readonly context: AuthContext;
  /** What the namespace of the Rule knows about the hosts of a load balancer. */
  readonly factsOf: (balancer: LoadBalancer) => (host: HostPattern) => HostFacts;
  /** Collects what is bound on a load balancer. */
  readonly claimsOn: (balancer: LoadBalancer) => PathClaim[];
}

/** Binds a Rule to its Frontend's port. */
export function translateRule(rule: Rule, scope: RuleScope): void {
  const { context } = scope;
  const port = portOf(rule, scope);
  if (isGenerated(rule, context.options.domains)) reportGenerated(rule, context);
  else if (port !== undefined) bindRule(rule, port, scope);
  else reportUnattached(rule, context);
  reportRestrictions(rule, context);
}

/** The hosts that a Rule names on each load balancer; undefined where it does not belong. */
export function hostsOfRule(rule: Rule, scope: PortScope): readonly (HostClaims | undefined)[] {
  const { balancers, context } = scope;
  const port = portOf(rule, scope);
  if (port === undefined || isGenerated(rule, context.options.domains)) return [];
  const named = new Map((dslxOf(rule).match?.hosts ?? []).map((host) => [hostKey(host), host]));
  const claims = { object: rule, hosts: Array.from(named.values(), (host) => ({ host })) };
  return balancers.map((each) => (port.balancer === each ? claims : undefined));
}

interface FrontendPort {
  readonly port: EntryPort;
  readonly balancer: LoadBalancer;
}

/** By namespace, ALB2 and Frontend, as labels name them. */
const frontendPorts = memoized((balancers: readonly LoadBalancer[]) => {
  const found = new Map<string, FrontendPort>();
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

/** By key: where Rules with the labels of a Frontend are bound. */
export function ruleFacts(
  balancers: readonly Pick<LoadBalancer, "alb" | "ports">[],
): ReadonlyMap<Key, string> {
  const facts = new Map<Key, string>();
  for (const [i, { alb, ports }] of balancers.entries()) {
    for (const port of ports) {
      const { frontend, ...rest } = port;
      if (alb === undefined || frontend === undefined) continue;
      const { namespace, name } = frontend.metadata;
      const key = `${namespace}/${alb.metadata.name}/${name}`;
      facts.set(key, JSON.stringify([i, rest, frontend.spec.protocol]));
    }
  }
  return facts;
}

const dslxOf = memoized((rule: Rule) => parseDslx(rule.spec.dslx ?? []));

/** The port of the Frontend that the Rule's labels name. */
function portOf(rule: Rule, scope: PortScope): FrontendPort | undefined {
  return frontendPorts(scope.balancers).get(namedPort(rule, scope));
}

/** The key of the fact (`ruleFacts`) that decides where the Rule is bound. */
export function namedPort(rule: Rule, { context }: Pick<PortScope, "context">): Key {
  const { domains } = context.options;
  const [alb = "", frontend = ""] = [albNameOf(rule, domains), frontendNameOf(rule, domains)];
  return `${rule.metadata.namespace}/${alb}/${frontend}`;
}

function identity(rule: Rule): Pick<Route, "id" | "source"> {
  const { namespace, name } = rule.metadata;
  return { id: `rule/${namespace}/${name}`, source: sourceRef(placeOf(rule, "spec")) };
}

/** What the Rule matches, or a wider match if that is too large; undefined if nothing can match. Problems are reported. */
function matchOf(rule: Rule, { diagnostics }: AuthContext): DslxMatch | undefined {
  const { match, problems } = dslxOf(rule);
  const place = placeOf(rule, "spec", "dslx");
  for (const { term, row, problem: message } of problems) {
    const at = within(place, term, ...(row === undefined ? [] : ["values", row]));
    diagnostics.report({ code: "RULE_MATCH_INVALID", message, ...at });
  }
  if (match === undefined) {
    const message = "the rule has no dslx that could match a request, so it is not served";
    diagnostics.report({ code: "RULE_WITHOUT_MATCH", message, ...place });
    return undefined;
  }
  const message = dslxSizeProblem(match);
  if (message === undefined) return match;
  diagnostics.report({ code: "OBJECT_TOO_LARGE", message, ...place });
  return widened(match);
}

function bindRule(
  rule: Rule,
  { port, balancer }: FrontendPort,
  { context, claimsOn }: RuleScope,
): void {
  const dslx = dslxOf(rule);
  const match = matchOf(rule, context);
  if (match === undefined) return;
  const isInvalid = match !== dslx.match || dslx.problems.length > 0;
  const { action, closers } = translateRuleAction(rule, port, context, isInvalid);
  const route = context.config.addRoute(
    { ...SHARED_SHAPE, ...identity(rule), ...action },
    port.port,
    closers,
  );
  const rank = specificity(dslx.terms);
  for (const [position, host] of match.hosts.entries()) {
    claimsOn(balancer).push({
      ...SHARED_SHAPE,
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

function reportGenerated(rule: Rule, { diagnostics }: AuthContext): void {
  const { name = "", namespace = "" } = rule.spec.source ?? {};
  const ingress = name === "" ? "an Ingress" : `Ingress ${namespace}/${name}`;
  diagnostics.report({
    code: "RULE_GENERATED",
    message: `the rule was made from ${ingress}, which is served itself`,
    ...placeOf(rule, "metadata", "labels"),
  });
}

/** Reports a Rule whose Frontend is not served. Rules of other instances are ignored. */
function reportUnattached(rule: Rule, context: AuthContext): void {
  const { options, diagnostics } = context;
  const alb = albNameOf(rule, options.domains) ?? "";
  const isOurs = options.alb === "" || options.alb === `${rule.metadata.namespace}/${alb}`;
  if (!isOurs) return;
  diagnostics.report({
    code: "RULE_UNATTACHED",
    message: whyUnattached(rule, alb, context),
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
  if (frontend === undefined || albNameOf(frontend, options.domains) !== alb) {
    return `its labels name no Frontend of ALB2 ${namespace}/${alb}`;
  }
  const transport = transportOf(frontend);
  const instead = transport && `passes on ${transport} without Rules`;
  return `Frontend ${namespace}/${name} ${instead ?? "is not served"}`;
}
