import { annotationField, placeOf, sourceRef } from "../place.js";
import { INGRESS_PRIORITY, orderKey } from "../precedence.js";
import { AnnotationReader } from "./annotation-reader.js";
import { APP_ROOT } from "./annotations/routing-table.js";
import type { IngressScope } from "./ingress-scope.js";
import { portsFor, withAliases } from "./ingress-scope.js";
import { matchPath } from "./path-match.js";
import type { IngressHost, PreparedIngress } from "./prepared-ingress.js";

/** Redirects `/` of the hosts to the application's path, before any rule for `/`. */
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
    for (const [position, pattern] of withAliases(prepared, host, scope).entries()) {
      const order = orderKey({
        class: "rule",
        priority: INGRESS_PRIORITY,
        specificity: { complexity: complexity + 1, length },
        metadata,
        position: [rule, position],
      });
      config.bind({
        listener: port.listener,
        host: pattern,
        path: match.path,
        when: [],
        order,
        route,
      });
    }
  }
}
