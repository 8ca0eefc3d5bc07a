import type { Rule } from "../../api/alb.js";
import type { Cors, HeaderChanges, PathRewrite, Redirect } from "../../model/filters.js";
import { type Route, routeTimeouts } from "../../model/route.js";
import type { HostPattern } from "../../model/values.js";
import { SHARED_SHAPE, filled, own } from "../../support/json-object.js";
import type { Result } from "../../support/result.js";
import { isSet, shortened, textList } from "../../support/text.js";
import type { AuthContext } from "../auth/auth-context.js";
import { parseCaptures } from "../auth/template.js";
import { parseHostPattern } from "../hostnames.js";
import {
  CORS_HEADERS,
  CORS_MAX_AGE,
  CORS_METHODS,
  HEADER_REWRITES,
  isAuthority,
  isPlainName,
} from "../http/headers.js";
import { type EntryPort, protocolOn } from "../load-balancer.js";
import { regexProblem } from "../pattern/regex.js";
import { annotationField, placeOf, within } from "../place.js";
import { invalidRule } from "../reasons.js";
import { annotatedRoute } from "../route-annotations.js";
import { addServerCertificate } from "../server-certificates.js";
import { capturesProblem } from "../size-limits.js";
import {
  overridden,
  parseBackendProtocol,
  parseRedirect,
  translateServiceGroup,
} from "./shared-settings.js";

/** Items that a message names. */
const MOST_NAMED = 5;
/** Matches the whole path. */
const WHOLE_PATH = ".*";

/**
 * What a Rule does with its requests, and the fields that close it. A Rule with refused content keeps its hosts and matches and answers
 * 500, so no wider rule serves its requests.
 */
export function translateRuleAction(
  rule: Rule,
  port: EntryPort,
  context: AuthContext,
  isMatchInvalid: boolean,
): { readonly action: Omit<Route, "id" | "source">; readonly closers: readonly string[] } {
  const { spec } = rule;
  const inherited = overridden(port.inherited, rule, spec.config, context);
  const common = {
    ...SHARED_SHAPE,
    ...filled("auth", inherited.auth),
    ...routeTimeouts(inherited.timeouts),
    ...annotatedRoute(rule, ruleDomain(context), context),
  };
  const invalid = isMatchInvalid ? ["dslx"] : [];
  const valueOf = <T>(result: Result<T>, field: string): T | undefined => {
    if (result.ok) return result.value;
    invalid.push(field);
    const place = within(placeOf(rule, "spec"), ...field.split("."));
    context.diagnostics.report({ code: "RULE_INVALID", message: result.problem, ...place });
    return undefined;
  };
  const redirectField = isSet(spec.redirectURL) ? "redirectURL" : "config.redirect";
  const redirect = valueOf(ruleRedirect(rule), redirectField) ?? inherited.schemeRedirect;
  valueOf(replacement(rule), "rewrite_target");
  const rewrite = valueOf(ruleRewrite(rule), "rewrite_base");
  const protocol = isSet(spec.backendProtocol)
    ? valueOf(parseBackendProtocol(spec.backendProtocol), "backendProtocol")
    : undefined;
  const restrictions = inherited.closed === undefined ? [] : ["config.modsecurity"];
  const closers = [...invalid, ...restrictions].map((field) => `spec.${field}`);
  const [first] = invalid;
  if (first !== undefined) return { action: { refuse: invalidRule(first), ...common }, closers };
  const place = placeOf(rule, "spec", "serviceGroup");
  const served = protocolOn(port, protocol ?? port.inherited.protocol);
  const action = {
    ...SHARED_SHAPE,
    ...(inherited.closed && { refuse: inherited.closed }),
    ...(redirect && { redirect }),
    ...common,
    ...(rewrite && { rewrite }),
    ...ruleFilters(rule, context),
    ...translateServiceGroup(spec.serviceGroup ?? {}, place, served, context),
  };
  return { action, closers };
}

/** The deprecated redirectURL and redirectCode override those of config.redirect. */
function ruleRedirect({ spec }: Rule): Result<Redirect | undefined> {
  const { redirectURL: url, redirectCode: code } = spec;
  return parseRedirect({
    ...SHARED_SHAPE,
    ...spec.config?.redirect,
    ...(isSet(url) && { url }),
    ...(code !== undefined && code !== 0 && { code }),
  });
}

function replacement({ spec: { rewrite_target: target = "" } }: Rule): Result<string> {
  const problem = capturesProblem(target);
  return problem === undefined ? { ok: true, value: target } : { ok: false, problem };
}

/** The first match of rewrite_base, or of url, in the path becomes rewrite_target; the rest of the path stays. */
function ruleRewrite({ spec }: Rule): Result<PathRewrite | undefined> {
  const { rewrite_target: target, rewrite_base: base, url } = spec;
  if (!isSet(target)) return { ok: true, value: undefined };
  const pattern = isSet(base) ? base : isSet(url) ? url : WHOLE_PATH;
  if (pattern === WHOLE_PATH) return { ok: true, value: ["full", target] };
  const problem = regexProblem(pattern);
  if (problem !== undefined) return { ok: false, problem };
  return { ok: true, value: ["regex", pattern, "", parseCaptures(target), false] };
}

/** What a Rule changes in requests and responses. An invalid setting is reported and ignored. */
function ruleFilters(
  rule: Rule,
  context: AuthContext,
): Pick<Route, "cors" | "host" | "requestHeaders" | "responseHeaders"> {
  const cors = ruleCors(rule, context);
  const upstreamHost = ruleVhost(rule, context);
  const requestHeaders = headerRewrite(rule, "rewrite-request", context);
  const responseHeaders = headerRewrite(rule, "rewrite-response", context);
  return {
    ...SHARED_SHAPE,
    ...(cors && { cors }),
    ...(upstreamHost !== undefined && { host: upstreamHost }),
    ...(requestHeaders && { requestHeaders }),
    ...(responseHeaders && { responseHeaders }),
  };
}

/** enableCORS with its two lists. No origin means every origin. Headers that can't be read are left out; if none is left, so is CORS. */
function ruleCors(rule: Rule, { diagnostics }: AuthContext): Cors | undefined {
  const { spec } = rule;
  if (spec.enableCORS !== true) return undefined;
  const origins = textList(spec.corsAllowOrigin ?? "");
  const written = textList(spec.corsAllowHeaders ?? "");
  const headers = written.filter((name) => name === "*" || isPlainName(name));
  const wrong = written.filter((name) => !headers.includes(name));
  if (wrong.length > 0) {
    const shown = shortened(
      wrong.map((name) => JSON.stringify(name)),
      MOST_NAMED,
    );
    const fault = wrong.length === 1 ? "is not the name of a header" : "are not names of headers";
    const message = `${shown} ${fault}`;
    const place = placeOf(rule, "spec", "corsAllowHeaders");
    diagnostics.report({ code: "SETTING_IGNORED", message, ...place });
    if (headers.length === 0) return undefined;
  }
  return {
    origins: origins.length === 0 ? ["*"] : origins,
    methods: CORS_METHODS,
    headers: headers.length === 0 ? CORS_HEADERS : headers,
    credentials: true,
    maxAge: CORS_MAX_AGE,
  };
}

function ruleVhost(rule: Rule, { diagnostics }: AuthContext): string | undefined {
  const { vhost = "" } = rule.spec;
  if (vhost === "") return undefined;
  if (isAuthority(vhost)) return vhost;
  const message = `${JSON.stringify(vhost)} can't be a Host header`;
  diagnostics.report({ code: "SETTING_IGNORED", message, ...placeOf(rule, "spec", "vhost") });
  return undefined;
}

/** Of annotations of Rules. */
function ruleDomain({ options }: Pick<AuthContext, "options">): string {
  return `alb.rule.${options.domains.labels}`;
}

function headerRewrite(
  rule: Rule,
  name: keyof typeof HEADER_REWRITES,
  { options, diagnostics }: AuthContext,
): HeaderChanges | undefined {
  const key = `${ruleDomain({ options })}/${name}`;
  const text = own(rule.metadata.annotations, key);
  if (text === undefined) return undefined;
  const changes = HEADER_REWRITES[name](text);
  if (changes.problem !== undefined) {
    const place = placeOf(rule, ...annotationField(key));
    diagnostics.report({ code: "SETTING_IGNORED", message: changes.problem, ...place });
  }
  return changes.ok ? changes.value : undefined;
}

/** The Rule's certificate for its `domain`, or for the hosts that it matches when it names none. */
export function addRuleCertificate(
  rule: Rule,
  hosts: readonly HostPattern[],
  port: EntryPort,
  context: AuthContext,
): void {
  const name = rule.spec.certificate_name ?? "";
  if (name === "" || !port.tls) return;
  const domain = rule.spec.domain ?? "";
  const parsed = domain === "" ? undefined : parseHostPattern(domain, "one");
  if (parsed?.ok === false) {
    const place = placeOf(rule, "spec", "domain");
    context.diagnostics.report({ code: "SETTING_IGNORED", message: parsed.problem, ...place });
  }
  const names = parsed?.ok === true ? [parsed.value] : hosts;
  const place = placeOf(rule, "spec", "certificate_name");
  for (const host of names) {
    if (host.kind !== "any") addServerCertificate(name, host, { port, place, context });
  }
}
