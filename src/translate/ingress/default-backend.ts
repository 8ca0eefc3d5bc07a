import type { Ingress } from "../../api/core.js";
import type { HostPattern } from "../../ir/host-pattern.js";
import { ANY_HOST, hostKey } from "../../ir/host-pattern.js";
import { bindWholePort } from "../entry-port.js";
import type { EntryPort } from "../entry-port.js";
import { placeOf } from "../place.js";
import { INGRESS_PRIORITY, listenerRank, orderKey, specificity } from "../precedence.js";
import { annotationLookup } from "./annotation-lookup.js";
import { ingressHosts } from "./ingress-paths.js";
import { ingressRoute } from "./ingress-route.js";
import type { IngressScope } from "./ingress-scope.js";
import { portsFor, withAliases } from "./ingress-scope.js";
import { hostTerms } from "./path-match.js";

/**
 * spec.defaultBackend. Of an Ingress with rules it takes what the paths of its hosts leave; of one without, what all rules of the port
 * leave, and of several such the oldest does.
 */
export function bindDefaultBackend(ingress: Ingress, scope: IngressScope): void {
  if (ingress.spec?.defaultBackend === undefined) return;
  const { config } = scope.context;
  const hosts = ingressHosts(ingress);
  if (hosts.length === 0) {
    for (const port of portsFor(ingress, ANY_HOST, scope)) {
      const rank = listenerRank("default", ingress, INGRESS_PRIORITY);
      bindWholePort(port, addRoute(ingress, port, false, scope), rank, config);
    }
    return;
  }
  const bound = new Set<string>();
  for (const { rule, host } of hosts) {
    if (bound.has(hostKey(host))) continue;
    bound.add(hostKey(host));
    for (const port of portsFor(ingress, host, scope))
      bindHost(ingress, { rule, host, port }, scope);
  }
}

function bindHost(
  ingress: Ingress,
  { rule, host, port }: { rule: number; host: HostPattern; port: EntryPort },
  scope: IngressScope,
): void {
  const route = addRoute(ingress, port, scope.tlsHosts.has(host), scope);
  for (const [position, pattern] of withAliases(ingress, host, scope).entries()) {
    const order = orderKey({
      class: "rule",
      priority: INGRESS_PRIORITY,
      specificity: specificity(hostTerms(host)),
      metadata: ingress.metadata,
      position: [rule, position],
    });
    const { listener } = port;
    scope.context.config.bind({
      listener,
      host: pattern,
      path: { kind: "any" },
      when: [],
      order,
      route,
    });
  }
}

function addRoute(ingress: Ingress, port: EntryPort, hasTls: boolean, scope: IngressScope): string {
  const { config, options } = scope.context;
  const place = placeOf(ingress, "spec", "defaultBackend");
  const input = {
    key: hasTls ? "default-tls" : "default",
    place,
    lookup: annotationLookup(ingress.metadata.annotations, options.domains),
    backend: ingress.spec?.defaultBackend ?? {},
    backendPlace: place,
    path: "/",
    isRegex: false,
    hasTls,
  };
  return config.addRoute(ingressRoute(input, port, scope), port.port);
}
