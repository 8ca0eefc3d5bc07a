import type { Ingress } from "../../api/core.js";
import { hostKey } from "../../ir/host-pattern.js";
import type { BuildContext } from "../build-context.js";
import type { AnnotationLookup } from "./annotation-lookup.js";
import type { Annotation } from "./annotation.js";
import { REWRITE_TARGET, USE_REGEX } from "./annotations/routing-table.js";
import { ingressPaths } from "./ingress-paths.js";

/**
 * Hosts in regex mode: use-regex or a rewrite-target on one Ingress makes patterns of all paths of its hosts, in other Ingresses
 * too (ingress-nginx, "use-regex"). With the Ingresses that make them so, oldest first.
 */
export function regexHosts(
  ingresses: readonly Ingress[],
  context: BuildContext,
): ReadonlyMap<string, readonly Ingress[]> {
  const hosts = new Map<string, Ingress[]>();
  for (const ingress of ingresses) {
    for (const { host, path, lookup } of ingressPaths(ingress, context)) {
      const target = value(lookup, REWRITE_TARGET);
      const isPattern = value(lookup, USE_REGEX) === true || (target ?? path) !== path;
      if (isPattern) add(hosts, hostKey(host), ingress);
    }
  }
  return hosts;
}

function add(hosts: Map<string, Ingress[]>, key: string, ingress: Ingress): void {
  const causes = hosts.get(key);
  if (causes === undefined) hosts.set(key, [ingress]);
  else if (!causes.includes(ingress)) causes.push(ingress);
}

/** Malformed values are reported where the path is translated. */
function value<T>(
  lookup: AnnotationLookup,
  { name, prefixes, type }: Annotation<T>,
): T | undefined {
  const text = lookup.get(name, prefixes)?.value.trim() ?? "";
  const result = text === "" ? undefined : type.parse(text);
  return result?.ok === true ? result.value : undefined;
}
