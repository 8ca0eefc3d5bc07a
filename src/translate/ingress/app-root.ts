import { annotationField, placeOf, sourceRef } from "../place.js";
import { AnnotationReader } from "./annotation-reader.js";
import { APP_ROOT } from "./annotations/routing-table.js";
import type { IngressScope } from "./ingress-scope.js";
import { portsFor, withAliases } from "./ingress-scope.js";
import { matchPath } from "./path-match.js";
import type { IngressHost, PreparedIngress } from "./prepared-ingress.js";

/**
 * Redirects `/` of the hosts to the application's path, before any rule of the namespace for `/`; among namespaces it counts as the
 * Prefix `/`.
 */
export function bindAppRoot(
  prepared: PreparedIngress,
  { rule, host }: IngressHost,
  scope: IngressScope,
): void {
  const { config } = scope.context;
  const { ingress, lookup } = prepared;
  const { metadata } = ingress;
  const url = new AnnotationReader(lookup).get(APP_ROOT);
  if (url === undefined) return;
  const key = lookup.get(APP_ROOT.name, APP_ROOT.prefixes)?.key ?? "";
  const match = matchPath(host, { path: "/", pathType: "Exact", isRegex: false });
  const { complexity, length } = match.specificity;
  const { claim } = matchPath(host, { path: "/", pathType: "Prefix", isRegex: false });
  for (const port of portsFor(prepared, host, scope)) {
    const route = config.addRoute(
      {
        id: `ingress/${metadata.namespace}/${metadata.name}/app-root`,
        source: sourceRef(placeOf(ingress, ...annotationField(key))),
        redirect: { status: 302, url },
        satisfy: "all",
        auth: [],
        timeouts: port.inherited.timeouts,
        backends: [],
      },
      port.port,
    );
    for (const [number, pattern] of withAliases(prepared, host, scope).entries()) {
      scope.bindings.add({
        ...{ listener: port.listener, host: pattern, route, object: ingress },
        ...{ path: match.path, literal: match.literal, claim },
        specificity: { complexity: complexity + 1, length },
        position: [rule, number],
      });
    }
  }
}
