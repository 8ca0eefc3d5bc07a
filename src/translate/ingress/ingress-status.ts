import type { KubernetesObject, Service } from "../../api/wire.js";
import type { ObjectStatus } from "../../status/object-status.js";
import { canonicalAddress, isDnsName } from "../../support/ip-address.js";
import type { TranslateContext } from "../context.js";

/**
 * Where each Ingress that is served is reached, as the options say: the addresses of a Service, or given ones (Kubernetes,
 * IngressStatus.loadBalancer). Without either option Ingresses have no status of ours.
 */
export function ingressStatuses(
  served: readonly { readonly object: KubernetesObject }[],
  context: TranslateContext,
): readonly ObjectStatus[] {
  const addresses = publishedAddresses(context);
  if (addresses === undefined) return [];
  const entries = [...new Set(addresses)].flatMap(entryOf);
  const status = { loadBalancer: entries.length === 0 ? {} : { ingress: entries } };
  const text = JSON.stringify(status);
  return served.map(({ object }) => {
    const known = STATUSES.get(object);
    if (known?.text === text) return known.status;
    const { apiVersion, kind, metadata } = object;
    const { name, namespace } = metadata;
    const made = { text, status: { apiVersion, kind, metadata: { name, namespace }, status } };
    STATUSES.set(object, made);
    return made.status;
  });
}

/** Of thousands of Ingresses few are new. */
const STATUSES = new WeakMap<
  KubernetesObject,
  { readonly text: string; readonly status: ObjectStatus }
>();

/** None for what an API server would not take. */
function entryOf(address: string): readonly Record<string, string>[] {
  if (canonicalAddress(address) !== undefined) return [{ ip: address }];
  return isDnsName(address) ? [{ hostname: address }] : [];
}

/** Undefined: none are to be published, or they are not known. */
function publishedAddresses({
  resources,
  options,
  diagnostics,
}: TranslateContext): readonly string[] | undefined {
  const { publishService, publishAddress } = options;
  if (publishService === "") return publishAddress.length > 0 ? publishAddress : undefined;
  const [namespace = "", name = ""] = publishService.split("/");
  const service = resources.get("Service", namespace, name);
  if (service !== undefined) return addressesOf(service);
  diagnostics.report({
    code: "PUBLISHED_SERVICE_NOT_FOUND",
    message: `there is no Service ${publishService}, whose addresses Ingresses are to name`,
  });
  return undefined;
}

/** Where a Service is reached from outside, as far as its type says. */
function addressesOf(service: Service): readonly string[] {
  const { type, externalName, externalIPs = [] } = service.spec ?? {};
  if (type === "ExternalName") return [externalName ?? ""];
  if (type === "LoadBalancer") return [...balancerAddresses(service), ...externalIPs];
  return externalIPs.length > 0 ? externalIPs : clusterAddress(service);
}

function balancerAddresses({ status }: Service): readonly string[] {
  const given = status?.loadBalancer?.ingress ?? [];
  return given.flatMap(({ ip, hostname }) => ip ?? hostname ?? []);
}

/** The cluster's own, where nothing else is known. */
function clusterAddress({ spec }: Service): readonly string[] {
  return spec?.clusterIP === undefined || spec.clusterIP === "None" ? [] : [spec.clusterIP];
}
