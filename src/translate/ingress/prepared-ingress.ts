import type { Ingress } from "../../api/wire.js";
import type { PathMatch } from "../../model/route.js";
import { type HostPattern, hostKey } from "../../model/values.js";
import { memoized } from "../../support/collections.js";
import type { TranslateContext } from "../context.js";
import type { HostClaims, NamedHost } from "../host-owners.js";
import { parseHostPattern } from "../hostnames.js";
import { placeOf } from "../place.js";
import { annotationProblems } from "./annotation-problems.js";
import { pathKey } from "./annotations/annotation-key.js";
import { AnnotationReader, IngressAnnotations } from "./annotations/annotation-reader.js";
import { ROUTING_ROWS, makesPatterns } from "./annotations/routing.js";
import type { IngressPath, PreparedIngress } from "./ingress-scope.js";
import { hostLocations } from "./snippets/snippets.js";

/** Takes Ingresses apart, each once in a translation. */
export const preparedIngresses = memoized((context: TranslateContext) =>
  memoized((ingress: Ingress) => prepare(ingress, context)),
);

function prepare(ingress: Ingress, { options }: TranslateContext): PreparedIngress {
  const annotations = new IngressAnnotations(ingress.metadata.annotations, options.domains);
  const hosts = (ingress.spec?.rules ?? []).flatMap(({ host }, rule) => {
    const pattern = parseHostPattern(host, "one");
    return pattern.ok ? [{ rule, host: pattern.value }] : [];
  });
  const lookup = annotations.whole;
  const problems = annotationProblems(ingress, lookup, options);
  const paths = hosts.flatMap((host) => [
    ...pathsOf(ingress, host, annotations, problems),
    ...locationsOf(ingress, host, lookup, [
      ...problems.locations.map(({ path, closer }) => ({
        location: { match: path },
        closedBy: [closer],
      })),
      ...hostLocations(lookup, options).map((location) => ({ location, closedBy: problems.whole })),
    ]),
  ]);
  return {
    ingress,
    hosts,
    aliases: aliasesOf(hosts, [
      ...(new AnnotationReader(lookup).get(ROUTING_ROWS.serverAlias) ?? []),
    ]),
    paths,
    patternHosts: patternHosts(paths),
    lookup,
    reports: problems.reports,
    closedBy: problems.whole,
    invalid: undefined,
  };
}

function aliasesOf(
  hosts: PreparedIngress["hosts"],
  names: readonly string[],
): readonly HostPattern[] {
  if (hosts.every(({ host }) => host.kind === "any")) return [];
  const patterns = names.flatMap((name) => {
    const pattern = parseHostPattern(name, "one");
    return pattern.ok ? [[hostKey(pattern.value), pattern.value] as const] : [];
  });
  return [...new Map(patterns).values()];
}

function pathsOf(
  ingress: Ingress,
  { rule, host }: PreparedIngress["hosts"][number],
  annotations: IngressAnnotations,
  { whole, byPath, locations }: ReturnType<typeof annotationProblems>,
): readonly IngressPath[] {
  const paths = ingress.spec?.rules?.[rule]?.http?.paths ?? [];
  const nested = locations.filter(({ closer }) => closer.name === "configuration-snippet");
  return paths.map(({ path = "", pathType, backend }, position) => {
    const index = { rule, path: position };
    const around = nested.filter((location) => isWithin(path, pathType, location.path));
    return {
      index,
      host,
      path: path === "" ? "/" : path,
      pathType,
      backend,
      lookup: annotations.at(index),
      closedBy: [
        ...(byPath.get(pathKey(index)) ?? []),
        ...whole,
        ...around.map(({ closer }) => closer),
      ],
      invalid: undefined,
      place: placeOf(ingress, "spec", "rules", rule, "http", "paths", position),
    };
  });
}

/**
 * Whether a location of a configuration-snippet, which nginx reads within each path, covers the path itself. An Exact path takes no
 * locations there, so a regular expression closes it too.
 */
function isWithin(
  path: string,
  pathType: IngressPath["pathType"],
  [kind, text]: PathMatch,
): boolean {
  if (kind === "exact") return path === text;
  return kind === "start" ? path.startsWith(text) : pathType === "Exact";
}

/** The locations of snippets, as paths of a host. */
function locationsOf(
  ingress: Ingress,
  { rule, host }: PreparedIngress["hosts"][number],
  lookup: IngressPath["lookup"],
  locations: readonly {
    readonly location: NonNullable<IngressPath["location"]>;
    readonly closedBy: IngressPath["closedBy"];
  }[],
): readonly IngressPath[] {
  const after = ingress.spec?.rules?.[rule]?.http?.paths.length ?? 0;
  return locations.map(({ location, closedBy }, i) => ({
    index: { rule, path: after + i },
    ...{ host, location, path: location.match[1], pathType: "Exact", backend: {}, lookup },
    ...{ closedBy, invalid: undefined, place: placeOf(ingress, "metadata", "annotations") },
  }));
}

function patternHosts(paths: readonly IngressPath[]): ReadonlySet<string> {
  const patterns = paths.filter(({ path, lookup }) =>
    makesPatterns(new AnnotationReader(lookup), path),
  );
  return new Set(patterns.map(({ host }) => hostKey(host)));
}

/**
 * The hosts that an Ingress names, and what it makes of them for other Ingresses of its namespace. use-regex or a rewrite-target makes
 * patterns of all paths of its hosts.
 */
export function claimsOfIngress(prepared: PreparedIngress): HostClaims {
  const { ingress, hosts, aliases, patternHosts } = prepared;
  const named = new Map<string, NamedHost>(aliases.map((host) => [hostKey(host), { host }]));
  for (const { host } of hosts) {
    const key = hostKey(host);
    const isPattern = patternHosts.has(key) && { isPattern: true };
    named.set(key, { host, isRuled: true, ...isPattern });
  }
  const takesRest = hosts.length === 0 && ingress.spec?.defaultBackend !== undefined;
  return { object: ingress, hosts: [...named.values()], ...(takesRest && { takesRest }) };
}
