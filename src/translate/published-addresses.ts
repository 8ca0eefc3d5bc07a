import type { Service } from "../api/wire.js";
import { canonicalAddress, isDnsName } from "../support/ip-address.js";
import type { TranslateContext } from "./context.js";

/** Addresses and names for statuses, as the options say. Undefined: the options name none, or the Service does not exist. */
export function publishedAddresses({
  resources,
  options,
  diagnostics,
}: TranslateContext): readonly string[] | undefined {
  const { publishService, publishAddress } = options;
  if (publishService === "") return publishAddress.length > 0 ? usable(publishAddress) : undefined;
  const [namespace = "", name = ""] = publishService.split("/");
  const service = resources.get("Service", namespace, name);
  if (service !== undefined) return usable(addressesOf(service));
  diagnostics.report({
    code: "PUBLISHED_SERVICE_NOT_FOUND",
    message: `there is no Service ${publishService}, whose addresses statuses are to have`,
  });
  return undefined;
}

/** Those that an API server takes in a status. */
function usable(addresses: readonly string[]): readonly string[] {
  const isUsable = (each: string) => canonicalAddress(each) !== undefined || isDnsName(each);
  return [...new Set(addresses)].filter(isUsable);
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
