/** The directives of nginx that snippets use: what becomes of each in the three kinds of snippets. */
import { accessRule, readLimitExcept, readLocation, readSatisfy } from "./access-directives.js";
import { readBreak, readIf, readReturn, readRewrite, readSet } from "./flow-directives.js";
import {
  addedHeader,
  hiddenHeader,
  moreHeaders,
  readExpires,
  sentHeader,
} from "./header-directives.js";
import type { DirectiveReader } from "./reading.js";

export const SNIPPETS = ["configuration-snippet", "server-snippet", "auth-snippet"] as const;
export type SnippetName = (typeof SNIPPETS)[number];

/** A directive in a snippet that a row does not name is not translated. */
export interface DirectiveRow {
  readonly names: readonly string[];
  /** For docs/annotations.md: what is done, or why it never did anything. */
  readonly doc: string;
  /** Where it is translated. */
  readonly read: Readonly<Partial<Record<SnippetName, DirectiveReader>>>;
  /** It has a block. */
  readonly block?: true;
  /** nginx takes it in an `if`. */
  readonly inIf?: true;
  /** Where ingress-nginx ignored it too, or could not load it. */
  readonly idleIn: readonly SnippetName[];
}

const PATHS: readonly SnippetName[] = ["configuration-snippet", "server-snippet"];

const translated = (
  name: string,
  read: DirectiveReader,
  doc: string,
  more: Pick<DirectiveRow, "block" | "inIf"> = {},
): DirectiveRow => ({
  names: [name],
  read: { "configuration-snippet": read, "server-snippet": read },
  ...{ doc, idleIn: [], ...more },
});

const IN_IF = { inIf: true } as const;
const BLOCK = { block: true } as const;

const OVERRIDDEN =
  "Each path sets it itself: a second one is refused by nginx, and one for the host is overridden.";

/** Without effect for clients. */
const unseen = (names: readonly string[], doc: string): DirectiveRow => {
  const read: DirectiveReader = (_args, into) => {
    into.idle.push(`${names[0] ?? ""} changes nothing that clients see`);
  };
  return {
    ...{ names, doc, idleIn: [] },
    read: { "configuration-snippet": read, "server-snippet": read, "auth-snippet": read },
  };
};

const switchedOff = (name: string): DirectiveRow =>
  translated(
    name,
    (args, into) => {
      if (args.join(" ") === "off") into.idle.push(`${name} off never had an effect`);
      else into.closing.push(name);
    },
    "`off` never had an effect: paths with authentication say it themselves, and locations of a snippet have none.",
  );

export const DIRECTIVES: readonly DirectiveRow[] = [
  translated(
    "more_set_headers",
    moreHeaders("shown", "sets"),
    "Replaces headers of all responses. `-s` lists statuses, `-t` content types; an empty value removes.",
    IN_IF,
  ),
  translated(
    "more_clear_headers",
    moreHeaders("shown", "clears"),
    "Removes headers of all responses; `X-Asp*` names all that begin so.",
    IN_IF,
  ),
  translated(
    "more_set_input_headers",
    moreHeaders("input", "sets"),
    "Replaces headers of the request before the backend gets it, after authentication. `-r` replaces only what is there.",
    IN_IF,
  ),
  translated(
    "more_clear_input_headers",
    moreHeaders("input", "clears"),
    "Removes headers of the request before the backend gets it.",
    IN_IF,
  ),
  translated(
    "add_header",
    addedHeader,
    "Adds a line to responses of status 200, 201, 204, 206, 301 to 304, 307 and 308, with `always` to all. Those of a server-snippet are not sent by paths with auth-url or with an add_header of their own.",
    IN_IF,
  ),
  {
    names: ["proxy_set_header"],
    doc: "Replaces a header for the backend, or for the auth service; an empty value removes it. Each path has headers of its own, so it never had an effect in a server-snippet.",
    read: { "configuration-snippet": sentHeader("sent"), "auth-snippet": sentHeader("asked") },
    idleIn: ["server-snippet"],
  },
  translated("proxy_hide_header", hiddenHeader, "Removes a header of the backend's responses."),
  translated(
    "expires",
    readExpires,
    "Sets Cache-Control, on the statuses of add_header; Expires with `epoch` and `max` only.",
    IN_IF,
  ),
  translated(
    "rewrite",
    readRewrite,
    "Writes a new path, or redirects. `last` and no flag look for the route of the new path, at most three times; `break` keeps the path's, and no rewrite-target follows.",
    IN_IF,
  ),
  translated(
    "return",
    readReturn,
    "Answers with a status, a text or a redirect, before redirects, authentication and limits of annotations.",
    IN_IF,
  ),
  translated(
    "set",
    readSet,
    "Sets a variable of the snippet, also for snippets of the paths.",
    IN_IF,
  ),
  translated(
    "if",
    readIf,
    "Compares a variable: alone, or by `=`, `!=`, `~`, `~*`, `!~`, `!~*`. Of headers in several of them, the last that holds counts.",
    BLOCK,
  ),
  translated("break", readBreak, "Ends this phase.", IN_IF),
  translated("default_type", () => undefined, "Content type of the text of `return`."),
  translated(
    "deny",
    accessRule("deny"),
    "Refuses clients with 403, after source ranges of annotations. Those of a server-snippet end where a path has others.",
  ),
  translated("allow", accessRule("allow"), "The same: the first rule that has the client counts."),
  translated("satisfy", readSatisfy, "As the annotation `satisfy`."),
  translated("limit_except", readLimitExcept, "With `deny all`: other methods get 403.", BLOCK),
  {
    names: ["location"],
    doc: "A route of its own for the host: `=`, `^~`, `~`, `~*`, or the start of a path. Without an answer of its own it has 404, as it has no backend.",
    read: { "server-snippet": readLocation },
    idleIn: [],
    block: true,
  },
  unseen(
    ["access_log", "error_log", "log_not_found", "log_subrequest", "rewrite_log"],
    "The log stays as the option accessLog says.",
  ),
  unseen(["server_tokens", "underscores_in_headers"], "The gateway does it anyway."),
  unseen(
    ["client_body_buffer_size", "proxy_busy_buffers_size", "proxy_temp_file_write_size"],
    "Buffers change no message.",
  ),
  switchedOff("auth_basic"),
  switchedOff("auth_request"),
  {
    names: ["proxy_connect_timeout", "proxy_read_timeout", "proxy_send_timeout"],
    doc: OVERRIDDEN,
    read: {},
    idleIn: PATHS,
  },
  {
    names: [
      ...["client_max_body_size", "port_in_redirect", "proxy_buffer_size", "proxy_buffering"],
      ...["proxy_buffers", "proxy_cookie_domain", "proxy_cookie_path", "proxy_http_version"],
      ...["proxy_max_temp_file_size", "proxy_next_upstream", "proxy_next_upstream_timeout"],
      ...["proxy_next_upstream_tries", "proxy_redirect", "proxy_request_buffering"],
    ],
    doc: OVERRIDDEN,
    read: {},
    idleIn: SNIPPETS,
  },
];

const BY_NAME: ReadonlyMap<string, DirectiveRow> = new Map(
  DIRECTIVES.flatMap((row) => row.names.map((name) => [name, row] as const)),
);

export function findDirective(name: string): DirectiveRow | undefined {
  return BY_NAME.get(name);
}

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

export function isHarmless(name: string): boolean {
  return HARMLESS.test(name);
}
