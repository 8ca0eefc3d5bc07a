import type { Ingress } from "../../api/core.js";
import type { HostPattern } from "../../model/host-pattern.js";
import type { TranslateContext } from "../context.js";
import { parseHostPattern } from "../hostnames.js";
import type { LoadBalancer } from "../load-balancer.js";
import { serverId } from "../entry-port.js";
import { nameOf, placeOf } from "../place.js";
import { keepsHosts, listenersAbove, servingByHost } from "./kept-hosts.js";
import type { TranslatedGateway, TranslatedListener } from "./translated.js";

/** Hosts belong to one listener: says of hosts of Ingresses that a Gateway's listener on the same port takes them. */
export function reportShadowedIngresses(
  gateways: readonly TranslatedGateway[],
  balancers: readonly LoadBalancer[],
  { resources, diagnostics, options }: TranslateContext,
): void {
  const serving = servingByHost(gateways.flatMap((gateway) => gateway.listeners));
  for (const { alb, ingress: entry, owners } of balancers) {
    const servers =
      alb === undefined
        ? [options.httpPort, options.httpsPort].map(serverId)
        : [entry.http, entry.https].flatMap((port) => port?.server ?? []);
    if (serving.size === 0) continue;
    const rivalOf = (host: HostPattern): TranslatedListener | undefined => {
      const rivals = servers.flatMap((server) => listenersAbove(server, host, serving));
      const owner = owners.ownerOfName(host);
      return rivals.find((rival) => owner === undefined || !keepsHosts(owner, rival));
    };
    for (const ingress of resources.list("Ingress").filter(entry.selects)) {
      reportIngress(ingress, rivalOf, diagnostics);
    }
  }
}

function reportIngress(
  ingress: Ingress,
  rivalOf: (host: HostPattern) => TranslatedListener | undefined,
  diagnostics: TranslateContext["diagnostics"],
): void {
  for (const [index, { host }] of (ingress.spec?.rules ?? []).entries()) {
    const pattern = parseHostPattern(host, "one");
    const rival = pattern.ok ? rivalOf(pattern.value) : undefined;
    if (rival === undefined) continue;
    const message = `${host ?? "every host"} on port ${String(rival.port)} belongs to listener ${rival.name} of ${nameOf(rival.parent)}`;
    const place = placeOf(ingress, "spec", "rules", index, "host");
    diagnostics.report({ code: "INGRESS_HOST_TAKEN", message, ...place });
  }
}
