/** The view of templates/partials/server.conf.hbs: one server block for each port. */
import { isIPv6 } from "node:net";
import type { Listener, Server } from "../../model/listener.js";
import { MOST_HELD } from "../../model/held-bodies.js";
import type { DataPlaneOptions } from "../../model/options.js";
import type { ConfModel } from "./conf-model.js";
import { httpsSocket } from "./endpoints-view.js";
import {
  type NginxText,
  address,
  bytes,
  identifier,
  integerText,
  quoted,
  variable,
  word,
} from "./text.js";
import { own } from "../../support/json-object.js";

const EVERY_IPV4 = "0.0.0.0";
const EVERY_IPV6 = "::";

/**
 * `listeners`: those of the server. `shared` is the same for all servers; `rereads`: requests start again once their body is read,
 * because an auth service gets the body. `behind`: a stream server owns the port and hands over connections by their server names.
 */
export function serverView(
  server: Server,
  listeners: readonly Listener[],
  shared: {
    readonly bodyLimits: readonly number[];
    readonly tries: readonly LocationView[];
    readonly large: readonly LocationView[];
    readonly pages: Pages;
    readonly rereads: boolean;
  },
  options: DataPlaneOptions & { readonly behind: boolean; readonly reuseport: boolean },
): object {
  const { behind } = options;
  return {
    id: identifier(server.id),
    tls: server.tls,
    guarded:
      server.tls &&
      listeners.some((listener) => listener.isolated ?? listener.clientCertificates !== undefined),
    sessionless: listeners.some(({ clientCertificates }) => clientCertificates !== undefined),
    // A connection from a stream does not tell its port; nginx.conf needs it only with trusted proxies.
    ownPort: behind && integerText(server.port),
    socket: behind && httpsSocket(server.id),
    listens: (behind ? [] : listenAddresses(server, options.ipv6)).map((ip) => ({
      address: address(ip),
      port: integerText(server.port),
      ipv6: isIPv6(ip),
      tls: server.tls,
      reuseport: options.reuseport,
      proxyProtocol: options.proxyProtocol,
    })),
    buffering: options.buffering,
    counted: options.routeMetrics > 0,
    requests: options.clientRequests > 0 && integerText(options.clientRequests),
    mostHeld: bytes(MOST_HELD),
    bodyLimits: shared.bodyLimits.map((limit) => ({
      limit: bytes(limit),
      buffering: options.buffering,
    })),
    tries: shared.tries,
    large: shared.large,
    rereads: shared.rereads,
    pages: pagesView(shared.pages, options),
    headers: headersView(server, options),
    unchangedHeaders: headersView(server, options, true),
  };
}

/** What templates/partials/try.conf.hbs and page.conf.hbs print. */
export interface LocationView {
  readonly name: NginxText;
  readonly codes: readonly NginxText[];
  readonly module: NginxText;
  readonly grpc: boolean;
  readonly buffered: boolean;
  readonly large: boolean;
  /** Bytes of a body without a length. */
  readonly limit: NginxText | false;
  readonly pages: readonly NginxText[] | false;
  /** For templates/partials/backend-tls.conf.hbs. */
  readonly tls: object | false;
}

/** The locations with error pages; false: no answer is replaced by a page. */
type Pages = { readonly locations: readonly LocationView[] } | false;

/** The view of templates/partials/error-page.conf.hbs. */
function pagesView(pages: Pages, options: DataPlaneOptions): object | false {
  if (pages === false) return false;
  const { buffering } = options;
  return {
    locations: pages.locations.map((location) => ({ ...location, buffering })),
    headers: pageHeaders(options),
    buffering,
  };
}

/** The limits in use. Each has locations, because only nginx can count a body without a length while it streams it. */
export function bodyLimits(
  config: Pick<ConfModel, "routes">,
  options: DataPlaneOptions,
): readonly number[] {
  const limits = new Set([options.bodyLimit]);
  for (const { bodyLimit = 0 } of config.routes) limits.add(bodyLimit);
  limits.delete(0);
  return [...limits].sort((a, b) => a - b);
}

/**
 * TCP ports that nginx binds both on every address and on single ones. The kernel allows that only if all of these sockets have
 * SO_REUSEPORT, which makes each of them one socket per worker.
 */
export function sharedPorts({
  servers,
  streams,
}: Pick<ConfModel, "servers" | "streams">): ReadonlySet<number> {
  const bound = [...servers, ...streams.filter(({ protocol }) => protocol !== "udp")];
  const ofEvery = new Set(
    bound.filter(({ addresses }) => addresses.length === 0).map(({ port }) => port),
  );
  const ofSingle = bound.filter(({ addresses }) => addresses.length > 0).map(({ port }) => port);
  return new Set(ofSingle.filter((port) => ofEvery.has(port)));
}

/** The addresses to bind; a server without addresses binds all. */
export function listenAddresses(
  server: Pick<Server, "addresses">,
  ipv6: boolean,
): readonly string[] {
  if (server.addresses.length > 0) return server.addresses;
  return ipv6 ? [EVERY_IPV4, EVERY_IPV6] : [EVERY_IPV4];
}

const EMPTY = quoted("");

/**
 * Upgrade and Connection are gone after this hop, but for WebSockets (lua/alb/unusual.lua); over gRPC nginx leaves them out itself. The
 * last one is for lua/alb/backend_tls/adaptor.lua, and for no backend.
 */
const HTTP_ONLY: readonly Header[] = [
  ["Upgrade", variable("albc_upgrade")],
  ["Connection", variable("albc_connection")],
  ["X-Albc-Endpoint", variable("albc_endpoint")],
];

/** What a client's request that is tried once leaves for what its backend causes (lua/alb/turns.lua). */
export const FIRST_TURN = quoted("62/10");

/** Of a request whose host and path Lua has not changed, which is no upgrade and comes from no gateway. */
const UNCHANGED: Readonly<Record<string, NginxText>> = {
  Host: variable("http_host"),
  "X-Real-IP": variable("remote_addr"),
  "X-Original-URI": EMPTY,
  "X-Albc-Turns": FIRST_TURN,
  Upgrade: EMPTY,
  Connection: EMPTY,
  "X-Albc-Endpoint": EMPTY,
};

/**
 * The view of templates/partials/headers.conf.hbs: the request headers that nginx sets for backends, for one server. Clients' own headers
 * that must not pass are removed before (lua/alb/unusual.lua). nginx evaluates each value for each request, so for HTTP requests that go on
 * as they came (`unchanged`), which are most, values that are the same for all of a server are constants.
 */
export function headersView(server: Server, options: DataPlaneOptions, unchanged = false): object {
  const known = unchanged ? UNCHANGED : {};
  const isConstant = unchanged && options.trustedProxies.length === 0;
  const origin = isConstant ? connectionHeaders(server, options) : toldHeaders();
  return {
    headers: [...origin, ...traceHeaders(options), ...HTTP_ONLY].map(([name, value]) => ({
      name: word(name),
      value: own(known, name) ?? value,
      grpc: !unchanged && !HTTP_ONLY.some(([only]) => only === name),
    })),
  };
}

/** Their values are set by lua/alb/trace.lua. */
const TRACE: readonly Header[] = [
  ["traceparent", variable("albc_traceparent")],
  ["tracestate", variable("albc_tracestate")],
];

/** All that the backend of an error page learns of a request: nothing of the client's own headers but what these are. */
function pageHeaders(options: DataPlaneOptions): readonly object[] {
  return [...toldHeaders(), ...traceHeaders(options), ...OF_PAGES].map(([name, value]) => ({
    name: word(name),
    value,
  }));
}

function traceHeaders({ trace }: DataPlaneOptions): readonly Header[] {
  return trace.mode === "off" ? [] : TRACE;
}

type Header = readonly [name: string, value: NginxText];

/** Values from the connection, because no proxy is trusted, and requests that the gateway itself has sent are not unchanged. */
function connectionHeaders(server: Server, options: DataPlaneOptions): readonly Header[] {
  const scheme = word(server.tls ? "https" : "http");
  // The PROXY protocol tells the port that clients see.
  const port = options.proxyProtocol
    ? variable("proxy_protocol_server_port")
    : integerText(server.port);
  // The value of $albc_xff, without its map.
  const chain = variable("proxy_add_x_forwarded_for");
  return headers({ chain, scheme, host: variable("http_host"), port });
}

/** Values from a trusted proxy or the gateway itself, otherwise from the connection. */
function toldHeaders(): readonly Header[] {
  return headers({
    chain: variable("albc_xff"),
    scheme: variable("albc_scheme"),
    host: variable("albc_fwd_host"),
    port: variable("albc_fwd_port"),
  });
}

function headers(
  origin: Readonly<Record<"chain" | "scheme" | "host" | "port", NginxText>>,
): readonly Header[] {
  return [
    ["Host", variable("albc_upstream_host")],
    ["X-Real-IP", variable("albc_real_ip")],
    ["X-Forwarded-For", origin.chain],
    ["X-Forwarded-Proto", origin.scheme],
    ["X-Forwarded-Host", origin.host],
    ["X-Forwarded-Port", origin.port],
    ["X-Scheme", origin.scheme],
    // Only if Lua has rewritten the URI: otherwise it is in the request line, and many backends limit the size of the head.
    ["X-Original-URI", variable("albc_original_uri")],
    ["X-Request-ID", variable("albc_request_id")],
    ["X-Albc-Turns", variable("albc_turns_told")],
  ];
}

/** As the default backend of ingress-nginx gets them, what says what the client can read, and no body. */
const OF_PAGES: readonly Header[] = [
  ["X-Code", variable("albc_page")],
  ["X-Format", variable("http_accept")],
  ["X-Namespace", variable("albc_page_namespace")],
  ["X-Ingress-Name", variable("albc_page_ingress")],
  ["X-Service-Name", variable("albc_page_service")],
  ["X-Service-Port", variable("albc_page_port")],
  ["Accept", variable("http_accept")],
  ["Accept-Language", variable("http_accept_language")],
  ["Accept-Encoding", variable("http_accept_encoding")],
  ["User-Agent", variable("http_user_agent")],
  ["Connection", EMPTY],
  ["Content-Length", EMPTY],
  ["Transfer-Encoding", EMPTY],
];
