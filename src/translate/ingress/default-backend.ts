import { ANY_HOST, hostKey } from "../../ir/host-pattern.js";
import { bindWholePort } from "../entry-port.js";
import type { EntryPort } from "../entry-port.js";
import { placeOf } from "../place.js";
import { INGRESS_PRIORITY, listenerRank, orderKey, specificity } from "../precedence.js";
import { ingressRoute } from "./ingress-route.js";
import type { IngressScope } from "./ingress-scope.js";
import { portsFor, withAliases } from "./ingress-scope.js";
import { hostTerms } from "./path-match.js";
import type { IngressHost, PreparedIngress } from "./prepared-ingress.js";

/**
 * spec.defaultBackend. Of an Ingress with rules it takes what the paths of its hosts leave; of one without, what all rules of the port
 * leave, and of several such the oldest does.
 */
export function bindDefaultBackend(prepared: PreparedIngress, scope: IngressScope): void {
  const { ingress, hosts } = prepared;
  if (ingress.spec?.defaultBackend === undefined) return;
  if (hosts.length === 0) {
    for (const port of portsFor(prepared, ANY_HOST, scope)) {
      const rank = listenerRank("default", ingress, INGRESS_PRIORITY);
      bindWholePort(port, addRoute(prepared, port, false, scope), rank, scope.context.config);
    }
    return;
  }
  const byHost = new Map(hosts.map((host) => [hostKey(host.host), host]));
  for (const host of byHost.values()) {
    for (const port of portsFor(prepared, host.host, scope)) bindHost(prepared, host, port, scope);
  }
}

function bindHost(
  prepared: PreparedIngress,
  { rule, host }: IngressHost,
  port: EntryPort,
  scope: IngressScope,
): void {
  const route = addRoute(prepared, port, scope.tlsHosts.has(host), scope);
  for (const [position, pattern] of withAliases(prepared, host, scope).entries()) {
    scope.context.config.bind({
      listener: port.listener,
      host: pattern,
      path: { kind: "any" },
      when: [],
      order: orderKey({
        class: "rule",
        priority: INGRESS_PRIORITY,
        specificity: specificity(hostTerms(host)),
        metadata: prepared.ingress.metadata,
        position: [rule, position],
      }),
      route,
    });
  }
}

function addRoute(
  { ingress, lookup, closedBy, invalid }: PreparedIngress,
  port: EntryPort,
  hasTls: boolean,
  scope: IngressScope,
): string {
  const place = placeOf(ingress, "spec", "defaultBackend");
  const input = {
    key: hasTls ? "default-tls" : "default",
    place,
    lookup,
    backend: ingress.spec?.defaultBackend ?? {},
    backendPlace: place,
    path: "/",
    isRegex: false,
    hasTls,
    ...(closedBy !== undefined && { closedBy }),
    ...(invalid !== undefined && { invalid }),
  };
  return scope.context.config.addRoute(ingressRoute(input, port, scope), port.port);
}
