/**
 * What a backend gets for a path that is rewritten: lua/alb/filters/path.lua in TypeScript, held against the same vectors.
 * All texts are wire text.
 */
import type { PathRewrite } from "../model/filters.js";
import { pcreMatch } from "./pcre.js";

/** `asSent`: the rewrite does not apply. `undecided`: only PCRE can tell. Else the new target, path and query. */
export type RewrittenTarget = { readonly target: string } | "asSent" | "undecided";

/** Segments that nginx resolves before it matches: `.` and `..`, escaped or not. */
const DOT_SEGMENT = /(?:\/|%2f)(?:\.|%2e){1,2}(?:\/|%2f|$)/i;

/** RFC 3986, 3.3: everything but pchar and `/`. */
const NOT_PATH = /[^\w\-.~!$&'()*+,;=:@/]/g;
const NOT_PATH_OR_PERCENT = /[^\w\-.~!$&'()*+,;=:@/%]/g;
/** RFC 3986, 3.4: everything but pchar, `/` and `?`. */
const NOT_QUERY_OR_PERCENT = /[^\w\-.~!$&'()*+,;=:@/%?]/g;
/** What would end or change a parameter is escaped too. */
const NOT_QUERY_VALUE = /[^\w\-.~!$'()*,:@/]/g;

/** `path` is the normalised path, `target` the path and query as received. */
export function rewriteTarget(rewrite: PathRewrite, path: string, target: string): RewrittenTarget {
  const [, raw = "", query = ""] = /^([^?#]*)\??([^#]*)/.exec(target) ?? [];
  switch (rewrite[0]) {
    case "full":
      return joined(absolute(encodeWritten(rewrite[1], NOT_PATH_OR_PERCENT)), query);
    case "prefix": {
      const rewritten = rewritePrefix(rewrite[1], rewrite[2], path, raw);
      return rewritten === undefined ? "asSent" : joined(rewritten, query);
    }
    case "regex":
      return rewriteRegex(rewrite, path, query);
  }
}

function rewritePrefix(
  written: string,
  replacement: string,
  path: string,
  raw: string,
): string | undefined {
  const prefix = withoutSlashes(written);
  if (!hasPrefix(path, prefix)) return undefined;
  const base = withoutSlashes(replacement);
  const start = base === "" ? "" : absolute(encodeWritten(base, NOT_PATH_OR_PERCENT));
  const isLiteral = hasPrefix(raw, prefix) && (raw === path || !DOT_SEGMENT.test(raw));
  const rest = isLiteral ? raw.slice(prefix.length) : encode(path.slice(prefix.length), NOT_PATH);
  return absolute(start + rest);
}

function rewriteRegex(
  [, pattern, flags, replacement, whole]: Extract<PathRewrite, readonly ["regex", ...unknown[]]>,
  path: string,
  query: string,
): RewrittenTarget {
  const match = pcreMatch(pattern, flags, path);
  if (match === undefined) return "undecided";
  if (match === null) return "asSent";
  const mark = whole ? replacement.indexOf("?") : -1;
  const written = mark === -1 ? replacement : replacement.slice(0, mark);
  const inserted = expand(written, match, NOT_PATH_OR_PERCENT, NOT_PATH);
  const before = path.slice(0, match.index);
  const after = path.slice(match.index + match[0].length);
  const rewritten = whole
    ? inserted
    : encode(before, NOT_PATH) + inserted + encode(after, NOT_PATH);
  const ownQuery = mark === -1 ? undefined : replacement.slice(mark + 1);
  return joined(absolute(rewritten), joinQuery(ownQuery, match, query));
}

/** As nginx's own rewrite: the client's query follows, unless the replacement ends with `?`. */
function joinQuery(own: string | undefined, match: RegExpExecArray, query: string): string {
  if (own === undefined) return query;
  const expanded = expand(own.replace(/\?$/, ""), match, NOT_QUERY_OR_PERCENT, NOT_QUERY_VALUE);
  return own === "" || own.endsWith("?") || query === "" ? expanded : `${expanded}&${query}`;
}

/** `$0` (the match) to `$9` in a replacement; a group that took no part in the match is empty. */
function expand(written: string, match: RegExpExecArray, illegal: RegExp, inValue: RegExp): string {
  return written
    .split(/(\$\d)/)
    .map((part, i) =>
      i % 2 === 1 ? encode(match[Number(part[1])] ?? "", inValue) : encodeWritten(part, illegal),
    )
    .join("");
}

function encode(text: string, illegal: RegExp): string {
  return text.replaceAll(
    illegal,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}

/** Text that somebody wrote as a path or query: escapes stay, a `%` that starts none is escaped. */
function encodeWritten(text: string, illegal: RegExp): string {
  return encode(text, illegal).replaceAll(/%(?![0-9A-Fa-f]{2})/g, "%25");
}

/** A target that starts with `//` would be read as a host by some. */
function absolute(path: string): string {
  return path.startsWith("/") ? path.replace(/^\/+/, "/") : `/${path}`;
}

function withoutSlashes(path: string): string {
  return path.replace(/\/+$/, "");
}

function hasPrefix(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

function joined(path: string, query: string): RewrittenTarget {
  return { target: query === "" ? path : `${path}?${query}` };
}
