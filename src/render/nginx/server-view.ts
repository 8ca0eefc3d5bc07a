/** The view of templates/partials/server.conf.hbs: one server block for each port. */
import { isIPv6 } from "node:net";
import type { RoutingModel } from "../../model/config.js";
import type { Listener, Server } from "../../model/listener.js";
import type { DataPlaneOptions } from "../../model/options.js";
import { headersView } from "./headers-view.js";
import { httpsSocket } from "./endpoints-view.js";
import { address, bytes, identifier, integerText } from "./text.js";

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
    readonly tries: readonly object[];
    readonly rereads: boolean;
  },
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
    // A connection from a stream does not tell its port; nginx.conf needs it only with trusted proxies.
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

/** The limits in use. Each has a location, because only nginx can count a body without a length while it is read. */
export function bodyLimits(config: RoutingModel, options: DataPlaneOptions): readonly number[] {
  const limits = new Set(authBodyLimits(config));
  for (const { bodyLimit = options.bodyLimit } of config.routes) limits.add(bodyLimit);
  limits.delete(0);
  return [...limits].sort((a, b) => a - b);
}

/** Limits of bodies that auth services get; 0: they get none. */
export function authBodyLimits({ auths }: RoutingModel): ReadonlySet<number> {
  const limits = new Set<number>();
  for (const { external } of auths) limits.add(external?.maxBody ?? 0);
  return limits;
}

/**
 * TCP ports that nginx binds both on every address and on single ones. The kernel allows that only if all of these sockets have
 * SO_REUSEPORT, which makes each of them one socket per worker.
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

/** The addresses to bind; a server without addresses binds all. */
export function listenAddresses(
  server: Pick<Server, "addresses">,
  ipv6: boolean,
): readonly string[] {
  if (server.addresses.length > 0) return server.addresses;
  return ipv6 ? [EVERY_IPV4, EVERY_IPV6] : [EVERY_IPV4];
}
