import type { AuthUrl } from "../../model/auth.js";
import type { Interpolation } from "../../model/interpolation.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import { parseAuthority } from "./authority.js";
import { concatenate, literalText } from "./template.js";
import type { UrlText } from "./url-text.js";
import { parseUrlPart, splitUrl } from "./url-text.js";

export interface ParsedAuthUrl {
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
export function literalPort({ scheme, port }: AuthUrl): number | undefined {
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
