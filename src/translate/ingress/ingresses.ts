import type { Ingress } from "../../api/wire.js";
import type { AuthContext } from "../auth/auth-policies.js";
import type { LoadBalancer } from "../load-balancer.js";
import { annotationField, placeOf } from "../place.js";
import { compareAge } from "../precedence.js";
import { reportAnnotations } from "./annotation-report.js";
import { CANARY } from "./annotations/routing-table.js";
import { bindAppRoot } from "./ingress-redirect.js";
import { withClosedHosts } from "./regex-hosts.js";
import { bindClosed } from "./closed-ingress.js";
import { bindDefaultBackend } from "./default-backend.js";
import { ingressScope } from "./ingress-scope.js";
import type { IngressScope } from "./ingress-scope.js";
import { ingressSizeProblem } from "./ingress-size.js";
import { bindPath } from "./path-binding.js";
import type { PreparedIngress } from "./prepared-ingress.js";
import { isCanary, preparedIngresses } from "./prepared-ingress.js";

/** The Ingresses of every load balancer, bound to its HTTP and HTTPS ports. Gives those that are served on any port. */
export function translateIngresses(
  balancers: readonly LoadBalancer[],
  context: AuthContext,
): ReadonlySet<Ingress> {
  const reached = new Set<Ingress>();
  for (const balancer of balancers) {
    const selected = context.resources
      .list("Ingress")
      .filter(balancer.ingress.selects)
      .sort(compareAge);
    for (const ingress of selected) reportAnnotations(ingress, context);
    const prepared = selected.map(preparedIngresses(context));
    const served = withClosedHosts(
      prepared.filter((each) => !reportCanary(each, context)),
      context,
    );
    const scope = ingressScope(served, balancer, context);
    for (const each of served) bindIngress(each, scope);
    balancer.bindings.bindAll(context);
    const { http, https } = balancer.ingress;
    if (http === undefined && https === undefined) continue;
    for (const { ingress } of served) reached.add(ingress);
  }
  return reached;
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
