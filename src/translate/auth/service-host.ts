import type { RoutingResources } from "../../input/resources.js";
import type { ServicePortRef } from "../backends.js";
import { findPort } from "../backends.js";

/** What a host stands for: a Service that is known, a name that only a Service can have but none has, or any other host. */
export type HostMeaning =
  | { readonly kind: "service"; readonly service: ServicePortRef }
  | { readonly kind: "missing"; readonly service: ServicePortRef }
  | { readonly kind: "other" };

/**
 * Looks a host up as a pod in `namespace` would by its search domains: `svc` is a Service of that namespace, then `svc.ns`,
 * `svc.ns.svc` and `svc.ns.svc.<cluster domain>`. A Service counts when it has the port; one of type ExternalName has no
 * endpoints and stays a DNS name.
 */
export function meaningOfHost(
  resources: RoutingResources,
  host: string,
  port: number,
  from: { readonly namespace: string; readonly clusterDomain: string },
): HostMeaning {
  const named = serviceNamed(host, from);
  if (named === undefined) return { kind: "other" };
  const service = { namespace: named.namespace, name: named.name, port };
  const found = resources.get("Service", service.namespace, service.name);
  if (found?.spec?.type === "ExternalName") return { kind: "other" };
  if (found && findPort(found, port)) return { kind: "service", service };
  return found || named.qualified ? { kind: "missing", service } : { kind: "other" };
}

/** `qualified`: the name has `svc` in it, so it can't be meant for another host. */
function serviceNamed(
  host: string,
  from: { readonly namespace: string; readonly clusterDomain: string },
): { readonly name: string; readonly namespace: string; readonly qualified: boolean } | undefined {
  const suffix = `.${from.clusterDomain}`;
  const short = host.endsWith(`.svc${suffix}`) ? host.slice(0, -suffix.length) : host;
  const [name = "", namespace = from.namespace, svc, ...more] = short.split(".");
  if (more.length > 0 || (svc !== undefined && svc !== "svc")) return undefined;
  return { name, namespace, qualified: svc === "svc" };
}
