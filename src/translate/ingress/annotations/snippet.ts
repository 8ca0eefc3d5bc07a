/** What a snippet of nginx configuration restricts, as far as its directives tell. */
import type { PathMatch } from "../../../model/route.js";

/** A quoted text, a comment, a mark that ends a statement, or a word. A comment begins where a word could. */
const TOKEN = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(#[^\n]*)|([;{}])|(?:\\.|\$\{\w*\}|[^\s;{}])+/gs;

/** Directives that decide neither who may pass nor where a request goes: headers, timeouts, buffers, compression, caches, rates, logs. */
const HARMLESS = new RegExp(
  `^(?:${[
    "add_(?:header|trailer)|expires|more_(?:set|clear)_(?:input_)?headers|set",
    "(?:proxy|grpc)_(?:(?:set|hide|pass|ignore)_headers?|\\w+_timeout|socket_keepalive|next_upstream(?:_\\w+)?)",
    "(?:proxy|grpc)_(?:buffers?|buffering|buffer_size|busy_buffers_size|intercept_errors|limit_rate)",
    "proxy_(?:cache\\w*|no_cache|cookie_\\w+|http_version|max_temp_file_size|redirect|request_buffering|temp_file_write_size)",
    "(?:proxy|grpc)_ssl_(?:ciphers|name|protocols|server_name|session_reuse)",
    "client_(?:body_(?:buffer_size|timeout)|header_(?:buffer_size|timeout)|max_body_size)|large_client_header_buffers",
    "keepalive_\\w+|lingering_\\w+|reset_timedout_connection|send_timeout|sendfile|tcp_no(?:delay|push)|output_buffers",
    "(?:brotli|gunzip|gzip|zstd)(?:_\\w+)?|charset(?:_types)?|default_type|etag|if_modified_since|server_tokens|sub_filter\\w*",
    "limit_(?:conn|rate|req)(?:_\\w+)?|error_page|http2_\\w+",
    "(?:access|error|rewrite)_log|log_(?:not_found|subrequest)|(?:opentelemetry|opentracing|otel)(?:_\\w+)?",
    "ssl_(?:buffer_size|ciphers|dhparam|ecdh_curve|prefer_server_ciphers|protocols|session_\\w+|stapling\\w*)",
  ].join("|")})$`,
);

/** A restriction holds for the whole snippet, or only for these locations. */
export interface SnippetRestrictions {
  readonly isWhole: boolean;
  readonly locations: readonly PathMatch[];
}

/** All directives may decide who may pass that are not known to be harmless. */
export function snippetRestrictions(text: string): SnippetRestrictions {
  const locations: PathMatch[] = [];
  const open: { readonly location: PathMatch | undefined; restricts: boolean }[] = [];
  const whole = { restricts: false };
  let statement: string[] = [];
  const note = (): void => {
    const [directive] = statement;
    const inner = open.findLast(({ location }) => location !== undefined);
    if (directive !== undefined && !HARMLESS.test(directive)) {
      (inner ?? whole).restricts = true;
    }
    statement = [];
  };
  for (const [token, comment, end] of text.matchAll(TOKEN)) {
    if (comment !== undefined) continue;
    if (end === undefined) {
      statement.push(unquoted(token));
      continue;
    }
    const location = end === "{" ? locationOf(statement) : undefined;
    if (location === undefined) note();
    statement = [];
    if (end === "{") open.push({ location, restricts: false });
    const closed = end === "}" ? open.pop() : undefined;
    if (closed?.location !== undefined && closed.restricts) locations.push(closed.location);
  }
  note();
  // A block without its end.
  return { isWhole: [whole, ...open].some(({ restricts }) => restricts), locations };
}

/** Undefined: it is no location that a request can have. */
function locationOf([directive, ...args]: readonly string[]): PathMatch | undefined {
  if (directive !== "location") return undefined;
  const [modifier = "", path = ""] = args.length === 1 ? ["", ...args] : args;
  if (modifier === "=") return ["exact", path];
  if (modifier === "~" || modifier === "~*") return ["regex", path, modifier === "~" ? "" : "i"];
  return path.startsWith("/") ? ["start", path] : undefined;
}

function unquoted(token: string): string {
  return token.replace(/^(["'])(.*)\1$/s, "$2");
}
