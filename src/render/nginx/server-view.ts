/** What templates/partials/server.conf.hbs prints: one server block for each port. */
import { isIPv6 } from "node:net";
import type { DataPlaneConfig } from "../../ir/config.js";
import type { Listener, Server } from "../../ir/listener.js";
import type { DataPlaneOptions } from "../../options.js";
import { headersView } from "./headers-view.js";
import { address, bytes, identifier, integer } from "./text.js";

const EVERY_IPV4 = "0.0.0.0";
const EVERY_IPV6 = "::";

/** `listeners`: those of the server. */
export function serverView(
  server: Server,
  listeners: readonly Listener[],
  bodyLimits: readonly number[],
  tries: readonly object[],
  options: DataPlaneOptions,
): object {
  return {
    id: identifier(server.id),
    tls: server.tls,
    guarded:
      server.tls &&
      listeners.some((listener) => listener.isolated ?? listener.clientCertificates !== undefined),
    sessionless: listeners.some(({ clientCertificates }) => clientCertificates !== undefined),
    listens: listenAddresses(server, options.ipv6).map((ip) => ({
      address: address(ip),
      port: integer(server.port),
      ipv6: isIPv6(ip),
      tls: server.tls,
      proxyProtocol: options.proxyProtocol,
    })),
    bodyLimits: bodyLimits.map(bytes),
    tries,
    headers: headersView(server, options),
  };
}

/** The limits for which Lua needs a location, because a body without a length must be counted while it is read. */
export function bodyLimits(config: DataPlaneConfig, options: DataPlaneOptions): readonly number[] {
  const limits = new Set(config.routes.map((route) => route.bodyLimit ?? options.bodyLimit));
  limits.delete(0);
  return [...limits].sort((a, b) => a - b);
}

function listenAddresses(server: Server, ipv6: boolean): readonly string[] {
  if (server.addresses.length > 0) return server.addresses;
  return ipv6 ? [EVERY_IPV4, EVERY_IPV6] : [EVERY_IPV4];
}
