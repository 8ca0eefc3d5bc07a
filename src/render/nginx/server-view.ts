/** What templates/partials/server.conf.hbs prints: one server block for each port. */
import { isIPv6 } from "node:net";
import type { RoutingModel } from "../../model/config.js";
import type { Listener, Server } from "../../model/listener.js";
import type { DataPlaneOptions } from "../../model/options.js";
import { headersView } from "./headers-view.js";
import { httpsSocket } from "./endpoints-view.js";
import { address, bytes, identifier, integerText } from "./text.js";

const EVERY_IPV4 = "0.0.0.0";
const EVERY_IPV6 = "::";

/** What the locations of all servers have in common. */
export interface SharedLocations {
  /** From `bodyLimits`. */
  readonly bodyLimits: readonly number[];
  /** From `tryViews`. */
  readonly tries: readonly object[];
  /** Some requests begin again once their body is read: an auth service wants it. */
  readonly rereads: boolean;
}

/** `listeners`: those of the server. `behind`: a stream has the port, and passes connections on by their names. */
export function serverView(
  server: Server,
  listeners: readonly Listener[],
  shared: SharedLocations,
  options: DataPlaneOptions & { readonly behind: boolean; readonly reuseport: boolean },
): object {
  const { behind, trustedProxies } = options;
  return {
    id: identifier(server.id),
    tls: server.tls,
    guarded:
      server.tls &&
      listeners.some((listener) => listener.isolated ?? listener.clientCertificates !== undefined),
    sessionless: listeners.some(({ clientCertificates }) => clientCertificates !== undefined),
    // Nothing of a connection that is passed on tells the port; only with trusted proxies somebody asks nginx for it.
    ownPort: behind && trustedProxies.length > 0 && integerText(server.port),
    socket: behind && httpsSocket(server.id),
    listens: (behind ? [] : listenAddresses(server, options.ipv6)).map((ip) => ({
      address: address(ip),
      port: integerText(server.port),
      ipv6: isIPv6(ip),
      tls: server.tls,
      reuseport: options.reuseport,
      proxyProtocol: options.proxyProtocol,
    })),
    requests: options.clientRequests > 0 && integerText(options.clientRequests),
    bodyLimits: shared.bodyLimits.map(bytes),
    tries: shared.tries,
    rereads: shared.rereads,
    headers: headersView(server, options),
  };
}

/** The limits for which Lua needs a location, because a body without a length must be counted while it is read. */
export function bodyLimits(config: RoutingModel, options: DataPlaneOptions): readonly number[] {
  const limits = new Set([
    ...config.routes.map((route) => route.bodyLimit ?? options.bodyLimit),
    ...authBodyLimits(config),
  ]);
  limits.delete(0);
  return [...limits].sort((a, b) => a - b);
}

/** Of bodies that auth services get; 0 for none. */
export function authBodyLimits(config: RoutingModel): readonly number[] {
  return config.auths.map(({ external }) => external?.maxBody ?? 0);
}

/**
 * Ports of TCP that nginx has on every address and on single ones: the kernel gives it both only where all of the sockets share the
 * port (SO_REUSEPORT), which makes each of them one socket for each worker.
 */
export function sharedPorts({
  servers,
  streams,
}: Pick<RoutingModel, "servers" | "streams">): ReadonlySet<number> {
  const bound = [...servers, ...streams.filter(({ protocol }) => protocol !== "udp")];
  const ofEvery = new Set(
    bound.filter(({ addresses }) => addresses.length === 0).map(({ port }) => port),
  );
  const ofSingle = bound.filter(({ addresses }) => addresses.length > 0).map(({ port }) => port);
  return new Set(ofSingle.filter((port) => ofEvery.has(port)));
}

/** Where the addresses are those of a bound port: none are all. */
export function listenAddresses(
  server: Pick<Server, "addresses">,
  ipv6: boolean,
): readonly string[] {
  if (server.addresses.length > 0) return server.addresses;
  return ipv6 ? [EVERY_IPV4, EVERY_IPV6] : [EVERY_IPV4];
}
