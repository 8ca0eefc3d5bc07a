/**
 * What templates/partials/streams.conf.hbs prints: connections and datagrams that are passed on as they are. Debian's stream module has
 * no Lua, so all of it is in nginx.conf; endpoints, which change most, are in a file of their own (endpoints-view.ts).
 */
import { isIPv6 } from "node:net";
import type { RoutingModel } from "../../ir/config.js";
import { hostText } from "../../ir/host-pattern.js";
import type {
  NamedStream,
  PortStream,
  StreamName,
  StreamPool,
  StreamTarget,
} from "../../ir/stream.js";
import type { DataPlaneOptions } from "../../options.js";
import { compareStrings } from "../../support/compare.js";
import { groupBy } from "../../support/group-by.js";
import { memoized } from "../../support/memoized.js";
import { authoritiesPath } from "./backend-tls-view.js";
import { logView } from "./http-view.js";
import { listenAddresses } from "./server-view.js";
import {
  CLOSED,
  endingSocket,
  httpsSocket,
  NO_ROUTE,
  poolName,
  throughSocket,
} from "./stream-sockets.js";
import {
  address,
  dnsName,
  integer,
  mapHost,
  mapLine,
  mapLines,
  type NginxText,
  variable,
  word,
} from "./text.js";

/** `reuseports`: from `sharedPorts`. */
type StreamOptions = DataPlaneOptions & { readonly reuseports: ReadonlySet<number> };

/** `certificates`: paths of the certificate files by id. False: there are none. */
export function streamsView(
  config: RoutingModel,
  options: StreamOptions,
  certificates: ReadonlyMap<string, string>,
): object | false {
  const { streams, pools } = config;
  if (streams.length === 0) return false;
  const named = streams.filter((stream) => stream.protocol === "tls");
  const ported = streams.filter((stream) => stream.protocol !== "tls");
  const byId = new Map(pools.map((pool) => [pool.id, pool]));
  const poolOf = (id: string): StreamPool => {
    const pool = byId.get(id);
    if (pool === undefined) throw new Error(`no pool ${id}`);
    return pool;
  };
  return {
    log: { ...logView(options), proxyProtocol: options.proxyProtocol },
    ports: ported.map((stream) => portView(stream, options)),
    names: withSameNames(named).map((group) => namesView(group, options)),
    endings: endings(named).map(({ pool, certificate }) => ({
      socket: endingSocket(pool, certificate),
      pool: poolName(pool),
      certificate: word(pathOf(certificates, certificate)),
      tls: tlsView(poolOf(pool), config, certificates),
    })),
    noRoute: named.length > 0 && NO_ROUTE,
    closed: [
      { socket: CLOSED.tcp, udp: false },
      ...(pools.some(({ transport }) => transport === "udp")
        ? [{ socket: CLOSED.udp, udp: true }]
        : []),
    ],
  };
}

type Bound = PortStream | NamedStream;

function listens(
  stream: Bound,
  { ipv6, proxyProtocol, reuseports }: StreamOptions,
): readonly object[] {
  const udp = stream.protocol === "udp";
  return listenAddresses(stream, ipv6).map((ip) => ({
    address: address(ip),
    port: integer(stream.port),
    ipv6: isIPv6(ip),
    udp,
    reuseport: udp || reuseports.has(stream.port),
    // Who speaks it puts it before the first bytes of a connection; datagrams have none.
    proxyProtocol: proxyProtocol && !udp,
  }));
}

function portView(stream: PortStream, options: StreamOptions): object {
  return {
    listens: listens(stream, options),
    udp: stream.protocol === "udp",
    pool: stream.pool !== undefined && poolName(stream.pool),
  };
}

/** Ports where every name leads to the same are one server, with one list of names. */
function withSameNames(named: readonly NamedStream[]): readonly (readonly NamedStream[])[] {
  const keyOf = (stream: NamedStream): object =>
    stream.names.some(({ to }) => to.kind === "https") ? stream : stream.names;
  return [...groupBy(named, keyOf).values()];
}

function namesView(group: readonly NamedStream[], options: StreamOptions): object {
  const [stream] = group;
  if (stream === undefined) throw new Error("no stream");
  const { id, names } = stream;
  const name = variable(`albc_name_${id.replaceAll("-", "_")}`);
  const any = names.find(({ host }) => host.kind === "any");
  const isPassed = passesThrough(stream);
  return {
    listens: group.flatMap((each) => listens(each, options)),
    name,
    target: isPassed ? variable(`albc_to_${id.replaceAll("-", "_")}`) : name,
    fallback: any === undefined ? NO_ROUTE : valueOf(any.to, id),
    lines: mapLines(distinctLines(stream)),
    // One server for all pools, since every socket that is listened on costs each worker one of its connections.
    through: isPassed && throughSocket(id),
  };
}

/** nginx refuses the whole file if a name is there twice, so only the first one of them is written. */
function distinctLines({ id, names }: NamedStream): readonly NginxText[] {
  const lines = new Map<string, NginxText>();
  for (const name of names) {
    if (name.host.kind === "any") continue;
    const text = hostText(name.host);
    if (lines.has(text)) continue;
    lines.set(text, name.to.kind === "https" ? lineOf(name, id) : portlessLine(name));
  }
  return [...lines.values()];
}

function lineOf({ host, to }: StreamName, stream: string): NginxText {
  return mapLine(mapHost(hostText(host)), valueOf(to, stream));
}

/** Ports share names. */
const portlessLine = memoized((name: StreamName) => lineOf(name, ""));

/** A socket, or the pool that is passed through to. */
function valueOf(to: StreamTarget, stream: string): NginxText {
  switch (to.kind) {
    case "closed":
      return NO_ROUTE;
    case "https":
      return httpsSocket(stream);
    case "pool":
      return to.certificate === undefined
        ? poolName(to.pool)
        : endingSocket(to.pool, to.certificate);
  }
}

function passesThrough({ names }: NamedStream): boolean {
  return names.some(({ to }) => to.kind === "pool" && to.certificate === undefined);
}

/** How many sockets ports of TLS have behind them: one for the HTTPS server, one to pass it through, and those where it ends. */
export function unixSockets({
  servers,
  streams,
}: Pick<RoutingModel, "servers" | "streams">): number {
  const named = streams.filter((stream) => stream.protocol === "tls");
  const ids = new Set(named.map(({ id }) => id));
  const https = servers.filter(({ id }) => ids.has(id)).length;
  const through = withSameNames(named).filter((group) => group.some(passesThrough)).length;
  return https + through + endings(named).length;
}

interface Ending {
  readonly pool: string;
  readonly certificate: string;
}

/** Where TLS ends; each once, in the order of their sockets' names. */
function endings(named: readonly NamedStream[]): readonly Ending[] {
  const found = new Map<string, Ending>();
  for (const { to } of withSameNames(named).flatMap(([first]) => first?.names ?? [])) {
    if (to.kind !== "pool" || to.certificate === undefined) continue;
    const { pool, certificate } = to;
    found.set(endingSocket(pool, certificate).toString(), { pool, certificate });
  }
  return [...found].sort(([a], [b]) => compareStrings(a, b)).map(([, ending]) => ending);
}

/** How the connections to backends are encrypted again. */
function tlsView(
  pool: StreamPool,
  { backendTls }: RoutingModel,
  certificates: ReadonlyMap<string, string>,
): object | false {
  if (pool.tls === undefined) return false;
  const tls = backendTls.find(({ id }) => id === pool.tls);
  if (tls === undefined) throw new Error(`no TLS ${pool.tls} for ${pool.id}`);
  const { hostname, clientCertificate, authorities } = tls;
  // Without a name any certificate of the authorities would do.
  if (hostname === undefined && authorities.kind !== "none") {
    throw new Error(`no name for the certificates of ${pool.id}`);
  }
  return {
    name: hostname !== undefined && dnsName(hostname),
    verified: authorities.kind !== "none",
    authorities: word(authoritiesPath(tls)),
    certificate: clientCertificate !== undefined && word(pathOf(certificates, clientCertificate)),
  };
}

function pathOf(certificates: ReadonlyMap<string, string>, id: string): string {
  const path = certificates.get(id);
  if (path === undefined) throw new Error(`no certificate ${id}`);
  return path;
}
