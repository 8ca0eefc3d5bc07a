/** The view of templates/partials/headers.conf.hbs: the request headers that nginx sets for backends, for one server. */
import type { Server } from "../../model/listener.js";
import type { DataPlaneOptions } from "../../model/options.js";
import { headersThatAre } from "../../model/special-headers.js";
import { integerText, type NginxText, sequence, variable, word } from "./text.js";

export const DROPPED = headersThatAre("dropped");

export const CLAIMS = headersThatAre("claim");

/** The only claim that filters may set. */
const PREFIX = "X-Forwarded-Prefix";

/** They say where a request ends. Only nginx writes them, so their spellings with `_` are dropped. */
const FRAMING = ["Content-Length", "Transfer-Encoding"];

/** nginx evaluates each value for each request, so values that are the same for all requests of a server are constants. */
export function headersView(server: Server, options: DataPlaneOptions): object {
  const trusting = options.trustedProxies.length > 0;
  const headers = trusting ? trustingHeaders() : connectionHeaders(server, options);
  const dropped = trusting ? DROPPED_BEHIND_TRUSTED : DROPPED_OF_ALL;
  return { headers: headers.map(([name, value]) => ({ name: word(name), value })), dropped };
}

const CLAIMED: ReadonlySet<string> = new Set(CLAIMS);

/** Names with `_` matter to CGI backends, which are not gRPC; and nginx warns above some 100 `grpc_set_header`. */
function isForGrpc(name: string): boolean {
  return CLAIMED.has(name) || !CLAIMED.has(name.replaceAll("_", "-"));
}

type Header = readonly [name: string, value: NginxText];

/** Values from the connection, because no proxy is trusted. */
function connectionHeaders(server: Server, options: DataPlaneOptions): readonly Header[] {
  const scheme = word(server.tls ? "https" : "http");
  // The PROXY protocol tells the port that clients see.
  const port = options.proxyProtocol
    ? variable("proxy_protocol_server_port")
    : integerText(server.port);
  return untrustingHeaders(scheme, port);
}

function untrustingHeaders(scheme: NginxText, port: NginxText): readonly Header[] {
  // The value of $albc_xff, without its map.
  const chain = variable("proxy_add_x_forwarded_for");
  const prefix = variable("albc_prefix");
  return headers({ chain, scheme, host: variable("http_host"), port, prefix });
}

/** Values from a trusted proxy, otherwise from the connection. */
function trustingHeaders(): readonly Header[] {
  const origin = headers({
    chain: variable("albc_xff"),
    scheme: variable("albc_scheme"),
    host: variable("albc_fwd_host"),
    port: variable("albc_fwd_port"),
    prefix: variable("albc_told_prefix"),
  });
  const claims = CLAIMS.filter((name) => name !== PREFIX);
  return [
    ...origin,
    ...claims.map((name): Header => [name, variable(`albc_${variableName(name)}`)]),
  ];
}

/** nginx's name for the variable of a header, such as `x_sent_from`. */
export function variableName(header: string): string {
  return header.toLowerCase().replaceAll("-", "_");
}

function headers(
  origin: Readonly<Record<"chain" | "scheme" | "host" | "port" | "prefix", NginxText>>,
): readonly Header[] {
  return [
    ["Host", variable("albc_upstream_host")],
    ["X-Real-IP", variable("remote_addr")],
    ["X-Forwarded-For", origin.chain],
    ["X-Forwarded-Proto", origin.scheme],
    ["X-Forwarded-Host", origin.host],
    ["X-Forwarded-Port", origin.port],
    [PREFIX, origin.prefix],
    ["X-Scheme", origin.scheme],
    // Only if Lua has rewritten the URI: otherwise it is in the request line, and many backends limit the size of the head.
    ["X-Original-URI", variable("albc_original_uri")],
    ["X-Request-ID", variable("albc_request_id")],
    ["X-Albc-Turns", sequence(integerText(1), variable("http_x_albc_turns"))],
  ];
}

/** Spellings with `_` for some `-`: CGI, WSGI and Rack turn `X_Real-IP` and `X-Real-IP` into one variable. */
function underscored(name: string): readonly string[] {
  return spellings(name).filter((spelling) => spelling !== name);
}

function spellings(name: string): readonly string[] {
  const [first = "", ...rest] = name.split("-");
  return rest.reduce(
    (names, part) => names.flatMap((start) => [`${start}-${part}`, `${start}_${part}`]),
    [first],
  );
}

function droppedViews(sent: readonly Header[], dropped: readonly string[]): readonly object[] {
  return [
    ...[...FRAMING, ...sent.map(([name]) => name)].map(underscored),
    ...dropped.map(spellings),
  ]
    .filter((names) => names.length > 0)
    .map((names) => ({ http: names.map(word), grpc: names.filter(isForGrpc).map(word) }));
}

/** Computed once: they are the same for all servers. */
const DROPPED_BEHIND_TRUSTED = droppedViews(trustingHeaders(), DROPPED);
const DROPPED_OF_ALL = droppedViews(untrustingHeaders(word("http"), integerText(0)), [
  ...DROPPED,
  ...CLAIMS.filter((name) => name !== PREFIX),
]);
