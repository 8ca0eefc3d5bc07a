import type { AuthContext } from "../auth/auth-context.js";
import type { HostClaims } from "../host-owners.js";
import type { LoadBalancer } from "../load-balancer.js";
import { annotationField, placeOf } from "../place.js";
import { AnnotationReader } from "./annotations/annotation-reader.js";
import { ROUTING_ROWS } from "./annotations/routing.js";
import { bindAppRoot, bindDefaultBackend, bindPath } from "./ingress-bindings.js";
import { reportUnserved } from "./ingress-class.js";
import type { IngressScope, PreparedIngress } from "./ingress-scope.js";
import { bindRefusedHosts, ingressSizeProblem, refusedIngress } from "./oversized-ingress.js";
import { claimsOfIngress } from "./prepared-ingress.js";

/** The hosts that an Ingress names on each load balancer; undefined on those that don't serve it. */
export function hostsOfIngress(
  prepared: PreparedIngress,
  balancers: readonly LoadBalancer[],
): readonly (HostClaims | undefined)[] {
  const isServedBy = ({ ingress: { selects } }: LoadBalancer) => selects(prepared.ingress);
  if (!balancers.some(isServedBy) || isCanary(prepared)) return [];
  const claims = claimsOfIngress(prepared);
  return balancers.map((balancer) => (isServedBy(balancer) ? claims : undefined));
}

/** An Ingress, bound to the HTTP and HTTPS ports of its load balancers. Gives whether it is served on any port. */
export function translateIngress(
  prepared: PreparedIngress,
  balancers: readonly LoadBalancer[],
  scopeOf: (balancer: LoadBalancer) => IngressScope,
  context: AuthContext,
): boolean {
  const { ingress, reports } = prepared;
  const selecting = balancers.filter((balancer) => balancer.ingress.selects(ingress));
  if (selecting.length === 0) {
    reportUnserved(ingress, balancers, context);
    return false;
  }
  context.diagnostics.addAll(reports);
  if (isCanary(prepared)) {
    reportCanary(prepared, context);
    return false;
  }
  for (const balancer of selecting) {
    bindIngress(prepared, scopeOf(balancer));
  }
  return selecting.some(
    ({ ingress: { http, https } }) => http !== undefined || https !== undefined,
  );
}

function bindIngress(prepared: PreparedIngress, scope: IngressScope): void {
  const problem = ingressSizeProblem(prepared, scope);
  if (problem === undefined) {
    for (const path of prepared.paths) bindPath(prepared, path, scope);
    for (const host of prepared.hosts) bindAppRoot(prepared, host, scope);
    bindDefaultBackend(prepared, scope);
    return;
  }
  scope.context.diagnostics.report(problem);
  const field = "metadata.annotations";
  const refused = refusedIngress(prepared, field, scope);
  for (const path of refused.paths) bindPath(refused, path, scope);
  bindDefaultBackend(refused, scope);
  bindRefusedHosts(prepared, field, scope);
}

function isCanary({ lookup }: PreparedIngress): boolean {
  return new AnnotationReader(lookup).get(ROUTING_ROWS.canary) === true;
}

function reportCanary({ ingress, lookup }: PreparedIngress, { diagnostics }: AuthContext): void {
  const message = "canaries are not supported, so this Ingress is not served";
  const key = lookup.find(ROUTING_ROWS.canary)?.key ?? "";
  const place = placeOf(ingress, ...annotationField(key));
  diagnostics.report({ code: "INGRESS_CANARY", message, ...place });
}
