import type { Ingress } from "../../api/core.js";
import type { HostPattern } from "../../model/host-pattern.js";
import { hostKey } from "../../model/host-pattern.js";
import { getOrInsert } from "../../support/group-by.js";
import { AnnotationReader } from "./annotation-reader.js";
import { REWRITE_TARGET, USE_REGEX } from "./annotations/routing-table.js";
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
