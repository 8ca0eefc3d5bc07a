import type { AuthUrl } from "../../model/auth.js";
import type { Interpolation } from "../../model/values.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import { parseAuthority } from "./authority.js";
import type { ServicePortRef } from "../backends.js";
import { meaningOfHost } from "./service-host.js";
import type { AuthOwner, MethodSettings, Setting } from "./settings.js";
import { concatenate, literalText, parseTemplate } from "./template.js";

interface TranslatedUrl {
  readonly url: AuthUrl;
  /** The Service whose endpoints the auth service has. */
  readonly service?: ServicePortRef;
}

/** The URL of the auth service; undefined when a problem closes the paths. */
export function translateUrl(
  { url: setting, place }: MethodSettings & { readonly url: Setting | undefined },
  owner: AuthOwner,
): TranslatedUrl | undefined {
  const { problems } = owner;
  if (setting === undefined) {
    const what = `${place.label} is set without a url`;
    problems.fail({ code: "AUTH_CONFIG_INVALID", what, place });
    return undefined;
  }
  const parsed = problems.valueOf(parseAuthUrl(setting.value), setting);
  if (parsed === undefined) return undefined;
  if (parsed.fragment)
    problems.warn("AUTH_URL_FRAGMENT", `${setting.label} has a fragment`, setting);
  const service = findService(parsed.url, setting, owner);
  if (service === undefined) return { url: parsed.url };
  const upstream = `${service.namespace}/${service.name}/${String(service.port)}`;
  return { url: { ...parsed.url, upstream }, service };
}

/** The Service that the URL's host names; a host or port that depends on the request is never one. */
function findService(url: AuthUrl, setting: Setting, owner: AuthOwner): ServicePortRef | undefined {
  const host = literalText(url.host);
  const port = literalPort(url);
  if (host === undefined || port === undefined) return undefined;
  const { resources, options } = owner.context;
  const meaning = meaningOfHost(resources, host, port, {
    namespace: owner.resource.namespace,
    clusterDomain: options.clusterDomain,
  });
  if (meaning.kind === "service") return meaning.service;
  if (meaning.kind === "missing") {
    const { namespace, name } = meaning.service;
    const what = `there is no Service ${namespace}/${name} with port ${String(port)}`;
    owner.problems.warn("AUTH_SERVICE_NOT_FOUND", what, setting);
  }
  return undefined;
}

interface ParsedAuthUrl {
  readonly url: AuthUrl;
  /** It had a `#…`, which is left out. */
  readonly fragment: boolean;
}

/**
 * Takes the URL of an auth service apart: http or https, host and port, path and query, with variables anywhere but in the
 * scheme. A problem completes the sentence "the URL …".
 */
export function parseAuthUrl(text: string): Result<ParsedAuthUrl> {
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

/** The port that a URL names or its scheme has; undefined when it depends on the request. */
function literalPort({ scheme, port }: AuthUrl): number | undefined {
  if (port === undefined) return scheme === "https" ? 443 : 80;
  const text = literalText(port);
  return text === undefined ? undefined : Number(text);
}

function httpScheme({ scheme, authority }: UrlText): Result<"http" | "https"> {
  const lower = scheme?.toLowerCase();
  if (lower !== "http" && lower !== "https") return problem("must start with http:// or https://");
  if (authority === undefined) return problem(`must have // after ${lower}:`);
  return ok(lower);
}

/** Path and query as they are sent; a URL without a path asks for `/`. */
function parseTarget({ path, query }: UrlText): Result<Interpolation> {
  const start = path === "" ? "/" : path;
  const parsed = parseUrlPart(query === undefined ? start : `${start}?${query}`);
  return parsed.ok ? ok(concatenate(parsed.value)) : parsed;
}

/** A longer URL fits in no request line. */
const MAX_LENGTH = 8192;

/** The parts of a URL as text, split at literal delimiters, so that no variable can move a boundary (RFC 3986, appendix B). */
export interface UrlText {
  /** Without `:`; undefined when the text has none. */
  readonly scheme: string | undefined;
  /** What follows `//`; undefined when there is no `//`. */
  readonly authority: string | undefined;
  readonly path: string;
  /** Without `?`; undefined when there is no `?`. */
  readonly query: string | undefined;
  /** Without `#`; undefined when there is no `#`. */
  readonly fragment: string | undefined;
}

const PARTS = /^(?:([^:/?#]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/;

/** Variables whose value starts with `/`: one that follows the host begins the path, as in `http://auth$request_uri`. */
const PATH_VARIABLE = /\$(?:\{(?:request_uri|uri)\}|(?:request_uri|uri)(?![A-Za-z0-9_]))/;

/** Splits the text of a URL. What it can't hold anywhere (blanks, controls, characters outside ASCII) is a problem. */
export function splitUrl(text: string): Result<UrlText> {
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
export function parseUrlPart(text: string): Result<Interpolation> {
  const parsed = parseTemplate(text, "url");
  if (!parsed.ok) return parsed;
  for (const segment of parsed.value) {
    const illegal = typeof segment === "string" ? illegalCharacter(segment) : undefined;
    if (illegal !== undefined) return problem(illegal);
  }
  return parsed;
}

/** Not `%XX`, or no unreserved, sub-delims, `:`, `@`, `/` or `?`. */
const ILLEGAL = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/;

function illegalCharacter(literal: string): string | undefined {
  const found = ILLEGAL.exec(literal)?.[0];
  if (found === undefined) return undefined;
  if (found === "%") return "has a % that two hexadecimal digits don't follow; write %25";
  const code = found.charCodeAt(0).toString(16).toUpperCase();
  return `holds the character ${found}, which a URL can't have there; write %${code}`;
}
