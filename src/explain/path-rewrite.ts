/** The rewritten target of a request, as lua/alb/filters/path.lua makes it; both pass the same vectors. All texts are wire text. */
import type { PathRewrite, Redirect } from "../model/filters.js";
import type { Encoding, Interpolation } from "../model/values.js";
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
const NOT_UNRESERVED = /[^\w\-.~]/g;

/**
 * Takes the normalised path, and path and query as received; returns the new path and query. `asSent`: the rewrite does not apply.
 * `undecided`: only the data plane can tell.
 */
export function rewriteTarget(
  rewrite: PathRewrite,
  path: string,
  target: string,
  valueOf: ValueOf,
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
      return rewriteRegex(rewrite, path, query, valueOf);
  }
}

/** Escapes of characters that nginx sends as they are (ngx_escape_uri). */
const LOST_ESCAPE = /%(?:2[1467-9A-F]|3[0-9ABD]|4[0-9A-F]|5[0-9ABDF]|6[1-9A-F]|7[0-9AE])/i;

/** Whether the path of a target is another one after nginx has decoded it and escaped it again, as it does for HTTP/2. */
export function isChangedByDecoding(target: string): boolean {
  return LOST_ESCAPE.test(target.replace(/\?.*/s, ""));
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
  valueOf: ValueOf,
): ReturnType<typeof rewriteTarget> {
  const match = pcreMatch(pattern, flags, path);
  if (match === undefined) return "undecided";
  if (match === null) return "asSent";
  const split = whole ? splitAtQuery(replacement) : { path: replacement, query: undefined };
  const inserted = expand(split.path, match, valueOf, NOT_PATH_OR_PERCENT);
  const ownQuery = split.query && joinQuery(split.query, match, valueOf, query);
  if (inserted === undefined || (split.query && ownQuery === undefined)) return "undecided";
  const before = path.slice(0, match.index);
  const after = path.slice(match.index + match[0].length);
  const rewritten = whole
    ? inserted
    : encode(before, NOT_PATH) + inserted + encode(after, NOT_PATH);
  return joined(absolute(rewritten), ownQuery ?? query);
}

/** Undefined `query`: the replacement has none. */
function splitAtQuery(replacement: Interpolation): {
  readonly path: Interpolation;
  readonly query: Interpolation | undefined;
} {
  const at = replacement.findIndex((part) => typeof part === "string" && part.includes("?"));
  const text = replacement[at];
  if (typeof text !== "string") return { path: replacement, query: undefined };
  const mark = text.indexOf("?");
  return {
    path: [...replacement.slice(0, at), text.slice(0, mark)],
    query: [text.slice(mark + 1), ...replacement.slice(at + 1)],
  };
}

/** Appends the client's query unless the replacement ends with `?`, as nginx's `rewrite` does. */
function joinQuery(
  own: Interpolation,
  match: RegExpExecArray,
  valueOf: ValueOf,
  query: string,
): string | undefined {
  const last = own.at(-1);
  const isEmpty = own.length === 1 && last === "";
  const drops = isEmpty || (typeof last === "string" && last.endsWith("?"));
  const kept = typeof last === "string" ? [...own.slice(0, -1), last.replace(/\?$/, "")] : own;
  const expanded = expand(kept, match, valueOf, NOT_QUERY_OR_PERCENT);
  return drops || query === "" || expanded === undefined ? expanded : `${expanded}&${query}`;
}

/** The value of a variable, unset ones being empty; undefined if only the data plane knows it. */
export type ValueOf = (name: string) => string | undefined;

/**
 * The Location of a redirect to a URL; undefined if only the data plane can tell. Takes the normalised path and the query as received.
 */
export function redirectLocation(
  { url = [], captures, keepsQuery }: Redirect,
  path: string,
  query: string,
  valueOf: ValueOf,
): string | undefined {
  const match = captures && pcreMatch(captures[0], captures[1], path);
  if (captures !== undefined && !match) return undefined;
  const text = expand(url, match ?? undefined, valueOf, undefined);
  if (text === undefined) return undefined;
  const isPath = typeof url[0] === "string" && url[0].startsWith("/");
  const location = encode(isPath ? absolute(text) : text, NOT_URI);
  if (keepsQuery !== true || query === "") return location;
  return `${location}${location.includes("?") ? "&" : "?"}${encode(query, NOT_URI)}`;
}

/** Characters that are illegal anywhere in a URI (RFC 3986, 2). */
// eslint-disable-next-line no-control-regex -- control characters are among them
const NOT_URI = /[\x00-\x20\x7f-\xff"<>\\^`{|}]/g;
const HOST = /^(?:(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?)?$/;

/** Undefined if only the data plane knows a value, or refuses it. `illegal`: in literals, which a URL has encoded as a whole. */
function expand(
  segments: Interpolation,
  match: RegExpExecArray | undefined,
  valueOf: ValueOf,
  illegal: RegExp | undefined,
): string | undefined {
  let text = "";
  for (const segment of segments) {
    if (typeof segment === "string") {
      text += illegal === undefined ? segment : encodeWritten(segment, illegal);
      continue;
    }
    const [name, encoding] = segment;
    const value = typeof name === "number" ? (match?.[name] ?? "") : valueOf(name);
    // $uri is decoded and has no raw form.
    const inserted =
      value === undefined ? undefined : encodeValue(value, name === "uri" ? "path" : encoding);
    if (inserted === undefined) return undefined;
    text += inserted;
  }
  return text;
}

function encodeValue(value: string, encoding: Encoding): string | undefined {
  switch (encoding) {
    case "raw":
      return /[\r\n\0]/.test(value) ? undefined : value;
    case "host":
      return HOST.test(value) ? value : undefined;
    case "component":
      return encode(value, NOT_UNRESERVED);
    case "path":
      return encode(value, NOT_PATH);
    case "query":
      return encode(value, NOT_QUERY_VALUE);
    case "start":
      return value === "" ? "" : absolute(encode(value, NOT_PATH));
  }
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
