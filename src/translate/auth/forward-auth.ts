import { AUTH_METHODS } from "../../api/auth.js";
import type { ConfigMap } from "../../api/wire.js";
import type { HeaderTemplate } from "../../model/auth.js";
import type { Interpolation } from "../../model/values.js";
import { compareStrings, memoized } from "../../support/collections.js";
import { filled } from "../../support/json-object.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import { listed } from "../../support/text.js";
import { copiedHeaderProblem } from "../http/special-headers.js";
import { referencedObject } from "./auth-owner.js";
import { translateUrl } from "./forward-url.js";
import { parseHeaderName, parseHeaderText } from "./http-headers.js";
import type { AuthMethod, AuthOwner, MethodSettings, Setting } from "./settings.js";
import { fieldReader } from "./settings.js";
import { DEFAULT_REDIRECT_PARAMETER, parseRedirectParameter, parseSignin } from "./signin.js";
import { parseTemplate } from "./template.js";

/** The texts that Go's strconv.ParseBool takes, which ingress-nginx reads booleans with. */
const TRUE: ReadonlySet<string> = new Set(["1", "t", "T", "TRUE", "true", "True"]);
const FALSE: ReadonlySet<string> = new Set(["0", "f", "F", "FALSE", "false", "False"]);

interface ForwardSettings extends MethodSettings {
  readonly url: Setting | undefined;
  readonly method: Setting | undefined;
  readonly signin: Setting | undefined;
  readonly signinParameter: Setting | undefined;
  readonly responseHeaders: Setting<readonly string[]> | undefined;
  readonly headersReference: Setting | undefined;
  readonly requestRedirect: Setting | undefined;
  /** Text of a boolean. */
  readonly alwaysSetCookie: Setting | undefined;
}

/** An auth service decides about each request, as ingress-nginx asks it. */
export const FORWARD: AuthMethod<ForwardSettings> = {
  field: "forward",
  annotations: {
    switch: "auth-url",
    others: [
      "auth-method",
      "auth-signin",
      "auth-signin-redirect-param",
      "auth-response-headers",
      "auth-proxy-set-headers",
      "auth-request-redirect",
      "auth-always-set-cookie",
    ],
  },
  fromObject({ forward }, parent) {
    if (!forward) return undefined;
    const field = [...parent, "forward"];
    const setting = fieldReader(forward, field, "forward");
    const headers = forward.upstream_headers;
    return {
      place: { label: "forward", field },
      url: setting("url"),
      method: setting("method"),
      signin: setting("signin"),
      signinParameter: setting("signin_redirect_param"),
      responseHeaders: headers && {
        value: headers,
        label: "forward.upstream_headers",
        field: [...field, "upstream_headers"],
      },
      headersReference: setting("auth_headers_cm_ref"),
      requestRedirect: setting("auth_request_redirect"),
      alwaysSetCookie: setting("always_set_cookie"),
    };
  },
  fromAnnotations(url, read) {
    const headers = read("auth-response-headers");
    return {
      place: url,
      url,
      method: read("auth-method"),
      signin: read("auth-signin"),
      signinParameter: read("auth-signin-redirect-param"),
      responseHeaders: headers && { ...headers, value: headers.value.split(",") },
      headersReference: read("auth-proxy-set-headers"),
      requestRedirect: read("auth-request-redirect"),
      alwaysSetCookie: read("auth-always-set-cookie"),
    };
  },
  translate(settings, owner) {
    const { problems } = owner;
    // All of them are read before giving up, so that one report names everything that is wrong.
    const url = translateUrl(settings, owner);
    const method = problems.optional(settings.method, parseMethod, "GET");
    const headers = translateHeaders(settings, owner);
    const requestRedirect = problems.optional(settings.requestRedirect, parseRequestRedirect, []);
    const responseHeaders = problems.optional(settings.responseHeaders, parseResponseHeaders, []);
    const signin = translateSignin(settings, owner);
    const alwaysSetCookie = problems.optional(settings.alwaysSetCookie, parseBoolean, false);
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

function translateHeaders(
  { headersReference: setting }: ForwardSettings,
  owner: AuthOwner,
): readonly HeaderTemplate[] | undefined {
  if (setting === undefined) return [];
  const { problems } = owner;
  const configMap = referencedObject(owner, "ConfigMap", setting, false);
  if (configMap === undefined) return undefined;
  const shown = `config map ${configMap.name.namespace}/${configMap.name.name}`;
  const read = readHeaderConfigMap(configMap.object);
  if (!read.ok) {
    const what = `${shown} ${read.problem}`;
    problems.fail({ code: "AUTH_CONFIG_INVALID", what, place: setting });
    return undefined;
  }
  for (const key of read.value.duplicates) {
    problems.warn("AUTH_HEADER_DUPLICATE", `${shown} names the header ${key} twice`, setting);
  }
  return read.value.headers;
}

/** Empty without a sign-in URL. */
function translateSignin(
  { signin, signinParameter }: ForwardSettings,
  { problems }: AuthOwner,
): Interpolation | undefined {
  const parameter = problems.optional(
    signinParameter,
    parseRedirectParameter,
    DEFAULT_REDIRECT_PARAMETER,
  );
  if (signin === undefined) return parameter === undefined ? undefined : [];
  const parsed = problems.valueOf(
    parseSignin(signin.value, parameter ?? DEFAULT_REDIRECT_PARAMETER),
    signin,
  );
  return parameter === undefined ? undefined : parsed;
}

/** Names in lower case, each once; blank items are skipped, as ingress-nginx does. What would not reach the backend is left out. */
function parseResponseHeaders(items: readonly string[]): Result<readonly string[]> {
  const names = new Set<string>();
  const problems = new Set<string>();
  for (const item of items.map((text) => text.trim()).filter((text) => text !== "")) {
    const name = parseHeaderName(item);
    if (!name.ok) return name;
    const why = copiedHeaderProblem(item);
    if (why === undefined) names.add(name.value.toLowerCase());
    else problems.add(why);
  }
  const value = [...names];
  if (problems.size === 0) return ok(value);
  return {
    ok: true,
    value,
    problem: `names headers that are not copied: ${listed([...problems])}`,
  };
}

function parseMethod(text: string): Result<string> {
  return AUTH_METHODS.includes(text)
    ? ok(text)
    : problem(`must be one of ${AUTH_METHODS.join(", ")}`);
}

function parseRequestRedirect(text: string): Result<Interpolation> {
  const checked = parseHeaderText(text);
  return checked.ok ? parseTemplate(text, "text") : checked;
}

function parseBoolean(text: string): Result<boolean> {
  if (TRUE.has(text)) return ok(true);
  return FALSE.has(text) ? ok(false) : problem("must be true or false");
}

interface HeaderConfigMap {
  /** Sorted by name. */
  readonly headers: readonly HeaderTemplate[];
  /** Keys that name a header which an earlier key names. */
  readonly duplicates: readonly string[];
}

/**
 * Reads a config map of headers for the auth service: each key a name, each value a text with variables. A problem completes
 * the sentence "config map <namespace>/<name> …"; it never holds a value. Thousands of paths may name one config map.
 */
const readHeaderConfigMap = memoized((configMap: ConfigMap): Result<HeaderConfigMap> => {
  if (Object.keys(configMap.binaryData ?? {}).length > 0) {
    return problem("has binary data, which can't be sent as headers");
  }
  const headers = new Map<string, HeaderTemplate>();
  const duplicates: string[] = [];
  const entries = Object.entries(configMap.data ?? {}).sort(([a], [b]) => compareStrings(a, b));
  for (const [key, value] of entries) {
    const header = parseHeader(key, value);
    if (!header.ok) return header;
    if (headers.has(key.toLowerCase())) duplicates.push(key);
    else headers.set(key.toLowerCase(), header.value);
  }
  return ok({ headers: [...headers.values()], duplicates });
});

function parseHeader(key: string, text: string): Result<HeaderTemplate> {
  // Host says which service is asked where several share an address; it does not change where the message ends.
  const name = key.toLowerCase() === "host" ? ok(key) : parseHeaderName(key);
  if (!name.ok) return name;
  const checked = parseHeaderText(text);
  const value = checked.ok ? parseTemplate(text, "text") : checked;
  return value.ok
    ? ok([key, value.value] as const)
    : problem(`has a value for ${key} that ${value.problem}`);
}
