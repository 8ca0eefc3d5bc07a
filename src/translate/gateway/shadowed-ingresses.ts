import type { Ingress } from "../../api/core.js";
import type { TranslateContext } from "../context.js";
import { covers, parseHostPattern } from "../hostnames.js";
import type { LoadBalancer } from "../load-balancer.js";
import { placeOf } from "../place.js";
import { keepsHosts } from "./kept-hosts.js";
import type { TranslatedGateway, TranslatedListener } from "./translated.js";

/** Hosts belong to one listener: says of hosts of Ingresses that a Gateway's listener on the same port takes them. */
export function reportShadowedIngresses(
  gateways: readonly TranslatedGateway[],
  balancers: readonly LoadBalancer[],
  { resources, diagnostics }: TranslateContext,
): void {
  const listeners = gateways.flatMap((gateway) => gateway.listeners);
  for (const { ingress: entry } of balancers) {
    const servers = [entry.http, entry.https].flatMap((port) => port?.server ?? []);
    const rivals = listeners.filter(({ serves }) => servers.includes(serves?.server ?? ""));
    if (rivals.length === 0) continue;
    for (const ingress of resources.list("Ingress").filter(entry.selects)) {
      reportIngress(ingress, rivals, diagnostics);
    }
  }
}

function reportIngress(
  ingress: Ingress,
  listeners: readonly TranslatedListener[],
  diagnostics: TranslateContext["diagnostics"],
): void {
  for (const [index, { host }] of (ingress.spec?.rules ?? []).entries()) {
    const rival = rivalOf(host, ingress, listeners);
    if (host === undefined || rival === undefined) continue;
    const { kind, metadata } = rival.parent;
    const message = `${host} on port ${String(rival.port)} belongs to listener ${rival.name} of ${kind} ${metadata.namespace}/${metadata.name}`;
    const place = placeOf(ingress, "spec", "rules", index, "host");
    diagnostics.report({ code: "INGRESS_HOST_TAKEN", message, ...place });
  }
}

function rivalOf(
  host: string | undefined,
  ingress: Ingress,
  listeners: readonly TranslatedListener[],
): TranslatedListener | undefined {
  const pattern = parseHostPattern(host, "one");
  if (!pattern.ok || pattern.value.kind === "any") return undefined;
  return listeners.find(
    ({ hostname, parent }) => covers(hostname, pattern.value) && !keepsHosts(ingress, parent),
  );
}
