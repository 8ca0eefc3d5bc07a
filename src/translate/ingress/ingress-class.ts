import type { Ingress } from "../../api/wire.js";
import type { TranslateContext } from "../context.js";
import type { LoadBalancer } from "../load-balancer.js";
import { placeOf } from "../place.js";

/** Kubernetes' annotation from before spec.ingressClassName. */
const CLASS_ANNOTATION = "kubernetes.io/ingress.class";

/** The class that an Ingress names; blank counts as none. */
export function ingressClassOf({ spec, metadata }: Ingress): string | undefined {
  const named = spec?.ingressClassName ?? metadata.annotations?.[CLASS_ANNOTATION];
  const name = named?.trim();
  return name === "" ? undefined : name;
}

/**
 * Without any ALB2: Ingresses of the class that the options name, those whose IngressClass object has our controller, and, as the
 * options say, those without a class, which in a cluster may be another controller's.
 */
export function selectsByOptions({
  resources,
  options,
}: TranslateContext): Pick<LoadBalancer["ingress"], "selects" | "selection"> {
  const ours = new Set([options.ingressClass]);
  for (const { metadata, spec } of resources.list("IngressClass")) {
    if (spec?.controller === options.ingressController) ours.add(metadata.name);
  }
  const selects = (ingress: Ingress): boolean => {
    const name = ingressClassOf(ingress);
    return name === undefined ? options.ingressWithoutClass : ours.has(name);
  };
  return { selects, selection: [...ours].sort() };
}

/** Says why an Ingress that no load balancer selects is left alone: that is meant, or a misspelt class. */
export function reportUnserved(
  ingress: Ingress,
  balancers: readonly LoadBalancer[],
  { options, diagnostics }: TranslateContext,
): void {
  const isByOptions = balancers.some(({ alb }) => alb === undefined);
  const classes = balancers.map(({ alb }) => alb?.metadata.name ?? options.ingressClass);
  diagnostics.report({
    code: "INGRESS_NOT_SERVED",
    message: reasonFor(ingress, classes, isByOptions),
    ...placeOf(ingress, "spec", "ingressClassName"),
  });
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
