import type { Ingress } from "../../api/wire.js";
import type { HostPattern } from "../../model/values.js";
import { hostKey } from "../../model/values.js";
import { getOrInsert } from "../../support/collections.js";
import type { TranslateContext } from "../context.js";
import { placeOf } from "../place.js";
import { unsupportedRestriction } from "../reasons.js";
import { AnnotationReader } from "./annotation-reader.js";
import { REWRITE_TARGET, USE_REGEX } from "./annotations/routing-table.js";
import { OF_SERVER, closesHosts } from "./closing-annotations.js";
import type { PreparedIngress } from "./prepared-ingress.js";

/** A host as one namespace has it. */
export function regexKey({ metadata }: Ingress, host: HostPattern): string {
  return `${metadata.namespace} ${hostKey(host)}`;
}

/**
 * Hosts in regex mode: use-regex or a rewrite-target on one Ingress makes patterns of all paths of its hosts, also in other Ingresses
 * (ingress-nginx, "use-regex") of its namespace. With the Ingresses that make them so, oldest first.
 */
export function regexHosts(
  ingresses: readonly PreparedIngress[],
): ReadonlyMap<string, readonly Ingress[]> {
  const hosts = new Map<string, Ingress[]>();
  for (const { ingress, paths } of ingresses) {
    for (const { host, path, lookup } of paths) {
      const reader = new AnnotationReader(lookup);
      const target = reader.get(REWRITE_TARGET) ?? path;
      const isPattern = reader.get(USE_REGEX) === true || target !== path;
      if (isPattern) add(hosts, regexKey(ingress, host), ingress);
    }
  }
  return hosts;
}

function add(hosts: Map<string, Ingress[]>, key: string, ingress: Ingress): void {
  const causes = getOrInsert(hosts, key, () => []);
  if (!causes.includes(ingress)) causes.push(ingress);
}

/** The Ingresses, closed where another one of the namespace closes a host of theirs. Each of those gets one report. */
export function withClosedHosts(
  ingresses: readonly PreparedIngress[],
  { options, diagnostics }: TranslateContext,
): readonly PreparedIngress[] {
  const causes = ingresses.filter(({ ingress }) => closesHosts(ingress, options));
  if (causes.length === 0) return ingresses;
  const byHost = new Map(
    causes.flatMap(({ ingress, hosts }) =>
      hosts.map(({ host }) => [regexKey(ingress, host), ingress] as const),
    ),
  );
  return ingresses.map((prepared) => {
    const { ingress, hosts, paths } = prepared;
    const closing = hosts.find(({ host }) => byHost.has(regexKey(ingress, host)));
    const cause = closing && byHost.get(regexKey(ingress, closing.host));
    if (cause === undefined || causes.includes(prepared)) return prepared;
    const what = `${OF_SERVER} of Ingress ${cause.metadata.name} is for the host of this one, too.`;
    diagnostics.report({
      ...unsupportedRestriction(what, options),
      ...placeOf(ingress, "spec", "rules", closing?.rule ?? 0, "host"),
    });
    return {
      ...prepared,
      closedBy: prepared.closedBy ?? OF_SERVER,
      paths: paths.map((path) =>
        byHost.has(regexKey(ingress, path.host)) ? { closedBy: OF_SERVER, ...path } : path,
      ),
    };
  });
}
