import type { AuthContext } from "../auth/auth-policies.js";
import type { HostClaims } from "../host-owners.js";
import type { LoadBalancer } from "../load-balancer.js";
import { annotationField, placeOf } from "../place.js";
import { reportAnnotations } from "./annotation-report.js";
import { CANARY } from "./annotations/routing-table.js";
import { bindClosed } from "./closed-ingress.js";
import { bindDefaultBackend } from "./default-backend.js";
import { claimsOfIngress, withClosedHosts } from "./host-claims.js";
import { reportUnserved } from "./ingress-class.js";
import { bindAppRoot } from "./ingress-redirect.js";
import type { IngressScope } from "./ingress-scope.js";
import { ingressSizeProblem } from "./ingress-size.js";
import { bindPath } from "./path-binding.js";
import type { PreparedIngress } from "./prepared-ingress.js";
import { isCanary } from "./prepared-ingress.js";

/** The hosts that an Ingress names on each load balancer; undefined on those that don't serve it. */
export function hostsOfIngress(
  prepared: PreparedIngress,
  balancers: readonly LoadBalancer[],
  context: Pick<AuthContext, "options">,
): readonly (HostClaims | undefined)[] {
  const { ingress, lookup } = prepared;
  const isServed = balancers.some((balancer) => balancer.ingress.selects(ingress));
  if (!isServed || isCanary(lookup)) return [];
  const claims = claimsOfIngress(prepared, context);
  return balancers.map((balancer) => (balancer.ingress.selects(ingress) ? claims : undefined));
}

/** An Ingress, bound to the HTTP and HTTPS ports of its load balancers. Gives whether it is served on any port. */
export function translateIngress(
  prepared: PreparedIngress,
  balancers: readonly LoadBalancer[],
  scopeOf: (balancer: LoadBalancer) => IngressScope,
  context: AuthContext,
): boolean {
  const { ingress } = prepared;
  const selecting = balancers.filter((balancer) => balancer.ingress.selects(ingress));
  if (selecting.length === 0) reportUnserved(ingress, balancers, context);
  else reportAnnotations(ingress, context);
  if (selecting.length === 0 || reportCanary(prepared, context)) return false;
  for (const balancer of selecting) {
    const scope = scopeOf(balancer);
    bindIngress(withClosedHosts(prepared, scope.factsOf, context), scope);
  }
  return selecting.some(
    ({ ingress: { http, https } }) => http !== undefined || https !== undefined,
  );
}

function bindIngress(prepared: PreparedIngress, scope: IngressScope): void {
  const problem = ingressSizeProblem(prepared, scope);
  if (problem !== undefined) {
    scope.context.diagnostics.report(problem);
    bindClosed(prepared, "metadata.annotations", scope);
    return;
  }
  for (const path of prepared.paths) bindPath(prepared, path, scope);
  for (const host of prepared.hosts) bindAppRoot(prepared, host, scope);
  bindDefaultBackend(prepared, scope);
}

function reportCanary({ ingress, lookup }: PreparedIngress, { diagnostics }: AuthContext): boolean {
  if (!isCanary(lookup)) return false;
  const message = "canaries are not supported, so this Ingress is not served";
  const key = lookup.get(CANARY.name, CANARY.prefixes)?.key ?? "";
  const place = placeOf(ingress, ...annotationField(key));
  diagnostics.report({ code: "INGRESS_CANARY", message, ...place });
  return true;
}
