import type { Ingress } from "../../api/wire.js";
import { type HostPattern, hostKey } from "../../model/values.js";
import { memoized } from "../../support/collections.js";
import { textList } from "../../support/text.js";
import type { TranslateContext } from "../context.js";
import type { HostClaims, HostFacts, NamedHost } from "../host-owners.js";
import { parseHostPattern } from "../hostnames.js";
import { placeOf } from "../place.js";
import { unsupportedRestriction } from "../reasons.js";
import { OF_SERVER, annotationProblems } from "./annotation-problems.js";
import { pathKey } from "./annotations/annotation-key.js";
import { AnnotationReader, IngressAnnotations } from "./annotations/annotation-reader.js";
import { ROUTING_ROWS, makesPatterns } from "./annotations/routing.js";
import type { IngressPath, PreparedIngress } from "./ingress-scope.js";

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
  const problems = annotationProblems(ingress, options);
  const lookup = annotations.whole;
  const paths = hosts.flatMap((host) => pathsOf(ingress, host, annotations, problems));
  return {
    ingress,
    hosts,
    aliases: aliasesOf(hosts, [
      ...(new AnnotationReader(lookup).get(ROUTING_ROWS.serverAlias) ?? []),
      ...problems.aliases.flatMap(textList),
    ]),
    paths,
    patternHosts: patternHosts(paths),
    lookup,
    reports: problems.reports,
    closesHosts: problems.closesHosts,
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
  { whole, byPath }: ReturnType<typeof annotationProblems>,
): readonly IngressPath[] {
  const paths = ingress.spec?.rules?.[rule]?.http?.paths ?? [];
  return paths.map(({ path = "", pathType, backend }, position) => {
    const index = { rule, path: position };
    return {
      index,
      host,
      path: path === "" ? "/" : path,
      pathType,
      backend,
      lookup: annotations.at(index),
      closedBy: byPath.get(pathKey(index)) ?? whole,
      invalid: undefined,
      place: placeOf(ingress, "spec", "rules", rule, "http", "paths", position),
    };
  });
}

function patternHosts(paths: readonly IngressPath[]): ReadonlySet<string> {
  const patterns = paths.filter(({ path, lookup }) =>
    makesPatterns(new AnnotationReader(lookup), path),
  );
  return new Set(patterns.map(({ host }) => hostKey(host)));
}

/**
 * The hosts that an Ingress names, and what it makes of them for other Ingresses of its namespace. use-regex or a rewrite-target makes
 * patterns of all paths of its hosts, and a server-snippet closes them.
 */
export function claimsOfIngress(prepared: PreparedIngress): HostClaims {
  const { ingress, hosts, aliases, patternHosts, closesHosts } = prepared;
  const named = new Map<string, NamedHost>(aliases.map((host) => [hostKey(host), { host }]));
  for (const { host } of hosts) {
    const key = hostKey(host);
    const isPattern = patternHosts.has(key) && { isPattern: true };
    named.set(key, { host, isRuled: true, ...isPattern, ...(closesHosts && { isClosing: true }) });
  }
  const takesRest = hosts.length === 0 && ingress.spec?.defaultBackend !== undefined;
  return { object: ingress, hosts: [...named.values()], ...(takesRest && { takesRest }) };
}

/** The Ingress, closed where another one of the namespace closes a host of it, which is reported. */
export function withClosedHosts(
  prepared: PreparedIngress,
  factsOf: (host: HostPattern) => HostFacts,
  { options, diagnostics }: TranslateContext,
): PreparedIngress {
  const { ingress, hosts, paths } = prepared;
  const closing = hosts.find(({ host }) => factsOf(host).closingCause !== undefined);
  const cause = closing && factsOf(closing.host).closingCause;
  if (cause === undefined || prepared.closesHosts) return prepared;
  const what = `${OF_SERVER} of Ingress ${cause.metadata.name} is for the host of this one, too.`;
  diagnostics.report({
    ...unsupportedRestriction(what, options),
    ...placeOf(ingress, "spec", "rules", closing?.rule ?? 0, "host"),
  });
  return {
    ...prepared,
    closedBy: prepared.closedBy ?? OF_SERVER,
    paths: paths.map((path) =>
      factsOf(path.host).closingCause === undefined
        ? path
        : { ...path, closedBy: path.closedBy ?? OF_SERVER },
    ),
  };
}
