import { REQUEST_METHODS } from "../../api/auth.js";
import type { ConfigMap, Service } from "../../api/wire.js";
import type { DiagnosticCode } from "../../diagnostics/catalog.js";
import { DiagnosticSink } from "../../diagnostics/sink.js";
import type { AuthUrl, HeaderTemplate } from "../../model/auth.js";
import { upstreamId } from "../../model/upstream.js";
import type { Interpolation } from "../../model/values.js";
import { compareStrings, memoized } from "../../support/collections.js";
import { filled, present } from "../../support/json-object.js";
import { type Result, ok, problem } from "../../support/result.js";
import { type ServicePortRef, findPort, isExternalName } from "../backends.js";
import { isOfContent, parseHeaderName, parseHeaderText, uncopiedHeaders } from "../http/headers.js";
import { BOOLEAN, HEADER_NAMES, TEXT } from "../ingress/annotations/annotation.js";
import { authSnippetHeaders } from "../ingress/snippets/snippets.js";
import { resourceRef } from "../place.js";
import { reservedProblem, restrictionsOf } from "./reserved-addresses.js";
import {
  type AuthMethod,
  type AuthOwner,
  type LabelledField,
  type MethodSettings,
  type Setting,
  authAnnotation,
  referencedObject,
} from "./settings.js";
import {
  MOST_HEADERS,
  MOST_HEADER_TEXT,
  MOST_HEADER_VARIABLES,
  tooMany,
  tooManyHeaders,
} from "../size-limits.js";
import { literalText, parseTemplate, variableCount } from "./template.js";
import { parseAuthUrl, parseRedirectParameter, parseSignin } from "./url.js";

const DEFAULT_REDIRECT_PARAMETER = "rd";

/** An auth service decides about each request, as with ingress-nginx. */
export const FORWARD: AuthMethod<"forward"> = {
  field: "forward",
  annotations: {
    url: authAnnotation(
      "auth-url",
      TEXT,
      "URL of the auth service that decides about each request; may contain variables.",
    ),
    method: authAnnotation(
      "auth-method",
      TEXT,
      "Method of the request to the auth service; GET by default.",
    ),
    signin: authAnnotation(
      "auth-signin",
      TEXT,
      "URL to which clients are redirected when the auth service answers 401; may contain variables.",
    ),
    signin_redirect_param: authAnnotation(
      "auth-signin-redirect-param",
      TEXT,
      "Query parameter of the sign-in URL for the original URL; `rd` by default.",
    ),
    upstream_headers: authAnnotation(
      "auth-response-headers",
      HEADER_NAMES,
      `Headers of the auth response that the backend gets, at most ${String(MOST_HEADERS)}; the client's own are removed. What backends learn of a request (operations.md) can't be changed: such names are reported and left out.`,
    ),
    auth_headers_cm_ref: authAnnotation(
      "auth-proxy-set-headers",
      TEXT,
      "ConfigMap `<namespace>/<name>` with more headers for the auth service.",
    ),
    auth_request_redirect: authAnnotation(
      "auth-request-redirect",
      TEXT,
      "Value of X-Auth-Request-Redirect; the request URI by default.",
    ),
    always_set_cookie: authAnnotation(
      "auth-always-set-cookie",
      BOOLEAN,
      "Adds cookies of the auth service to every response, not only to successful ones.",
    ),
  },
  translate(settings, owner) {
    const { problems } = owner;
    const { written, place } = settings;
    // All settings are read before giving up, so that one compilation reports every problem.
    const url = translateUrl(written.url, place, owner);
    const method = problems.optional(written.method, parseMethod, "GET");
    const headers = translateHeaders(settings, owner);
    const requestRedirect = problems.optional(written.auth_request_redirect, parseRedirect, []);
    const responseHeaders = problems.optional(written.upstream_headers, parseResponseHeaders, []);
    const signin = translateSignin(settings, owner);
    const alwaysSetCookie = problems.optional(written.always_set_cookie, parseBoolean, false);
    if (url === undefined || method === undefined || headers === undefined) return undefined;
    if (requestRedirect === undefined || responseHeaders === undefined) return undefined;
    if (signin === undefined || alwaysSetCookie === undefined) return undefined;
    return {
      policy: {
        forward: {
          ...url.url,
          method,
          ...filled("headers", headers),
          ...filled("requestRedirect", requestRedirect),
          ...filled("responseHeaders", responseHeaders),
          ...filled("signin", signin),
          ...(alwaysSetCookie && { alwaysSetCookie }),
        },
      },
      ...(url.service && { service: url.service }),
    };
  },
};

/** Those of the snippet replace those of the ConfigMap. */
function translateHeaders(
  { written, snippet = "" }: MethodSettings<"forward">,
  owner: AuthOwner,
): readonly HeaderTemplate[] | undefined {
  const isRead = owner.context.options.snippets === "translate";
  const more = isRead ? authSnippetHeaders(snippet) : [];
  const headers = configMapHeaders(written.auth_headers_cm_ref, owner);
  if (more.length === 0) return headers;
  const byName = [...(headers ?? []), ...more].map(
    (each) => [each[0].toLowerCase(), each] as const,
  );
  return headers && [...new Map(byName).values()];
}

function configMapHeaders(
  setting: Setting | undefined,
  owner: AuthOwner,
): readonly HeaderTemplate[] | undefined {
  if (setting === undefined) return [];
  const { problems } = owner;
  const configMap = referencedObject(owner, "ConfigMap", setting, false);
  if (configMap === undefined) return undefined;
  const { shown } = configMap;
  const read = readHeaderConfigMap(configMap.object);
  if (!read.ok) {
    const what = `${shown} ${read.problem}`;
    problems.fail("AUTH_CONFIG_INVALID", what, setting);
    return undefined;
  }
  owner.context.diagnostics.addAll(read.value.reports);
  return read.value.headers;
}

const WHOLE_URL = /^https?:\/\/[^/?#]/i;

/** Advice for a URL without scheme or host. */
function wholeUrlHint(text: string, example: string): string | undefined {
  if (WHOLE_URL.test(text)) return undefined;
  return `give a whole URL, such as ${example}; the paths stay closed until then`;
}

/** Empty without a sign-in URL. */
function translateSignin(
  { written }: MethodSettings<"forward">,
  { problems }: AuthOwner,
): Interpolation | undefined {
  const given = written.signin_redirect_param;
  const parameter = problems.optional(given, parseRedirectParameter, DEFAULT_REDIRECT_PARAMETER);
  const parse = (text: string) => parseSignin(text, parameter ?? DEFAULT_REDIRECT_PARAMETER);
  const text = written.signin?.value ?? "";
  const isPath = /^\/(?!\/)/.test(text);
  const hint = isPath ? undefined : wholeUrlHint(text, "https://login.example/start");
  const signin = problems.optional(written.signin, parse, [], hint);
  return parameter === undefined ? undefined : signin;
}

/** Names in lower case, each once. Blank items are skipped, as in ingress-nginx; headers that would not reach the backend are left out. */
function parseResponseHeaders(items: readonly string[]): Result<readonly string[]> {
  const names = items.map((text) => text.trim()).filter((text) => text !== "");
  const excess = tooManyHeaders(names.length);
  if (excess !== undefined) return problem(excess);
  for (const text of names) {
    const name = parseHeaderName(text);
    if (!name.ok) return name;
  }
  const copied = names.filter((name) => uncopiedHeaders([name]) === undefined);
  const value = [...new Set(copied.map((name) => name.toLowerCase()))];
  return { ok: true, value, ...present("problem", uncopiedHeaders(names)) };
}

function parseMethod(text: string): Result<string> {
  return REQUEST_METHODS.includes(text)
    ? ok(text)
    : problem(`must be one of ${REQUEST_METHODS.join(", ")}`);
}

function parseRedirect(text: string): Result<Interpolation> {
  const checked = parseHeaderText(text);
  return checked.ok ? parseTemplate(text, "text") : checked;
}

function parseBoolean(text: string): Result<boolean> {
  const read = BOOLEAN.parse(text);
  return read.ok ? read : problem("must be true or false");
}

/**
 * Reads the headers for the auth service, sorted by name: each key is a name, each value a text with variables. `reports` are about keys
 * that are left out. A problem completes the sentence "config map <namespace>/<name> …" and never contains a value. Memoized, because
 * thousands of paths may name one ConfigMap.
 */
const readHeaderConfigMap = memoized((configMap: ConfigMap) => {
  if (Object.keys(configMap.binaryData ?? {}).length > 0) {
    return problem("has binary data, which can't be sent as headers");
  }
  const { data = {} } = configMap;
  const size = Object.entries(data).reduce((sum, [key, text]) => sum + key.length + text.length, 0);
  if (size > MOST_HEADER_TEXT) {
    return problem(
      `has ${String(size)} characters of headers; at most ${String(MOST_HEADER_TEXT)} can be sent`,
    );
  }
  const tooLong = tooManyHeaders(Object.keys(data).length);
  if (tooLong !== undefined) return problem(tooLong);
  const headers = new Map<string, HeaderTemplate>();
  const found = new DiagnosticSink();
  const resource = resourceRef(configMap);
  const leaveOut = (code: DiagnosticCode, key: string, message: string): void => {
    found.report({ code, message, resource, field: ["data", key], at: "key" });
  };
  for (const [key, text] of Object.entries(data).sort(([a], [b]) => compareStrings(a, b))) {
    const header = parseHeader(key, text);
    if (!header.ok) return problem(header.problem);
    if (isOfContent(key)) {
      const what = `header ${key} is not sent: the auth request has no content`;
      leaveOut("AUTH_SETTING_WITHOUT_EFFECT", key, what);
    } else if (headers.has(key.toLowerCase())) {
      leaveOut("AUTH_HEADER_DUPLICATE", key, `header ${key} is named twice`);
    } else headers.set(key.toLowerCase(), header.value);
  }
  let count = 0;
  for (const [, value] of headers.values()) count += variableCount(value);
  const excess = tooMany(count, MOST_HEADER_VARIABLES, "variables in its values");
  return excess === undefined
    ? ok({ headers: [...headers.values()], reports: found.reports })
    : problem(excess);
});

function parseHeader(key: string, text: string): Result<HeaderTemplate> {
  // Several services may share an address, and Host selects one; unlike the others, it does not change where the message ends.
  const name = key.toLowerCase() === "host" ? ok(key) : parseHeaderName(key);
  if (!name.ok) return name;
  const checked = parseHeaderText(text);
  const value = checked.ok ? parseTemplate(text, "text") : checked;
  return value.ok
    ? ok([key, value.value] as const)
    : problem(`has a value for ${key} that ${value.problem}`);
}

/**
 * The URL of the auth service, and the Service whose endpoints it has; undefined if a problem closes the paths. `place`: what switched
 * the method on.
 */
function translateUrl(
  setting: Setting | undefined,
  place: LabelledField,
  owner: AuthOwner,
): { readonly url: AuthUrl; readonly service?: ServicePortRef } | undefined {
  const { problems } = owner;
  if (setting === undefined) {
    const what = `${place.label} is set without a url`;
    problems.fail("AUTH_CONFIG_INVALID", what, place);
    return undefined;
  }
  const hint = wholeUrlHint(setting.value, "http://auth.default.svc.cluster.local/verify");
  const parsed = problems.valueOf(parseAuthUrl(setting.value), setting, hint);
  if (parsed === undefined) return undefined;
  if (parsed.fragment)
    problems.warn("AUTH_URL_FRAGMENT", `${setting.label} has a fragment`, setting);
  const service = findService(parsed.url, setting, owner);
  if (service === undefined) return restrictedUrl(parsed.url, setting, owner);
  const upstream = upstreamId(service);
  return { url: { ...parsed.url, upstream }, service };
}

/** ALB2, Frontend and Rule are the operator's, who may ask anybody. */
function restrictedUrl(
  url: AuthUrl,
  setting: Setting,
  { context: { options }, operator, problems }: AuthOwner,
): { readonly url: AuthUrl } | undefined {
  if (operator) return { url };
  const problem = reservedProblem(url, options);
  if (problem === undefined) return { url: { ...url, restricted: restrictionsOf(options) } };
  const hint =
    "name the Service; the option authAddresses allows loopback and link-local addresses";
  problems.fail("AUTH_CONFIG_INVALID", `${setting.label} ${problem}`, setting, hint);
  return undefined;
}

/** The Service that the URL's host names. Undefined: another DNS name, or host or port depend on the request. */
function findService(
  url: AuthUrl,
  setting: Setting,
  { context, problems, resource }: AuthOwner,
): ServicePortRef | undefined {
  const host = literalText(url.host);
  const port = literalPort(url);
  if (host === undefined || port === undefined) return undefined;
  const named = serviceNamed(host, resource.namespace, context.options.clusterDomain);
  if (named === undefined) return undefined;
  const { namespace, name, isQualified } = named;
  const service = context.resources.get("Service", namespace, name);
  if (service !== undefined && isDnsName(service, isQualified)) return undefined;
  if (service !== undefined && findPort(service, port)) return { namespace, name, port };
  if (service !== undefined || isQualified) {
    const what = `there is no Service ${namespace}/${name} with port ${String(port)}`;
    problems.warn("AUTH_SERVICE_NOT_FOUND", what, setting);
  }
  return undefined;
}

/** A Service without endpoints stays a DNS name, and so does a host that only may be a Service's, if there is none. */
function isDnsName(service: Service, isQualified: boolean): boolean {
  return isExternalName(service) || (service.assumed === true && !isQualified);
}

/**
 * What a pod in `ownNamespace` takes a host for, by its search domains: `svc` is a Service of that namespace, then `svc.ns`, `svc.ns.svc`
 * and `svc.ns.svc.<cluster domain>`. `isQualified`: the name contains `svc`, so it can't mean another host.
 */
function serviceNamed(host: string, ownNamespace: string, clusterDomain: string) {
  const suffix = `.${clusterDomain}`;
  const short = host.endsWith(`.svc${suffix}`) ? host.slice(0, -suffix.length) : host;
  const [name = "", namespace = ownNamespace, svc, ...more] = short.split(".");
  if (more.length > 0 || (svc !== undefined && svc !== "svc")) return undefined;
  return { namespace, name, isQualified: svc === "svc" };
}

/** The port of the URL or its scheme; undefined if it depends on the request. */
function literalPort({ scheme, port }: AuthUrl): number | undefined {
  if (port === undefined) return scheme === "https" ? 443 : 80;
  const text = literalText(port);
  return text === undefined ? undefined : Number(text);
}
