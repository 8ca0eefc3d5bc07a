/**
 * The view of templates/partials/streams.conf.hbs: connections and datagrams that are passed on unchanged. Debian's stream module has no
 * Lua, so all of it is in nginx.conf, except the endpoints, which change most often (endpoints-view.ts).
 */
import { isIPv6 } from "node:net";
import { hostText } from "../../model/values.js";
import type {
  NameClass,
  NamedStream,
  PortStream,
  StreamClass,
  StreamName,
  StreamPool,
  StreamServer,
  StreamTarget,
} from "../../model/stream.js";
import type { DataPlaneOptions } from "../../model/options.js";
import { compareStrings, groupBy, memoized } from "../../support/collections.js";
import type { CertificatePaths, ConfModel } from "./conf-model.js";
import { authoritiesPath } from "./location-views.js";
import { logView } from "./log-view.js";
import { listenAddresses } from "./server-view.js";
import {
  CLOSED,
  endingSocket,
  httpsSocket,
  NO_ROUTE,
  poolName,
  throughSocket,
} from "./endpoints-view.js";
import {
  address,
  dnsName,
  integerText,
  mapHost,
  mapLine,
  mapLines,
  type NginxText,
  variable,
  word,
} from "./text.js";

/** `reuseports`: from `sharedPorts`. */
type StreamOptions = DataPlaneOptions & { readonly reuseports: ReadonlySet<number> };

/** `certificates`: paths of the certificate files by id. False: there are no streams. */
export function streamsView(
  config: ConfModel,
  options: StreamOptions,
  certificates: CertificatePaths,
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
    log: { ...logView(options, false), proxyProtocol: options.proxyProtocol },
    limited: limitOf(options) !== false,
    ports: ported.map((stream) => portView(stream, options)),
    tables: grouped(withSameNames(named), ([stream]) => stream.names).map((groups) =>
      tableView(groups, options),
    ),
    endings: endings(named).map(({ pool, certificate }) => ({
      socket: endingSocket(pool, certificate),
      pool: poolName(pool),
      certificate: word(pathOf(certificates, certificate)),
      tls: tlsView(poolOf(pool), config, certificates),
      limit: limitOf(options),
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

function listens(
  stream: StreamServer,
  { ipv6, proxyProtocol, reuseports }: StreamOptions,
): readonly object[] {
  const udp = stream.protocol === "udp";
  return listenAddresses(stream, ipv6).map((ip) => ({
    address: address(ip),
    port: integerText(stream.port),
    ipv6: isIPv6(ip),
    udp,
    reuseport: udp || reuseports.has(stream.port),
    // A UDP port has no PROXY protocol.
    proxyProtocol: proxyProtocol && !udp,
  }));
}

/** Connections of one client address that are passed on at once. */
function limitOf({ clientRequests }: DataPlaneOptions): NginxText | false {
  return clientRequests > 0 && integerText(clientRequests);
}

function portView(stream: PortStream, options: StreamOptions): object {
  return {
    listens: listens(stream, options),
    udp: stream.protocol === "udp",
    pool: stream.pool !== undefined && poolName(stream.pool),
    limit: limitOf(options),
  };
}

type Group<T> = readonly [T, ...T[]];

function grouped<T>(entries: Iterable<T>, key: (entry: T) => unknown): readonly Group<T>[] {
  const groups = [...groupBy(entries, key).values()];
  return groups.flatMap(([first, ...others]) => (first === undefined ? [] : [[first, ...others]]));
}

/** Ports that map every name to the same target are one server. */
function withSameNames(named: readonly NamedStream[]): readonly Group<NamedStream>[] {
  return grouped(named, ({ classes }) => classes);
}

/** A list of names and the servers that share it. */
function tableView(groups: Group<Group<NamedStream>>, options: StreamOptions): object {
  const [[stream]] = groups;
  const { id, names } = stream;
  const any = names.find(({ host }) => host.kind === "any");
  return {
    table: tableOf(stream),
    fallback: any === undefined ? NO_ROUTE : valueOf(any.to, id),
    lines: mapLines(distinctLines(stream)),
    servers: groups.map((group) => serverView(group, tableOf(stream), options)),
  };
}

function serverView(group: Group<NamedStream>, table: NginxText, options: StreamOptions): object {
  const [stream] = group;
  const { id, classes } = stream;
  const hasClasses = classes.length > 0;
  const name = ownVariable("name", id);
  const isPassed = passesThrough(stream);
  const lines = classes.map((each) => mapLine(word(`.${each.id}`), valueOf(each.to, id)));
  return {
    listens: group.flatMap((each) => listens(each, options)),
    table,
    name,
    classes: hasClasses && mapLines(lines),
    target: isPassed ? ownVariable("to", id) : name,
    // One server for all pools: every listening socket costs each worker a connection.
    through: isPassed && throughSocket(id),
    limit: limitOf(options),
  };
}

/** The variable with the target of a name, or with its class. */
function tableOf({ id, classes }: NamedStream): NginxText {
  return ownVariable(classes.length > 0 ? "class" : "name", id);
}

function ownVariable(kind: "class" | "name" | "to", id: string): NginxText {
  return variable(`albc_${kind}_${id.replaceAll("-", "_")}`);
}

/** Only the first of equal names: nginx refuses a `map` with the same name twice. */
function distinctLines({ id, names }: NamedStream): readonly NginxText[] {
  const lines = new Map<string, NginxText>();
  for (const { host, to } of names) {
    if (host.kind === "any") continue;
    const text = hostText(host);
    if (!lines.has(text)) lines.set(text, mapLine(mapHost(text), valueOf(to, id)));
  }
  return [...lines.values()];
}

/** A class, a socket, or the pool for TLS that is passed through. */
function valueOf(to: StreamTarget | NameClass, stream: string): NginxText {
  switch (to.kind) {
    case "class":
      return word(to.id);
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

function passesThrough({ names, classes }: NamedStream): boolean {
  return hasPassed(names) || hasPassed(classes);
}

/** Memoized, because ports share lists. */
const hasPassed = memoized((list: readonly (StreamName | StreamClass)[]) =>
  list.some(({ to }) => to.kind === "pool" && to.certificate === undefined),
);

/** The number of unix sockets behind TLS ports: one for each HTTPS server, each pass-through server, and each place where TLS ends. */
export function unixSockets({ servers, streams }: Pick<ConfModel, "servers" | "streams">): number {
  const named = streams.filter((stream) => stream.protocol === "tls");
  const ids = new Set(named.map(({ id }) => id));
  const https = servers.filter(({ id }) => ids.has(id)).length;
  const through = withSameNames(named).filter(([first]) => passesThrough(first)).length;
  return https + through + endings(named).length;
}

/** The pairs of pool and certificate for which TLS ends, in the order of their sockets' names. */
function endings(
  named: readonly NamedStream[],
): readonly { readonly pool: string; readonly certificate: string }[] {
  const found = new Map<string, ReturnType<typeof endings>[number]>();
  const lists = new Set(named.flatMap(({ names, classes }) => [names, classes]));
  for (const { to } of [...lists].flat()) {
    if (to.kind !== "pool" || to.certificate === undefined) continue;
    const { pool, certificate } = to;
    found.set(endingSocket(pool, certificate).toString(), { pool, certificate });
  }
  return [...found].sort(([a], [b]) => compareStrings(a, b)).map(([, ending]) => ending);
}

/** TLS of connections to backends. */
function tlsView(
  pool: StreamPool,
  { backendTls }: ConfModel,
  certificates: CertificatePaths,
): object | false {
  if (pool.tls === undefined) return false;
  const tls = backendTls.find(({ id }) => id === pool.tls);
  if (tls === undefined) throw new Error(`no TLS ${pool.tls} for ${pool.id}`);
  const { hostname, clientCertificate, authorities } = tls;
  // Without a name any certificate of the authorities would pass.
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

function pathOf(certificates: CertificatePaths, id: string): string {
  const path = certificates.get(id);
  if (path === undefined) throw new Error(`no certificate ${id}`);
  return path;
}
