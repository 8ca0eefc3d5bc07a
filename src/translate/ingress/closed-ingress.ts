/**
 * An Ingress that is too large to be bound as written: its paths answer 500, and so does whatever is asked of its further hosts, which
 * are closed altogether. So no wider rule serves what it was to restrict, and it is no larger than it is written.
 */
import type { HostPattern } from "../../model/values.js";
import type { PathMatch } from "../../model/route.js";
import { compareBy } from "../../support/collections.js";
import type { EntryPort } from "../load-balancer.js";
import { IngressAnnotations } from "./annotations/annotation-key.js";
import { placeOf, sourceRef } from "../place.js";
import type { Specificity } from "../precedence.js";
import { INGRESS_PRIORITY } from "../precedence.js";
import { invalidRule } from "../reasons.js";
import { APP_ROOT } from "./annotations/routing-table.js";
import { bindDefaultBackend } from "./default-backend.js";
import type { IngressScope } from "./ingress-scope.js";
import { portsFor, withAliases } from "./ingress-scope.js";
import { priorityOf } from "./origin-annotations.js";
import { bindPath } from "./path-binding.js";
import { matchPath } from "./path-match.js";
import type { PreparedIngress } from "./prepared-ingress.js";

/** `field`: what is said to be invalid. */
export function bindClosed(prepared: PreparedIngress, field: string, scope: IngressScope): void {
  const { whole: lookup } = new IngressAnnotations(undefined, scope.context.options.domains);
  const closed: PreparedIngress = {
    ...prepared,
    lookup,
    aliases: [],
    invalid: field,
    paths: prepared.paths.map((path) => ({ ...path, lookup, invalid: field })),
  };
  for (const path of closed.paths) bindPath(closed, path, scope);
  bindDefaultBackend(closed, scope);
  bindFurtherHosts(prepared, field, scope);
}

interface Closing {
  readonly host: HostPattern;
  readonly path: PathMatch | undefined;
}

function bindFurtherHosts(prepared: PreparedIngress, field: string, scope: IngressScope): void {
  const named = prepared.hosts.filter(({ host }) => host.kind !== "any");
  const [first] = named;
  if (first === undefined) return;
  const aliases = withAliases(prepared, first.host, scope).slice(1);
  const isRoot = prepared.lookup.get(APP_ROOT.name, APP_ROOT.prefixes) !== undefined;
  const closings: readonly Closing[] = [
    ...aliases.map((host): Closing => ({ host, path: undefined })),
    ...named.flatMap(({ host }): readonly Closing[] => (isRoot ? [{ host, path: ROOT }] : [])),
  ];
  const rank = narrowest(prepared, scope);
  const ports = new Set(named.flatMap(({ host }) => portsFor(prepared, host, scope)));
  for (const port of ports) {
    const { listener } = port;
    const route = addRoute(prepared, field, port, scope);
    for (const [number, closing] of closings.entries()) {
      scope.claims.push({
        ...{ listener, route, object: prepared.ingress, position: [number] },
        ...rank,
        ...{ hosts: [closing.host], path: closing.path },
      });
    }
  }
}

const ROOT: PathMatch = ["exact", "/"];

function addRoute(
  { ingress }: PreparedIngress,
  field: string,
  { port }: EntryPort,
  { context: { config } }: IngressScope,
): string {
  const { namespace, name } = ingress.metadata;
  return config.addRoute(
    {
      id: `ingress/${namespace}/${name}/closed`,
      source: sourceRef(placeOf(ingress, "metadata", "annotations")),
      refuse: invalidRule(field),
    },
    port,
  );
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
  const written = [
    ...hosts.map(({ host }) => ({
      host,
      path: "/",
      pathType: "Exact",
      priority: INGRESS_PRIORITY,
    })),
    ...paths.map(({ host, path, pathType, index }) => {
      return { host, path, pathType, priority: priorityOf(ingress, index, scope.context) };
    }),
  ];
  const ranks = written.map(({ host, path, pathType, priority }): PathRank => {
    const match = matchPath(host, { path, pathType, isRegex: false });
    return { priority, specificity: match.specificity };
  });
  const [first] = ranks.sort(byRank);
  return first ?? { priority: INGRESS_PRIORITY, specificity: { complexity: 0, length: 0 } };
}
