import { routeTimeouts } from "../../model/route.js";
import { filled } from "../../support/fields.js";
import type { Rule } from "../../api/alb.js";
import type { PathRewrite, Redirect } from "../../model/filters.js";
import type { Route } from "../../model/route.js";
import type { BackendProtocol } from "../../model/upstream.js";
import type { Result } from "../../support/result.js";
import { isSet } from "../../support/text-list.js";
import type { BuildContext } from "../build-context.js";
import type { EntryPort } from "../entry-port.js";
import { protocolOn } from "../entry-port.js";
import { placeOf, within } from "../place.js";
import { invalidRule } from "../reasons.js";
import { regexProblem } from "../regex.js";
import { parseBackendProtocol } from "./backend-protocol.js";
import { overridden } from "./inheritance.js";
import { ruleFilters } from "./rule-filters.js";
import { parseRedirect } from "./redirect.js";
import { translateServiceGroup } from "./service-group.js";

type RouteAction = Omit<Route, "id" | "source">;

/** Replaces the whole path. */
const WHOLE_PATH = ".*";

/**
 * What a Rule does with its requests. One that is refused for its content keeps hosts and matches and answers 500, so that no wider
 * rule serves its requests.
 */
export function translateRuleAction(
  rule: Rule,
  port: EntryPort,
  context: BuildContext,
  isMatchInvalid: boolean,
): RouteAction {
  const { spec } = rule;
  const inherited = overridden(port.inherited, rule, spec.config, context);
  const common = { ...filled("auth", inherited.auth), ...routeTimeouts(inherited.timeouts) };
  const content = translateContent(rule, port, context);
  const invalid = isMatchInvalid ? "dslx" : content.invalid;
  if (invalid !== undefined) return { refuse: invalidRule(invalid), ...common };
  const { redirect = inherited.schemeRedirect, rewrite } = content;
  const group = spec.serviceGroup ?? {};
  const place = placeOf(rule, "spec", "serviceGroup");
  return {
    ...(inherited.closed && { refuse: inherited.closed }),
    ...(redirect && { redirect }),
    ...common,
    ...(rewrite && { rewrite }),
    ...ruleFilters(rule, context),
    ...translateServiceGroup(group, place, content.protocol, context),
  };
}

interface RuleContent {
  readonly redirect?: Redirect;
  readonly rewrite?: PathRewrite;
  readonly protocol: BackendProtocol;
  /** The field that keeps the Rule from being done as written. */
  readonly invalid?: string;
}

function translateContent(rule: Rule, port: EntryPort, context: BuildContext): RuleContent {
  let invalid: string | undefined;
  const valueOf = <T>(result: Result<T>, field: string): T | undefined => {
    if (result.ok) return result.value;
    invalid ??= field;
    const place = within(placeOf(rule, "spec"), ...field.split("."));
    context.diagnostics.report({ code: "RULE_INVALID", message: result.problem, ...place });
    return undefined;
  };
  const redirect = valueOf(ruleRedirect(rule), redirectField(rule));
  const rewrite = valueOf(ruleRewrite(rule), "rewrite_base");
  const protocol = isSet(rule.spec.backendProtocol)
    ? valueOf(parseBackendProtocol(rule.spec.backendProtocol), "backendProtocol")
    : port.inherited.protocol;
  return {
    ...(redirect && { redirect }),
    ...(rewrite && { rewrite }),
    protocol: protocolOn(port, protocol ?? port.inherited.protocol),
    ...(invalid !== undefined && { invalid }),
  };
}

/** The deprecated redirectURL and redirectCode override those of config.redirect. */
function ruleRedirect({ spec }: Rule): Result<Redirect | undefined> {
  const { redirectURL: url, redirectCode: code } = spec;
  return parseRedirect({
    ...spec.config?.redirect,
    ...(isSet(url) && { url }),
    ...(code !== undefined && code !== 0 && { code }),
  });
}

function redirectField({ spec }: Rule): string {
  return isSet(spec.redirectURL) ? "redirectURL" : "config.redirect";
}

/** The first match of rewrite_base, or of url, in the path becomes rewrite_target; the rest of the path stays. */
function ruleRewrite({ spec }: Rule): Result<PathRewrite | undefined> {
  const { rewrite_target: target, rewrite_base: base, url } = spec;
  if (!isSet(target)) return { ok: true, value: undefined };
  const pattern = isSet(base) ? base : isSet(url) ? url : WHOLE_PATH;
  if (pattern === WHOLE_PATH) return { ok: true, value: ["full", target] };
  const problem = regexProblem(pattern);
  if (problem !== undefined) return { ok: false, problem };
  return { ok: true, value: ["regex", pattern, "", target, false] };
}
