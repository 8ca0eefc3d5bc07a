import type { Ingress } from "../../api/core.js";
import type { TranslateContext } from "../context.js";

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
}: TranslateContext): (ingress: Ingress) => boolean {
  const ours = new Set([options.ingressClass]);
  for (const { metadata, spec } of resources.list("IngressClass")) {
    if (spec?.controller === options.ingressController) ours.add(metadata.name);
  }
  return (ingress) => {
    const name = ingressClassOf(ingress);
    return name === undefined ? options.ingressWithoutClass : ours.has(name);
  };
}
