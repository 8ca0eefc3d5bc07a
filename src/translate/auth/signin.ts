import type { Interpolation } from "../../model/values.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import type { UrlText } from "./forward-url.js";
import { parseAuthority, parseUrlPart, splitUrl } from "./forward-url.js";
import { concatenate } from "./template.js";

export const DEFAULT_REDIRECT_PARAMETER = "rd";

/** Only unreserved characters, which can't end the name or begin another parameter. */
const PARAMETER = /^[A-Za-z0-9._~-]{1,128}$/;

/** A scheme that depends on the request. */
const SCHEME_VARIABLE = /^\$(?:\{(scheme|pass_access_scheme)\}|(scheme|pass_access_scheme))$/;

/**
 * The original URL as a parameter's value: scheme and Host header unchanged, the request URI fully escaped, so that its own query
 * stays within the value. Source: specification, Forward auth 5.
 */
const ORIGINAL_URL: Interpolation = [
  ["pass_access_scheme", "raw"],
  "://",
  ["http_host", "raw"],
  ["escaped_request_uri", "raw"],
];

/** Checks the name of the parameter that records the original URL. */
export function parseRedirectParameter(text: string): Result<string> {
  return PARAMETER.test(text)
    ? ok(text)
    : problem("must be the name of a query parameter: 1 to 128 letters, digits, ., _, ~ and -");
}

/**
 * The Location of a sign-in redirect: the URL with `<parameter>=<original URL>` appended unless that parameter already has
 * a value. The URL is http or https (also by `$scheme` and `$pass_access_scheme`), or a path of the same host.
 * A problem completes the sentence "the URL …".
 */
export function parseSignin(text: string, parameter: string): Result<Interpolation> {
  const split = splitUrl(text);
  if (!split.ok) return split;
  const origin = parseOrigin(split.value);
  if (!origin.ok) return origin;
  const { path, query, fragment } = split.value;
  const pathAndQuery = parseUrlPart(query === undefined ? path : `${path}?${query}`);
  if (!pathAndQuery.ok) return pathAndQuery;
  const tail = parseUrlPart(fragment ?? "");
  if (!tail.ok) return tail;
  return ok(
    concatenate(
      origin.value,
      pathAndQuery.value,
      ...redirectParameter(query, parameter),
      ...(fragment === undefined ? [] : ["#", tail.value]),
    ),
  );
}

/** `scheme://authority`, or nothing for a path of the same host. */
function parseOrigin({ scheme, authority: text, path }: UrlText): Result<Interpolation> {
  if (scheme === undefined && text === undefined && path.startsWith("/")) return ok([]);
  const shownScheme = signinScheme(scheme);
  if (shownScheme === undefined || text === undefined) {
    return problem("must start with http:// or https://, or be a path that starts with /");
  }
  const authority = parseAuthority(text);
  if (!authority.ok) return authority;
  const { host, port } = authority.value;
  const bracketed = text.startsWith("[");
  return ok(
    concatenate(
      shownScheme,
      bracketed ? "://[" : "://",
      host,
      bracketed ? "]" : "",
      ...(port === undefined ? [] : [":", port]),
    ),
  );
}

function signinScheme(scheme = ""): Interpolation | undefined {
  const variable = SCHEME_VARIABLE.exec(scheme);
  if (variable) return [[variable[1] ?? variable[2] ?? "", "raw"]];
  const lower = scheme.toLowerCase();
  return lower === "http" || lower === "https" ? [lower] : undefined;
}

/** The text to append to a query so that `parameter` has a value; empty if it has one. */
function redirectParameter(
  query: string | undefined,
  parameter: string,
): readonly (Interpolation | string)[] {
  if (query === undefined) return [`?${parameter}=`, ORIGINAL_URL];
  if (query.split("&").some((pair) => hasValue(pair, parameter))) return [];
  const separator = query === "" || query.endsWith("&") ? "" : "&";
  return [`${separator}${parameter}=`, ORIGINAL_URL];
}

function hasValue(pair: string, parameter: string): boolean {
  const equals = pair.indexOf("=");
  return (
    equals !== -1 && equals < pair.length - 1 && decodeName(pair.slice(0, equals)) === parameter
  );
}

/** A parameter's name as servers read it. Text that can't be decoded can't be our parameter. */
function decodeName(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
