import type { Ingress } from "../../api/core.js";
import type { HostPattern } from "../../ir/host-pattern.js";
import type { TranslateContext } from "../context.js";
import { parseHostPattern } from "../hostnames.js";
import type { Place } from "../place.js";
import { placeOf } from "../place.js";
import { IngressAnnotations } from "./annotation-lookup.js";
import type { AnnotationLookup } from "./annotation-lookup.js";
import type { PathIndex } from "./annotation-key.js";
import type { ClosingAnnotations } from "./closing-annotations.js";
import { closedBy, closingAnnotations } from "./closing-annotations.js";
import { AnnotationReader } from "./annotation-reader.js";
import { SERVER_ALIAS } from "./annotations/routing-table.js";

type IngressSpec = NonNullable<Ingress["spec"]>;
type IngressRule = NonNullable<IngressSpec["rules"]>[number];
type HttpPath = NonNullable<IngressRule["http"]>["paths"][number];
export type IngressBackend = HttpPath["backend"];

/** An Ingress with its hosts, paths and annotations taken apart, once for all steps. */
export interface PreparedIngress {
  readonly ingress: Ingress;
  /** The hosts of its rules; those of rules without http too, since defaultBackend serves them. */
  readonly hosts: readonly IngressHost[];
  readonly paths: readonly IngressPath[];
  /** What server-alias names, of an Ingress whose rules name hosts. */
  readonly aliases: readonly HostPattern[];
  /** Annotations as they hold for the whole Ingress. */
  readonly lookup: AnnotationLookup;
  /** The annotation that closes the Ingress's default backend. */
  readonly closedBy?: string;
  /** What keeps the whole Ingress from being done as written. */
  readonly invalid?: string;
}

export interface IngressHost {
  readonly rule: number;
  readonly host: HostPattern;
}

/** One path of one rule. */
export interface IngressPath {
  readonly index: PathIndex;
  readonly host: HostPattern;
  readonly path: string;
  readonly pathType: string;
  readonly backend: IngressBackend;
  readonly lookup: AnnotationLookup;
  /** The annotation that closes the path. */
  readonly closedBy?: string;
  /** What keeps the path from being done as written. */
  readonly invalid?: string;
  readonly place: Place;
}

export function prepareIngress(ingress: Ingress, context: TranslateContext): PreparedIngress {
  const annotations = new IngressAnnotations(ingress.metadata.annotations, context.options.domains);
  const hosts = (ingress.spec?.rules ?? []).flatMap(({ host }, rule) => {
    const pattern = parseHostPattern(host, "one");
    return pattern.ok ? [{ rule, host: pattern.value }] : [];
  });
  const closing = closingAnnotations(ingress, context.options);
  const lookup = annotations.whole;
  return {
    ingress,
    hosts,
    aliases: hosts.some(({ host }) => host.kind !== "any") ? aliasesOf(lookup) : [],
    paths: hosts.flatMap((host) => pathsOf(ingress, host, annotations, closing)),
    lookup,
    ...(closing.whole !== undefined && { closedBy: closing.whole }),
  };
}

function aliasesOf(lookup: AnnotationLookup): readonly HostPattern[] {
  const names = new AnnotationReader(lookup).get(SERVER_ALIAS) ?? [];
  return names.flatMap((name) => {
    const pattern = parseHostPattern(name, "one");
    return pattern.ok ? [pattern.value] : [];
  });
}

function pathsOf(
  ingress: Ingress,
  { rule, host }: IngressHost,
  annotations: IngressAnnotations,
  closing: ClosingAnnotations,
): readonly IngressPath[] {
  const paths = ingress.spec?.rules?.[rule]?.http?.paths ?? [];
  return paths.map(({ path = "", pathType, backend }, position) => {
    const index = { rule, path: position };
    const closer = closedBy(closing, index);
    return {
      index,
      host,
      path: path === "" ? "/" : path,
      pathType,
      backend,
      lookup: annotations.at(index),
      ...(closer !== undefined && { closedBy: closer }),
      place: placeOf(ingress, "spec", "rules", rule, "http", "paths", position),
    };
  });
}
