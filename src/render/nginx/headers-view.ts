/** What templates/partials/headers.conf.hbs prints: the request headers that backends get from us alone, of one server. */
import type { Server } from "../../model/listener.js";
import type { DataPlaneOptions } from "../../model/options.js";
import { headersThatAre } from "../../model/special-headers.js";
import { integerText, type NginxText, sequence, variable, word } from "./text.js";

export const DROPPED = headersThatAre("dropped");

export const CLAIMS = headersThatAre("claim");

/** The claim that filters may set. */
const PREFIX = "X-Forwarded-Prefix";

/** They say where a request ends, and that is nginx's to write: for backends that know one name for both spellings. */
const FRAMING = ["Content-Length", "Transfer-Encoding"];

/** Each of these is evaluated for each request, so what is the same for all requests of a server stands as it is. */
export function headersView(server: Server, options: DataPlaneOptions): object {
  const trusting = options.trustedProxies.length > 0;
  const headers = trusting ? trustingHeaders() : connectionHeaders(server, options);
  const dropped = trusting ? DROPPED_BEHIND_TRUSTED : DROPPED_OF_ALL;
  return { headers: headers.map(([name, value]) => ({ name: word(name), value })), dropped };
}

const CLAIMED: ReadonlySet<string> = new Set(CLAIMS);

/** nginx has room for some 100 names there, and warns of more; backends of gRPC do not follow CGI. */
function isForGrpc(name: string): boolean {
  return CLAIMED.has(name) || !CLAIMED.has(name.replaceAll("_", "-"));
}

type Header = readonly [name: string, value: NginxText];

/** What the connection says, because no proxy is believed. */
function connectionHeaders(server: Server, options: DataPlaneOptions): readonly Header[] {
  const scheme = word(server.tls ? "https" : "http");
  // Before us stands one who spoke the PROXY protocol and has told the port that clients see.
  const port = options.proxyProtocol
    ? variable("proxy_protocol_server_port")
    : integerText(server.port);
  return untrustingHeaders(scheme, port);
}

function untrustingHeaders(scheme: NginxText, port: NginxText): readonly Header[] {
  // $albc_xff without a map.
  const chain = variable("proxy_add_x_forwarded_for");
  const prefix = variable("albc_prefix");
  return headers({ chain, scheme, host: variable("http_host"), port, prefix });
}

/** What a trusted proxy says, else the connection. */
function trustingHeaders(): readonly Header[] {
  const told = headers({
    chain: variable("albc_xff"),
    scheme: variable("albc_scheme"),
    host: variable("albc_fwd_host"),
    port: variable("albc_fwd_port"),
    prefix: variable("albc_told_prefix"),
  });
  const claims = CLAIMS.filter((name) => name !== PREFIX);
  return [...told, ...claims.map((name): Header => [name, variable(`albc_${variableName(name)}`)])];
}

/** `x_sent_from`, as nginx names the variable of a header. */
export function variableName(header: string): string {
  return header.toLowerCase().replaceAll("-", "_");
}

type Told = Readonly<Record<"chain" | "scheme" | "host" | "port" | "prefix", NginxText>>;

function headers(told: Told): readonly Header[] {
  return [
    ["Host", variable("albc_upstream_host")],
    ["X-Real-IP", variable("remote_addr")],
    ["X-Forwarded-For", told.chain],
    ["X-Forwarded-Proto", told.scheme],
    ["X-Forwarded-Host", told.host],
    ["X-Forwarded-Port", told.port],
    [PREFIX, told.prefix],
    ["X-Scheme", told.scheme],
    // As it came, where Lua has made another; else it is in the request line, and twice would be too long for many backends.
    ["X-Original-URI", variable("albc_original_uri")],
    ["X-Request-ID", variable("albc_request_id")],
    ["X-Albc-Turns", sequence(integerText(1), variable("http_x_albc_turns"))],
  ];
}

/** The spellings with `_` for some `-`. CGI, WSGI and Rack turn `X_Real-IP` and `X-Real-IP` into one variable. */
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

/** The same for all servers. */
const DROPPED_BEHIND_TRUSTED = droppedViews(trustingHeaders(), DROPPED);
const DROPPED_OF_ALL = droppedViews(untrustingHeaders(word("http"), integerText(0)), [
  ...DROPPED,
  ...CLAIMS.filter((name) => name !== PREFIX),
]);
