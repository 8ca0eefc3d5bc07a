/** How much one Ingress may become: each path once for each further host, and its annotations once for each path. */
import type { ConfigMap } from "../../api/wire.js";
import type { RoutingResources } from "../../input/resources.js";
import type { HostPattern } from "../../model/values.js";
import type { Report } from "../../diagnostics/sink.js";
import { getOrInsert } from "../../support/collections.js";
import { parseAuthReference } from "../auth/settings.js";
import { annotationField, placeOf } from "../place.js";
import { MOST_BINDINGS, MOST_BINDING_TEXT, MOST_REPEATED_TEXT } from "../size-limits.js";
import type { AnyAnnotation } from "./annotations/annotation.js";
import type { AnnotationLookup } from "./annotations/annotation-key.js";
import { ANNOTATIONS, AUTH_ANNOTATIONS } from "./annotation-table.js";
import { APP_ROOT, SERVER_ALIAS } from "./annotations/routing-table.js";
import type { IngressScope } from "./ingress-scope.js";
import { withAliases } from "./ingress-scope.js";
import type { PreparedIngress } from "./prepared-ingress.js";

/** Whose values are in the route of each path; those of auth are in a policy of its own, which paths share. */
const REPEATED = ANNOTATIONS.filter(
  ({ group, supported, name }) => supported && group !== "auth" && name !== SERVER_ALIAS.name,
);

const AUTH_HEADERS = "auth-proxy-set-headers";

/** Why the Ingress can't be bound as written; undefined: it can. What is bound but once is as large as it is written. */
export function ingressSizeProblem(
  prepared: PreparedIngress,
  scope: IngressScope,
): Report | undefined {
  return aliasesProblem(prepared, scope) ?? annotationsProblem(prepared, scope);
}

function aliasesProblem(prepared: PreparedIngress, scope: IngressScope): Report | undefined {
  const { ingress, lookup, hosts, paths } = prepared;
  const [first] = hosts.filter(isNamed);
  if (first === undefined) return undefined;
  const names = withAliases(prepared, first.host, scope).length;
  if (names === 1) return undefined;
  const { http, https } = scope.balancer.ingress;
  const copies = names * [http, https].filter((port) => port !== undefined).length;
  const named = paths.filter(isNamed);
  const whole =
    Number(ingress.spec?.defaultBackend !== undefined) +
    Number(lookup.get(APP_ROOT.name, APP_ROOT.prefixes) !== undefined);
  const bindings = copies * (named.length + whole * hosts.filter(isNamed).length);
  const text = copies * named.reduce((sum, { path }) => sum + path.length, 0);
  const made =
    bindings > MOST_BINDINGS
      ? `${String(bindings)} bindings; an Ingress with aliases may have ${String(MOST_BINDINGS)}`
      : text > MOST_BINDING_TEXT
        ? `${String(text)} characters of paths; an Ingress with aliases may have ${String(MOST_BINDING_TEXT)}`
        : undefined;
  if (made === undefined) return undefined;
  const key = lookup.get(SERVER_ALIAS.name, SERVER_ALIAS.prefixes)?.key ?? "";
  const message = `${String(named.length)} paths with ${String(names - 1)} names of server-alias make ${made}`;
  return { code: "OBJECT_TOO_LARGE", message, ...placeOf(ingress, ...annotationField(key)) };
}

function annotationsProblem(
  { ingress, paths }: PreparedIngress,
  { context: { resources } }: IngressScope,
): Report | undefined {
  const headers = headersTexts(resources);
  const values = Object.entries(ingress.metadata.annotations ?? {});
  const written = values.reduce((sum, [key, value]) => {
    const isReference = key.endsWith(`/${AUTH_HEADERS}`);
    return sum + value.length + (isReference ? headers(value) : 0);
  }, 0);
  // Most Ingresses are far from it, whatever their annotations are about.
  if (written * paths.length <= MOST_REPEATED_TEXT) return undefined;
  const text = paths.reduce((sum, { lookup }) => sum + repeatedText(lookup, headers), 0);
  if (text <= MOST_REPEATED_TEXT) return undefined;
  const message = `its annotations in each of ${String(paths.length)} paths make ${String(text)} characters; an Ingress may have ${String(MOST_REPEATED_TEXT)}`;
  return { code: "OBJECT_TOO_LARGE", message, ...placeOf(ingress, "metadata", "annotations") };
}

function repeatedText(lookup: AnnotationLookup, headers: (reference: string) => number): number {
  const found = AUTH_ANNOTATIONS.map(({ name, prefixes }) => lookup.get(name, prefixes));
  // A path with an auth annotation of its own shares its policy with no other.
  const isOwn = found.some((annotation) => annotation?.prefix === "index");
  if (!isOwn) return textOf(REPEATED, lookup);
  const reference = lookup.get(AUTH_HEADERS)?.value ?? "";
  return textOf(REPEATED, lookup) + textOf(AUTH_ANNOTATIONS, lookup) + headers(reference);
}

/** Characters of the ConfigMap that a reference names; its headers are in the auth policy. */
function headersTexts(resources: RoutingResources): (reference: string) => number {
  const known = new Map<string, number>();
  return (reference) => {
    const name = parseAuthReference(reference.trim());
    if (!name.ok) return 0;
    const { namespace, name: configMap } = name.value;
    return getOrInsert(known, `${namespace}/${configMap}`, () =>
      dataText(resources.get("ConfigMap", namespace, configMap)),
    );
  };
}

function dataText(configMap: ConfigMap | undefined): number {
  const entries = Object.entries(configMap?.data ?? {});
  return entries.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
}

function textOf(annotations: readonly AnyAnnotation[], lookup: AnnotationLookup): number {
  return annotations.reduce(
    (sum, { name, prefixes }) => sum + (lookup.get(name, prefixes)?.value.length ?? 0),
    0,
  );
}

function isNamed({ host }: { readonly host: HostPattern }): boolean {
  return host.kind !== "any";
}
