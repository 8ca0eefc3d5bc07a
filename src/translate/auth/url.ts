/** URLs as settings write them, with variables: of auth services, and of sign-in pages. */
import { isIPv4, isIPv6 } from "node:net";
import type { AuthUrl } from "../../model/auth.js";
import type { Interpolation } from "../../model/values.js";
import { type Result, ok, problem } from "../../support/result.js";
import { concatenate, literalText, parseTemplate } from "./template.js";

/**
 * Parses the URL of an auth service: http or https, host and port, path and query, with variables anywhere except in the scheme.
 * `fragment`: the text has a `#…`, which is left out. A problem completes the sentence "the URL …".
 */
export function parseAuthUrl(
  text: string,
): Result<{ readonly url: AuthUrl; readonly fragment: boolean }> {
  const split = splitUrl(text);
  if (!split.ok) return split;
  const scheme = httpScheme(split.value);
  if (!scheme.ok) return scheme;
  const authority = parseAuthority(split.value.authority ?? "");
  if (!authority.ok) return authority;
  const target = parseTarget(split.value);
  if (!target.ok) return target;
  return ok({
    url: { scheme: scheme.value, ...authority.value, target: target.value },
    fragment: split.value.fragment !== undefined,
  });
}

function httpScheme({ scheme, authority }: UrlText): Result<"http" | "https"> {
  const lower = scheme?.toLowerCase();
  if (lower !== "http" && lower !== "https") return problem("must start with http:// or https://");
  if (authority === undefined) return problem(`must have // after ${lower}:`);
  return ok(lower);
}

/** Path and query as sent; without a path, the request is for `/`. */
function parseTarget({ path, query }: UrlText): Result<Interpolation> {
  const start = path === "" ? "/" : path;
  const parsed = parseUrlPart(query === undefined ? start : `${start}?${query}`);
  return parsed.ok ? ok(concatenate(parsed.value)) : parsed;
}

/** A longer URL does not fit in a request line. */
const MAX_LENGTH = 8192;

/** The parts of a URL as text, split at literal delimiters, so that no variable can move a boundary (RFC 3986, appendix B). */
interface UrlText {
  /** Without `:`; undefined if the text has none. */
  readonly scheme: string | undefined;
  /** The text after `//`; undefined without `//`. */
  readonly authority: string | undefined;
  readonly path: string;
  /** Without `?`; undefined without `?`. */
  readonly query: string | undefined;
  /** Without `#`; undefined without `#`. */
  readonly fragment: string | undefined;
}

const PARTS = /^(?:([^:/?#]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/;

/** Variables whose value starts with `/`: after the host they begin the path, as in `http://auth$request_uri`. */
const PATH_VARIABLE = /\$(?:\{(?:request_uri|uri)\}|(?:request_uri|uri)(?![A-Za-z0-9_]))/;

/** Splits the text of a URL. Blanks, control characters and characters outside ASCII are problems. */
function splitUrl(text: string): Result<UrlText> {
  if (text.length > MAX_LENGTH) return problem(`is longer than ${MAX_LENGTH} characters`);
  if (/[\t ]/.test(text)) return problem("holds a blank; write %20");
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\x00-\x1f\x7f]/.test(text)) return problem("holds a control character");
  if (/[^\x21-\x7e]/.test(text)) {
    return problem("holds a character outside ASCII; it must be percent-encoded");
  }
  const [, scheme, authority, path = "", query, fragment] = PARTS.exec(text) ?? [];
  return ok(movePathVariable({ scheme, authority, path, query, fragment }));
}

function movePathVariable(parts: UrlText): UrlText {
  const { authority, path } = parts;
  const variable = authority === undefined ? undefined : PATH_VARIABLE.exec(authority);
  if (authority === undefined || !variable) return parts;
  return {
    ...parts,
    authority: authority.slice(0, variable.index),
    path: authority.slice(variable.index) + path,
  };
}

/** A path, query or fragment; its literal characters must be those of RFC 3986. */
function parseUrlPart(text: string): Result<Interpolation> {
  const parsed = parseTemplate(text, "url");
  if (!parsed.ok) return parsed;
  for (const segment of parsed.value) {
    const illegal = typeof segment === "string" ? illegalCharacter(segment) : undefined;
    if (illegal !== undefined) return problem(illegal);
  }
  return parsed;
}

/** A `%` without two hexadecimal digits, or a character other than unreserved, sub-delims, `:`, `@`, `/` and `?`. */
const ILLEGAL = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/;

function illegalCharacter(literal: string): string | undefined {
  const found = ILLEGAL.exec(literal)?.[0];
  if (found === undefined) return undefined;
  if (found === "%") return "has a % that two hexadecimal digits don't follow; write %25";
  const code = found.charCodeAt(0).toString(16).toUpperCase();
  return `holds the character ${found}, which a URL can't have there; write %${code}`;
}

/** Replaces a variable when the text around it is checked: a valid label by itself and next to label characters. */
const SAMPLE = "v";
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;
const MAX_NAME = 253;
const MAX_LABEL = 63;

/**
 * Parses `host[:port]`: a DNS name without empty labels, an IPv4 address or an IPv6 address in brackets; no user name. Variables may
 * only stand for characters of host and port. The host is in lower case, a literal port without leading zeros.
 */
function parseAuthority(text: string): Result<Pick<AuthUrl, "host" | "port">> {
  if (text.includes("@")) {
    return problem(
      "must not hold a user name or password; send them in a header of auth-proxy-set-headers",
    );
  }
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(text);
  if (bracketed) {
    const [, address = "", port] = bracketed;
    if (!isIPv6(address) || address.includes("%")) return problem("has an invalid IPv6 address");
    return withPort([address.toLowerCase()], port);
  }
  const [host = "", port, ...more] = text.split(":");
  if (more.length > 0)
    return problem("has more than one colon in its host; an IPv6 address needs brackets");
  if (/[[\]]/.test(text)) return problem("has brackets that don't hold an IPv6 address");
  const parsed = parseHost(host);
  return parsed.ok ? withPort(parsed.value, port) : parsed;
}

function parseHost(text: string): Result<Interpolation> {
  if (text === "") return problem("has no host");
  const parsed = parseTemplate(text, "host");
  if (!parsed.ok) return parsed;
  const host = parsed.value.map((segment) =>
    typeof segment === "string" ? segment.toLowerCase() : segment,
  );
  const wrong = wrongName(sample(host));
  return wrong === undefined ? ok(host) : problem(wrong);
}

function wrongName(name: string): string | undefined {
  if (name.length > MAX_NAME) return `has a host longer than ${MAX_NAME} characters`;
  const labels = name.split(".");
  if (labels.includes(""))
    return "has an empty label in its host: a dot at an end, or two in a row";
  if (labels.some((label) => label.length > MAX_LABEL || !LABEL.test(label))) {
    return "has a host that is no DNS name: letters, digits, - and _, at most 63 between two dots";
  }
  const last = labels.at(-1) ?? "";
  // Some resolvers read a last label that is a number as a part of an address (URL Standard, 3.5), and so find another one.
  return /^(?:[0-9]+|0x[0-9a-f]*)$/.test(last) && !isIPv4(name)
    ? "has an invalid IPv4 address"
    : undefined;
}

function withPort(
  host: Interpolation,
  text: string | undefined,
): Result<Pick<AuthUrl, "host" | "port">> {
  if (text === undefined) return ok({ host });
  const parsed = parseTemplate(text, "host");
  if (!parsed.ok) return parsed;
  const port = parsed.value;
  const literal = literalText(port);
  if (literal === undefined) {
    const digits = port.every((part) => typeof part !== "string" || /^[0-9]+$/.test(part));
    return digits ? ok({ host, port }) : problem("has a port that is no number");
  }
  const number = /^[0-9]{1,5}$/.test(literal) ? Number(literal) : 0;
  if (number < 1 || number > 65_535) return problem("has a port that is no number from 1 to 65535");
  return ok({ host, port: concatenate(String(number)) });
}

function sample(host: Interpolation): string {
  return host.map((segment) => (typeof segment === "string" ? segment : SAMPLE)).join("");
}

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
