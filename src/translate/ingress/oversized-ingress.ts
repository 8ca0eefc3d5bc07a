/**
 * An Ingress that is too large to be bound as written: each path once for each further host, and its annotations once for each path. Its
 * paths answer 500, and so does whatever is asked of its further hosts, which are closed altogether. So no wider rule serves what it was
 * to restrict, and it is no larger than it is written.
 */
import type { Report } from "../../diagnostics/sink.js";
import type { RoutingResources } from "../../input/resources.js";
import type { PathMatch } from "../../model/route.js";
import type { HostPattern } from "../../model/values.js";
import { compareBy, getOrInsert } from "../../support/collections.js";
import { parseAuthReference } from "../auth/settings.js";
import { annotationField, placeOf, sourceRef } from "../place.js";
import { INGRESS_PRIORITY, type Specificity } from "../precedence.js";
import { invalidRule } from "../reasons.js";
import { MOST_BINDINGS, MOST_BINDING_TEXT, MOST_REPEATED_TEXT } from "../size-limits.js";
import { ANNOTATIONS } from "./annotation-table.js";
import type { AnyAnnotation } from "./annotations/annotation.js";
import { type AnnotationLookup, IngressAnnotations } from "./annotations/annotation-reader.js";
import { priorityOf } from "./annotations/origin.js";
import { REDIRECT_ROWS } from "./annotations/redirect.js";
import { ROUTING_ROWS } from "./annotations/routing.js";
import { type IngressScope, type PreparedIngress, portsFor, withAliases } from "./ingress-scope.js";
import { matchPath } from "./path-match.js";
import { isSnippet } from "./snippets/snippets.js";

/** Those of auth are in a policy of its own, which paths share. */
const OF_AUTH = ANNOTATIONS.filter(({ group }) => group === "auth");
/** Whose values are in the route of each path. */
const REPEATED = ANNOTATIONS.filter(
  ({ group, supported, name }) =>
    supported && group !== "auth" && name !== ROUTING_ROWS.serverAlias.name,
);
const WITH_SNIPPETS = [
  ...REPEATED,
  ...ANNOTATIONS.filter(({ name, group }) => isSnippet(name) && group !== "auth"),
];

const AUTH_HEADERS = "auth-proxy-set-headers";

/** Why the Ingress can't be bound as written; undefined: it can. What is bound but once is as large as it is written. */
export function ingressSizeProblem(
  prepared: PreparedIngress,
  scope: IngressScope,
): Report | undefined {
  return aliasesProblem(prepared, scope) ?? annotationsProblem(prepared, scope);
}

function aliasesProblem(prepared: PreparedIngress, scope: IngressScope): Report | undefined {
  const { ingress, lookup } = prepared;
  const hosts = prepared.hosts.filter(isNamed);
  const paths = prepared.paths.filter(isNamed);
  const names = hosts[0] === undefined ? 1 : withAliases(prepared, hosts[0].host, scope).length;
  if (names === 1) return undefined;
  const { http, https } = scope.balancer.ingress;
  const copies = names * (Number(http !== undefined) + Number(https !== undefined));
  const whole =
    Number(ingress.spec?.defaultBackend !== undefined) +
    Number(lookup.find(REDIRECT_ROWS.appRoot) !== undefined);
  const bindings = copies * (paths.length + whole * hosts.length);
  const text = copies * paths.reduce((sum, { path }) => sum + path.length, 0);
  const made =
    bindings > MOST_BINDINGS
      ? `${String(bindings)} bindings; an Ingress with aliases may have ${String(MOST_BINDINGS)}`
      : text > MOST_BINDING_TEXT
        ? `${String(text)} characters of paths; an Ingress with aliases may have ${String(MOST_BINDING_TEXT)}`
        : undefined;
  if (made === undefined) return undefined;
  const key = lookup.find(ROUTING_ROWS.serverAlias)?.key ?? "";
  const message = `${String(paths.length)} paths with ${String(names - 1)} names of server-alias make ${made}`;
  return { code: "OBJECT_TOO_LARGE", message, ...placeOf(ingress, ...annotationField(key)) };
}

function annotationsProblem(
  { ingress, paths }: PreparedIngress,
  { context: { resources, options } }: IngressScope,
): Report | undefined {
  const headers = headersTexts(resources);
  const values = Object.entries(ingress.metadata.annotations ?? {});
  const written = values.reduce((sum, [key, value]) => {
    const isReference = key.endsWith(`/${AUTH_HEADERS}`);
    return sum + value.length + (isReference ? headers(value) : 0);
  }, 0);
  // Most Ingresses are far from it, whatever their annotations are about.
  if (written * paths.length <= MOST_REPEATED_TEXT) return undefined;
  const rows = options.snippets === "translate" ? WITH_SNIPPETS : REPEATED;
  const text = paths.reduce((sum, { lookup }) => sum + repeatedText(lookup, rows, headers), 0);
  if (text <= MOST_REPEATED_TEXT) return undefined;
  const message = `its annotations in each of ${String(paths.length)} paths make ${String(text)} characters; an Ingress may have ${String(MOST_REPEATED_TEXT)}`;
  return { code: "OBJECT_TOO_LARGE", message, ...placeOf(ingress, "metadata", "annotations") };
}

function repeatedText(
  lookup: AnnotationLookup,
  rows: readonly AnyAnnotation[],
  headers: (reference: string) => number,
): number {
  // A path with an auth annotation of its own shares its policy with no other.
  const isOwn = OF_AUTH.some((annotation) => lookup.find(annotation)?.prefix === "index");
  if (!isOwn) return textOf(rows, lookup);
  const reference = lookup.find({ name: AUTH_HEADERS })?.value ?? "";
  return textOf(rows, lookup) + textOf(OF_AUTH, lookup) + headers(reference);
}

/** Characters of the ConfigMap that a reference names; its headers are in the auth policy. */
function headersTexts(resources: RoutingResources): (reference: string) => number {
  const known = new Map<string, number>();
  return (reference) => {
    const name = parseAuthReference(reference.trim());
    if (!name.ok) return 0;
    const { namespace, name: configMap } = name.value;
    return getOrInsert(known, `${namespace}/${configMap}`, () => {
      const { data = {} } = resources.get("ConfigMap", namespace, configMap) ?? {};
      return Object.entries(data).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
    });
  };
}

function textOf(annotations: readonly AnyAnnotation[], lookup: AnnotationLookup): number {
  return annotations.reduce((sum, each) => sum + (lookup.find(each)?.value.length ?? 0), 0);
}

function isNamed({ host }: { readonly host: HostPattern }): boolean {
  return host.kind !== "any";
}

/** The Ingress without annotations and aliases, all of whose requests are refused since `field` is invalid. */
export function refusedIngress(
  prepared: PreparedIngress,
  field: string,
  { context: { options } }: IngressScope,
): PreparedIngress {
  const { whole: lookup } = new IngressAnnotations(undefined, options.domains);
  const paths = prepared.paths.map((path) => ({ ...path, lookup, invalid: field }));
  return { ...prepared, lookup, aliases: [], invalid: field, paths };
}

/** Refuses all requests for the aliases of an Ingress, and those for `/` that its app-root would redirect. */
export function bindRefusedHosts(
  prepared: PreparedIngress,
  field: string,
  scope: IngressScope,
): void {
  const { ingress, lookup } = prepared;
  const named = prepared.hosts.filter(isNamed);
  const [first] = named;
  if (first === undefined) return;
  const isRoot = lookup.find(REDIRECT_ROWS.appRoot) !== undefined;
  const root: PathMatch = ["exact", "/"];
  const closings = [
    ...withAliases(prepared, first.host, scope)
      .slice(1)
      .map((host) => ({ host, path: undefined })),
    ...(isRoot ? named.map(({ host }) => ({ host, path: root })) : []),
  ];
  const refusal = {
    id: `ingress/${ingress.metadata.namespace}/${ingress.metadata.name}/closed`,
    source: sourceRef(placeOf(ingress, "metadata", "annotations")),
    refuse: invalidRule(field),
  };
  const rank = narrowest(prepared, scope);
  for (const { listener, port } of new Set(
    named.flatMap(({ host }) => portsFor(prepared, host, scope)),
  )) {
    const route = scope.context.config.addRoute(refusal, port, [field]);
    for (const [number, { host, path }] of closings.entries()) {
      scope.claims.push({
        ...{ listener, route, hosts: [host], path, object: ingress, position: [number] },
        ...rank,
      });
    }
  }
}

interface PathRank {
  readonly priority: number;
  readonly specificity: Specificity;
}

const byRank = compareBy<PathRank>(
  (a, b) => a.priority - b.priority,
  (a, b) => b.specificity.complexity - a.specificity.complexity,
  (a, b) => b.specificity.length - a.specificity.length,
);

/** Where the first of its paths is tried, or would be if it had any. */
function narrowest({ ingress, paths, hosts }: PreparedIngress, scope: IngressScope): PathRank {
  const rankOf = (host: HostPattern, path: string, pathType: string, priority: number) => {
    const { specificity } = matchPath(host, { path, pathType, isRegex: false });
    return { priority, specificity };
  };
  const ranks = [
    ...hosts.map(({ host }) => rankOf(host, "/", "Exact", INGRESS_PRIORITY)),
    ...paths.map(({ host, path, pathType, index }) =>
      rankOf(host, path, pathType, priorityOf(ingress, index, scope.context)),
    ),
  ];
  const [first] = ranks.sort(byRank);
  return first ?? { priority: INGRESS_PRIORITY, specificity: { complexity: 0, length: 0 } };
}
