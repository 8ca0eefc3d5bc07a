import type { Interpolation } from "../../model/interpolation.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import { parseTemplate } from "./template.js";

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
