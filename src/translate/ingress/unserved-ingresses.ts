import type { Ingress } from "../../api/core.js";
import type { TranslateContext } from "../context.js";
import type { LoadBalancer } from "../load-balancer.js";
import { placeOf } from "../place.js";
import { ingressClassOf } from "./ingress-class.js";

/** Says of each Ingress that no load balancer selects why it is left alone: that is meant, or a misspelt class. */
export function reportUnserved(
  balancers: readonly LoadBalancer[],
  { resources, options, diagnostics }: TranslateContext,
): void {
  const isByOptions = balancers.some(({ alb }) => alb === undefined);
  const classes = balancers.map(({ alb }) => alb?.metadata.name ?? options.ingressClass);
  for (const ingress of resources.list("Ingress")) {
    if (balancers.some((balancer) => balancer.ingress.selects(ingress))) continue;
    diagnostics.report({
      code: "INGRESS_NOT_SERVED",
      message: reasonFor(ingress, classes, isByOptions),
      ...placeOf(ingress, "spec", "ingressClassName"),
    });
  }
}

function reasonFor(ingress: Ingress, classes: readonly string[], isByOptions: boolean): string {
  const name = ingressClassOf(ingress);
  if (name === undefined && isByOptions) {
    return "it has no class, and the option ingressWithoutClass is off";
  }
  const served = classes.length === 0 ? "none" : classes.join(", ");
  return name === undefined || classes.includes(name)
    ? `no ALB2 serves the namespace ${ingress.metadata.namespace}`
    : `the class "${name}" is not served here; served: ${served}`;
}
