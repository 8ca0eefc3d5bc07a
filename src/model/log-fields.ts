/** The access log. docs/logging.md lists the fields from this table. */

/** `json` has the chosen fields; the others are lines of text that other programs know, with fields of their own. */
export const LOG_FORMATS = ["json", "combined", "upstreaminfo"] as const;

export type LogFormat = (typeof LOG_FORMATS)[number];

interface LogFieldRow {
  readonly name: string;
  /** Variable of nginx or of templates/. */
  readonly variable: string;
  /** Instead of it for requests whose target, host or User-Agent may not be ASCII: texts that Lua has made UTF-8. */
  readonly shown?: string;
  /** A JSON number; all others are strings, empty if the request has none. */
  readonly number?: true;
  readonly description: string;
}

export const LOG_FIELDS = [
  { name: "time", variable: "time_iso8601", description: "end of the request, ISO 8601" },
  {
    name: "client",
    variable: "remote_addr",
    description: "address of the client; behind `trustedProxies` the one that they tell",
  },
  {
    name: "method",
    variable: "request_method",
    // nginx refuses such a method, over HTTP/2 only after it has kept it.
    shown: "albc_log_method",
    description: "method, up to the first byte that is not ASCII",
  },
  { name: "host", variable: "host", shown: "albc_log_host", description: "host, without the port" },
  {
    name: "path",
    variable: "uri",
    shown: "albc_log_path",
    description: "path as the client sent it, without the query",
  },
  {
    name: "query",
    variable: "args",
    shown: "albc_log_query",
    description: "query as the client sent it; may hold tokens",
  },
  {
    name: "uri",
    variable: "request_uri",
    shown: "albc_log_uri",
    description: "path and query as the client sent them; may hold tokens",
  },
  {
    name: "protocol",
    variable: "server_protocol",
    description: "HTTP version, such as `HTTP/2.0`",
  },
  {
    name: "port",
    variable: "server_port",
    description: "port of the gateway; empty for a TLS port that TLSRoutes share",
  },
  { name: "status", variable: "albc_status", number: true, description: "status of the response" },
  {
    name: "bytes",
    variable: "body_bytes_sent",
    number: true,
    description: "bytes of the response's body",
  },
  {
    name: "bytes_sent",
    variable: "bytes_sent",
    number: true,
    description: "bytes of the whole response",
  },
  {
    name: "bytes_received",
    variable: "request_length",
    number: true,
    description: "bytes of the whole request",
  },
  {
    name: "duration",
    variable: "request_time",
    number: true,
    description: "seconds from the first byte of the request to the last of the response",
  },
  {
    name: "upstream_addr",
    variable: "upstream_addr",
    description:
      "address of the endpoint; of each try, separated by `, `; after ` : ` that of the Service of an error page",
  },
  {
    name: "upstream_status",
    variable: "upstream_status",
    description: "status of the endpoint, for each try",
  },
  {
    name: "upstream_time",
    variable: "upstream_response_time",
    description: "seconds until the end of the endpoint's response, for each try",
  },
  {
    name: "upstream_connect_time",
    variable: "upstream_connect_time",
    description: "seconds to connect, TLS included, for each try",
  },
  {
    name: "upstream_header_time",
    variable: "upstream_header_time",
    description: "seconds until the endpoint's response header, for each try",
  },
  {
    name: "upstream_bytes",
    variable: "upstream_bytes_received",
    description: "bytes from the endpoint, for each try",
  },
  {
    name: "route",
    variable: "albc_route",
    description: "route: kind, namespace, name and rule; `explain` shows the same name",
  },
  {
    name: "reason",
    variable: "albc_reason",
    description: "reason of an error of the gateway ([errors.md](errors.md))",
  },
  {
    name: "user",
    variable: "albc_user",
    description: "authenticated user; never one whose login failed",
  },
  {
    name: "auth",
    variable: "albc_auth",
    description:
      "outcome of authentication: `passed`, `signin`, or why it was refused, named as in `albc_auth_checks_total`; empty without",
  },
  {
    name: "auth_time",
    variable: "albc_auth_time",
    description: "seconds that auth services took",
  },
  {
    name: "request_id",
    variable: "albc_request_id",
    description: "id of the request, as in X-Request-ID",
  },
  {
    name: "trace_id",
    variable: "albc_trace_id",
    description: "id of the trace, if `tracing` is on ([tracing.md](tracing.md))",
  },
  {
    name: "user_agent",
    variable: "http_user_agent",
    shown: "albc_log_agent",
    description: "User-Agent header",
  },
  {
    name: "referer",
    variable: "albc_log_referer",
    description: "Referer header up to its query, or to the first byte that is not ASCII",
  },
  { name: "tls_protocol", variable: "ssl_protocol", description: "TLS version" },
  { name: "tls_cipher", variable: "ssl_cipher", description: "cipher of the TLS connection" },
  {
    name: "tls_server_name",
    variable: "albc_log_server_name",
    description: "server name of the TLS handshake, up to the first byte that is not ASCII",
  },
  {
    name: "tls_client",
    variable: "albc_log_client",
    description:
      "subject of a client certificate that was verified, up to the first byte that is not ASCII",
  },
] as const satisfies readonly LogFieldRow[];

export type LogField = (typeof LOG_FIELDS)[number]["name"];

export const DEFAULT_LOG_FIELDS: readonly LogField[] = [
  "time",
  "client",
  "method",
  "host",
  "path",
  "protocol",
  "status",
  "bytes",
  "duration",
  "upstream_addr",
  "upstream_status",
  "upstream_time",
  "route",
  "reason",
  "user",
  "auth",
  "request_id",
  "user_agent",
];

/** Rows of the named fields, in the order of the names; unknown names have none. */
export function logFields(names: readonly string[]): readonly LogFieldRow[] {
  const rows: readonly LogFieldRow[] = LOG_FIELDS;
  return names.flatMap((name) => rows.find((row) => row.name === name) ?? []);
}
