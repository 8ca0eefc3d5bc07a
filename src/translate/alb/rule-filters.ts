import type { Rule } from "../../api/alb.js";
import type { Cors, HeaderChanges } from "../../model/filters.js";
import type { Route } from "../../model/route.js";
import type { BuildContext } from "../build-context.js";
import { CORS_HEADERS, CORS_MAX_AGE, CORS_METHODS } from "../http/cors-defaults.js";
import { HEADER_REWRITES } from "../http/header-rewrites.js";
import { isAuthority, isHeaderName } from "../http/header-text.js";
import { textList } from "../../support/text-list.js";
import { annotationField, placeOf } from "../place.js";
import { own } from "../../support/own.js";

type RuleFilters = Pick<Route, "cors" | "host" | "requestHeaders" | "responseHeaders">;

/** What a Rule changes in requests and responses; a setting that is wrong is reported and left out. */
export function ruleFilters(rule: Rule, context: BuildContext): RuleFilters {
  const cors = ruleCors(rule, context);
  const upstreamHost = ruleVhost(rule, context);
  const requestHeaders = headerRewrite(rule, "rewrite-request", context);
  const responseHeaders = headerRewrite(rule, "rewrite-response", context);
  return {
    ...(cors && { cors }),
    ...(upstreamHost !== undefined && { host: upstreamHost }),
    ...(requestHeaders && { requestHeaders }),
    ...(responseHeaders && { responseHeaders }),
  };
}

/** enableCORS with its two lists; no origin means every origin. */
function ruleCors(rule: Rule, { diagnostics }: BuildContext): Cors | undefined {
  const { spec } = rule;
  if (spec.enableCORS !== true) return undefined;
  const origins = textList(spec.corsAllowOrigin ?? "");
  const headers = textList(spec.corsAllowHeaders ?? "");
  const wrong = headers.find((name) => name !== "*" && !isHeaderName(name));
  if (wrong !== undefined) {
    const message = `${JSON.stringify(wrong)} is not the name of a header`;
    const place = placeOf(rule, "spec", "corsAllowHeaders");
    diagnostics.report({ code: "SETTING_IGNORED", message, ...place });
  }
  return {
    origins: origins.length === 0 ? ["*"] : origins,
    methods: CORS_METHODS,
    headers: headers.length === 0 || wrong !== undefined ? CORS_HEADERS : headers,
    credentials: true,
    maxAge: CORS_MAX_AGE,
  };
}

function ruleVhost(rule: Rule, { diagnostics }: BuildContext): string | undefined {
  const { vhost = "" } = rule.spec;
  if (vhost === "") return undefined;
  if (isAuthority(vhost)) return vhost;
  const message = `${JSON.stringify(vhost)} can't be a Host header`;
  diagnostics.report({ code: "SETTING_IGNORED", message, ...placeOf(rule, "spec", "vhost") });
  return undefined;
}

function headerRewrite(
  rule: Rule,
  name: keyof typeof HEADER_REWRITES,
  { options, diagnostics }: BuildContext,
): HeaderChanges | undefined {
  const key = `alb.rule.${options.domains.labels}/${name}`;
  const text = own(rule.metadata.annotations, key);
  if (text === undefined) return undefined;
  const changes = HEADER_REWRITES[name](text);
  if (changes.problem !== undefined) {
    const place = placeOf(rule, ...annotationField(key));
    diagnostics.report({ code: "SETTING_IGNORED", message: changes.problem, ...place });
  }
  return changes.ok ? changes.value : undefined;
}
