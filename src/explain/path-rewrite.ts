/** The rewritten target of a request, as lua/alb/filters/path.lua makes it; both pass the same vectors. All texts are wire text. */
import type { PathRewrite } from "../model/filters.js";
import { pcreMatch } from "./pcre.js";

/** `.` and `..`, escaped or not: nginx removes them before it matches. */
const DOT_SEGMENT = /(?:\/|%2f)(?:\.|%2e){1,2}(?:\/|%2f|$)/i;

/** Everything but `pchar` and `/` (RFC 3986, 3.3). */
const NOT_PATH = /[^\w\-.~!$&'()*+,;=:@/]/g;
const NOT_PATH_OR_PERCENT = /[^\w\-.~!$&'()*+,;=:@/%]/g;
/** Everything but `pchar`, `/` and `?` (RFC 3986, 3.4). */
const NOT_QUERY_OR_PERCENT = /[^\w\-.~!$&'()*+,;=:@/%?]/g;
/** Also escapes what would end or change a parameter. */
const NOT_QUERY_VALUE = /[^\w\-.~!$'()*,:@/]/g;

/**
 * Takes the normalised path, and path and query as received; returns the new path and query. `asSent`: the rewrite does not apply.
 * `undecided`: only PCRE can decide.
 */
export function rewriteTarget(
  rewrite: PathRewrite,
  path: string,
  target: string,
): { readonly target: string } | "asSent" | "undecided" {
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
  const spelled = encode(prefix, NOT_PATH);
  const isLiteral = hasPrefix(raw, spelled) && (raw === path || !DOT_SEGMENT.test(raw));
  const rest = isLiteral ? raw.slice(spelled.length) : encode(path.slice(prefix.length), NOT_PATH);
  return absolute(start + rest);
}

function rewriteRegex(
  [, pattern, flags, replacement, whole]: Extract<PathRewrite, readonly ["regex", ...unknown[]]>,
  path: string,
  query: string,
): ReturnType<typeof rewriteTarget> {
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

/** Appends the client's query unless the replacement ends with `?`, as nginx's `rewrite` does. */
function joinQuery(own: string | undefined, match: RegExpExecArray, query: string): string {
  if (own === undefined) return query;
  const expanded = expand(own.replace(/\?$/, ""), match, NOT_QUERY_OR_PERCENT, NOT_QUERY_VALUE);
  return own === "" || own.endsWith("?") || query === "" ? expanded : `${expanded}&${query}`;
}

/** Replaces `$0` (the match) to `$9`; a group that took no part in the match is empty. */
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

/** Encodes a path or query that a user wrote: escapes stay, any other `%` is escaped. */
function encodeWritten(text: string, illegal: RegExp): string {
  return encode(text, illegal).replaceAll(/%(?![0-9A-Fa-f]{2})/g, "%25");
}

/** Some readers take a target that starts with `//` for a host. */
function absolute(path: string): string {
  return path.startsWith("/") ? path.replace(/^\/+/, "/") : `/${path}`;
}

function withoutSlashes(path: string): string {
  return path.replace(/\/+$/, "");
}

function hasPrefix(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

function joined(path: string, query: string): { readonly target: string } {
  return { target: query === "" ? path : `${path}?${query}` };
}
