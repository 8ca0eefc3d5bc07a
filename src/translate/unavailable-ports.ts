/** Ports that nginx can't bind, such as those that another process uses: their owners get a report, and everything else is served. */
import { isIPv6 } from "node:net";
import type { RoutingModel } from "../model/config.js";
import type { Server } from "../model/listener.js";
import { onListeners } from "./closed-objects.js";
import type { TranslateContext } from "./context.js";
import { type LoadBalancer, allPorts } from "./load-balancer.js";
import { placeOf } from "./place.js";

/** Why the port can't be bound on these addresses (none means all); undefined if it can. */
export function unavailability(
  {
    addresses,
    port,
    transport,
  }: Pick<Server, "addresses" | "port"> & { transport?: "tcp" | "udp" },
  { options: { unavailablePorts } }: Pick<TranslateContext, "options">,
): string | undefined {
  const places = (
    addresses.length === 0 ? [String(port)] : addresses.map((ip) => at(ip, port))
  ).map((place) => (transport === "udp" ? `${place}/udp` : place));
  const taken = places.find((place) => unavailablePorts.includes(place));
  if (taken === undefined) return undefined;
  const right = port < UNPRIVILEGED ? ", nginx may not listen below 1024" : "";
  return `port ${taken} can't be listened on: another process has it${right}, or the machine does not give it`;
}

/** The first port that Linux lets every process listen on, unless net.ipv4.ip_unprivileged_port_start says otherwise (ip-sysctl). */
const UNPRIVILEGED = 1024;

function at(address: string, port: number): string {
  return isIPv6(address) ? `[${address}]:${String(port)}` : `${address}:${String(port)}`;
}

/** Reports ports of ALB2s, Frontends and the options; listeners of Gateways have their own reports. */
export function reportUnavailable(
  balancers: readonly LoadBalancer[],
  context: TranslateContext,
): void {
  for (const balancer of balancers) {
    for (const each of allPorts(balancer)) {
      const message = unavailability({ addresses: [], ...each }, context);
      if (message === undefined) continue;
      const owner = each.frontend ?? balancer.alb;
      const place = owner === undefined ? {} : placeOf(owner, "spec");
      context.diagnostics.report({ code: "PORT_UNAVAILABLE", message, ...place });
    }
  }
}

/** Removes the servers that can't be bound, the refused listeners, and what is bound to them. */
export function withoutUnavailable(
  config: RoutingModel,
  refused: ReadonlySet<string>,
  context: Pick<TranslateContext, "options">,
): RoutingModel {
  const available = new Set(
    config.servers.flatMap((server) =>
      unavailability(server, context) === undefined ? server.id : [],
    ),
  );
  const listeners = config.listeners.filter(
    ({ id, server }) => available.has(server) && !refused.has(id),
  );
  if (listeners.length === config.listeners.length) return config;
  const serverIds = new Set(listeners.map(({ server }) => server));
  const servers = config.servers.filter(({ id }) => serverIds.has(id));
  const listenerIds = new Set(listeners.map(({ id }) => id));
  return {
    ...config,
    servers,
    listeners,
    bindings: onListeners(config.bindings, (id) => listenerIds.has(id)),
    serverCertificates: config.serverCertificates.filter(({ server }) => serverIds.has(server)),
  };
}
