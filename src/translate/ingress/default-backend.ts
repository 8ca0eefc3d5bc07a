import { ANY_HOST, hostKey } from "../../model/values.js";
import { bindWholePort } from "../load-balancer.js";
import type { EntryPort } from "../load-balancer.js";
import { placeOf } from "../place.js";
import { INGRESS_PRIORITY, listenerRank, specificity } from "../precedence.js";
import { ingressRoute } from "./ingress-route.js";
import type { IngressScope } from "./ingress-scope.js";
import { portsFor, withAliases } from "./ingress-scope.js";
import { hostTerms } from "./path-match.js";
import type { IngressHost, PreparedIngress } from "./prepared-ingress.js";

/**
 * spec.defaultBackend takes what the paths of the Ingress's hosts leave. Without a host it takes what all rules of the port leave, and
 * of several such the oldest does.
 */
export function bindDefaultBackend(prepared: PreparedIngress, scope: IngressScope): void {
  const { ingress, hosts } = prepared;
  if (ingress.spec?.defaultBackend === undefined) return;
  const byHost = new Map(hosts.map((host) => [hostKey(host.host), host]));
  if (hosts.length === 0) byHost.set("", { rule: 0, host: ANY_HOST });
  for (const host of byHost.values()) {
    for (const port of portsFor(prepared, host.host, scope)) {
      if (host.host.kind === "any") bindAnyHost(prepared, port, scope);
      else bindHost(prepared, host, port, scope);
    }
  }
}

function bindAnyHost(prepared: PreparedIngress, port: EntryPort, scope: IngressScope): void {
  const rank = listenerRank("default", prepared.ingress, INGRESS_PRIORITY);
  bindWholePort(port, addRoute(prepared, port, false, scope), rank, scope.context.config);
}

function bindHost(
  prepared: PreparedIngress,
  { rule, host }: IngressHost,
  port: EntryPort,
  scope: IngressScope,
): void {
  const route = addRoute(prepared, port, scope.tlsOf(host).answers, scope);
  scope.claims.push({
    ...{ listener: port.listener, route, object: prepared.ingress },
    hosts: withAliases(prepared, host, scope),
    path: undefined,
    specificity: specificity(hostTerms(host)),
    position: [rule, 0],
  });
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
