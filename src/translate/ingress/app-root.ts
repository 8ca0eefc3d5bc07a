import { routeTimeouts } from "../../model/route.js";
import { annotationField, placeOf, sourceRef } from "../place.js";
import { closedRule } from "../reasons.js";
import { AnnotationReader } from "./annotation-reader.js";
import { APP_ROOT } from "./annotations/routing-table.js";
import type { IngressScope } from "./ingress-scope.js";
import { portsFor, withAliases } from "./ingress-scope.js";
import { matchPath } from "./path-match.js";
import type { IngressHost, PreparedIngress } from "./prepared-ingress.js";

/** Redirects `/` of the hosts to the application's path, before any rule of the namespace for `/`. */
export function bindAppRoot(
  prepared: PreparedIngress,
  { rule, host }: IngressHost,
  scope: IngressScope,
): void {
  const { config, options } = scope.context;
  const { ingress, lookup } = prepared;
  const { metadata } = ingress;
  const reader = new AnnotationReader(lookup);
  const url = reader.get(APP_ROOT);
  const isClosed = reader.closedBy !== undefined && options.unsupportedRestrictions === "close";
  if (url === undefined && !isClosed) return;
  const key = lookup.get(APP_ROOT.name, APP_ROOT.prefixes)?.key ?? "";
  const match = matchPath(host, { path: "/", pathType: "Exact", isRegex: false });
  const { complexity, length } = match.specificity;
  for (const port of portsFor(prepared, host, scope)) {
    const route = config.addRoute(
      {
        id: `ingress/${metadata.namespace}/${metadata.name}/app-root`,
        source: sourceRef(placeOf(ingress, ...annotationField(key))),
        ...(url === undefined
          ? { refuse: closedRule(APP_ROOT.name) }
          : { redirect: { status: 302, url } }),
        ...routeTimeouts(port.inherited.timeouts),
      },
      port.port,
    );
    scope.balancer.bindings.add({
      ...{ listener: port.listener, route, object: ingress },
      hosts: withAliases(prepared, host, scope),
      path: match.path,
      specificity: { complexity: complexity + 1, length },
      position: [rule, 0],
    });
  }
}
