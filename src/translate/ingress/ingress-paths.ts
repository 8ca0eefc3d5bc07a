import type { Ingress } from "../../api/core.js";
import type { HostPattern } from "../../ir/host-pattern.js";
import type { TranslateContext } from "../context.js";
import { parseHostPattern } from "../hostnames.js";
import type { Place } from "../place.js";
import { placeOf } from "../place.js";
import { annotationLookup } from "./annotation-lookup.js";
import type { AnnotationLookup, PathIndex } from "./annotation-lookup.js";

type IngressSpec = NonNullable<Ingress["spec"]>;
type IngressRule = NonNullable<IngressSpec["rules"]>[number];
type HttpPath = NonNullable<IngressRule["http"]>["paths"][number];
export type IngressBackend = HttpPath["backend"];

/** One path of one rule. */
export interface IngressPath {
  readonly ingress: Ingress;
  readonly index: PathIndex;
  readonly host: HostPattern;
  readonly path: string;
  readonly pathType: string;
  readonly backend: IngressBackend;
  readonly lookup: AnnotationLookup;
  readonly place: Place;
}

/** A host that a rule of the Ingress names; rules without http count, since defaultBackend serves their hosts. */
export interface IngressHost {
  readonly rule: number;
  readonly host: HostPattern;
}

/** The hosts of its rules. */
export function ingressHosts(ingress: Ingress): readonly IngressHost[] {
  return (ingress.spec?.rules ?? []).flatMap(({ host }, rule) => {
    const pattern = parseHostPattern(host, "one");
    return pattern.ok ? [{ rule, host: pattern.value }] : [];
  });
}

/** The paths of its rules, in their order. */
export function ingressPaths(
  ingress: Ingress,
  { options }: TranslateContext,
): readonly IngressPath[] {
  const { annotations } = ingress.metadata;
  const rules = ingress.spec?.rules ?? [];
  return ingressHosts(ingress).flatMap(({ rule, host }) =>
    (rules[rule]?.http?.paths ?? []).map(({ path = "", pathType, backend }, position) => {
      const index = { rule, path: position };
      return {
        ingress,
        index,
        host,
        path: path === "" ? "/" : path,
        pathType,
        backend,
        lookup: annotationLookup(annotations, options.domains, index),
        place: placeOf(ingress, "spec", "rules", rule, "http", "paths", position),
      };
    }),
  );
}
