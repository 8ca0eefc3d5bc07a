import type { Ingress } from "../../api/wire.js";
import type { TranslateContext } from "../context.js";
import type { LoadBalancer } from "../load-balancer.js";
import { didYouMean } from "../../support/did-you-mean.js";
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
  { resources, options, diagnostics }: TranslateContext,
): void {
  const isByOptions = balancers.some(({ alb }) => alb === undefined);
  const classes = balancers.map(({ alb }) => alb?.metadata.name ?? options.ingressClass);
  const message = reasonFor(ingress, classes, isByOptions);
  const place = placeOf(ingress, "spec", "ingressClassName");
  const name = ingressClassOf(ingress);
  const isClass = name !== undefined && resources.get("IngressClass", "", name) !== undefined;
  const meant = name === undefined || isClass ? undefined : meantClass(name, classes);
  const report =
    meant === undefined
      ? ({ code: "INGRESS_NOT_SERVED" } as const)
      : ({ code: "CLASS_NOT_FOUND", hint: `did you mean ${meant}?` } as const);
  diagnostics.report({ ...report, message, ...place });
}

/** Names that differ in their numbers are several on purpose. */
function meantClass(name: string, classes: readonly string[]): string | undefined {
  const withoutNumbers = (text: string): string => text.replaceAll(/\d/g, "");
  const others = classes.filter((each) => withoutNumbers(each) !== withoutNumbers(name));
  return didYouMean(name, others);
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
