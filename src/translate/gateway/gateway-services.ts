/**
 * Makes a Service for each Gateway: it gives the Gateway a name in the cluster and carries the labels and annotations of
 * spec.infrastructure (Gateway API, GatewayInfrastructure). It has no selector; its endpoints are the Gateway's own addresses.
 */
import { createHash } from "node:crypto";
import { isIP } from "node:net";
import type { Gateway } from "../../api/gateway.js";
import type { OwnedObject } from "../../status/object-status.js";
import type { Domains } from "../../model/options.js";
import type { TranslateContext } from "../context.js";
import { compareBy, compareStrings } from "../../support/collections.js";
import { resourceRef } from "../place.js";
import type { TranslatedGateway } from "./model.js";
import { own } from "../../support/json-object.js";

const GATEWAY_NAME = "gateway.networking.k8s.io/gateway-name";
const GATEWAY_CLASS = "gateway.networking.k8s.io/gateway-class-name";
const SERVICE_NAME = "kubernetes.io/service-name";
const SLICE_MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
const ALBC = "albc";

/** Characters of a label's value and of a Service's name. */
const LONGEST = 63;
const DIGEST = 8;

/**
 * The objects of accepted Gateways, in their order. A Gateway that is not accepted keeps its Service if that remembers addresses: a
 * mistake in the ConfigMap of a class must not change the addresses of all its Gateways.
 */
export function gatewayServices(
  gateways: readonly TranslatedGateway[],
  context: TranslateContext,
): readonly OwnedObject[] {
  const { domains } = context.options;
  return gateways.flatMap((translated) => {
    const { gateway, verdicts } = translated;
    if (verdicts.accepted.ok) return objectsOf(translated, domains);
    const addresses = rememberedAddresses(gateway, context);
    return addresses.length === 0 ? [] : [serviceOf({ gateway, addresses }, [], domains)];
  });
}

/**
 * The addresses that the Gateway's Service remembers. Like its status, they tell a restarted controller which addresses the Gateway had.
 * Endpoints can't: routing is translated without them.
 */
export function rememberedAddresses(
  { metadata: { namespace, name } }: Gateway,
  { resources, options }: TranslateContext,
): readonly string[] {
  const service = resources.get("Service", namespace, serviceName(name));
  const text = own(service?.metadata.annotations, addressesKey(options.domains));
  return text === undefined || text === "" ? [] : text.split(",");
}

function addressesKey(domains: Domains): string {
  return `${domains.annotations}/gateway-addresses`;
}

function objectsOf(translated: TranslatedGateway, domains: Domains): readonly OwnedObject[] {
  const ports = portsOf(translated);
  const service = serviceOf(translated, ports, domains);
  const slices = ([4, 6] as const).flatMap((version) => {
    const addresses = translated.addresses.filter((address) => isIP(address) === version);
    return addresses.length === 0 ? [] : sliceOf(service, `IPv${version}`, addresses, ports);
  });
  return [service, ...slices];
}

interface ServicePort {
  readonly name: string;
  readonly port: number;
  readonly protocol: "TCP" | "UDP";
}

/** The ports that are served. */
function portsOf({ listeners }: TranslatedGateway): readonly ServicePort[] {
  const served = listeners.filter(({ serves }) => serves !== undefined);
  const ports = served.map(({ port, stream }) => servicePort(port, stream === "udp"));
  return [...new Map(ports.map((port) => [port.name, port])).values()].sort(
    compareBy(
      (a, b) => a.port - b.port,
      (a, b) => compareStrings(a.protocol, b.protocol),
    ),
  );
}

function servicePort(port: number, isUdp: boolean): ServicePort {
  const name = `p${String(port)}`;
  return isUdp ? { name: `${name}-udp`, port, protocol: "UDP" } : { name, port, protocol: "TCP" };
}

function serviceOf(
  { gateway, addresses }: Pick<TranslatedGateway, "gateway" | "addresses">,
  ports: readonly ServicePort[],
  domains: Domains,
): OwnedObject {
  const memory = { [addressesKey(domains)]: addresses.join(",") };
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: serviceName(gateway.metadata.name),
      namespace: gateway.metadata.namespace,
      labels: { ...gateway.spec.infrastructure?.labels, ...ownLabels(gateway) },
      annotations: {
        ...gateway.spec.infrastructure?.annotations,
        ...(addresses.length > 0 && memory),
      },
    },
    owner: resourceRef(gateway),
    fields: { spec: { clusterIP: "None", ports } },
    skeleton: { spec: { clusterIP: "None" } },
  };
}

function sliceOf(
  { kind, metadata: { name, namespace, labels }, owner }: OwnedObject,
  addressType: "IPv4" | "IPv6",
  addresses: readonly string[],
  ports: readonly ServicePort[],
): OwnedObject {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${name}-${addressType.toLowerCase()}`,
      namespace,
      labels: { ...labels, [SERVICE_NAME]: name, [SLICE_MANAGED_BY]: ALBC },
      annotations: {},
    },
    owner,
    fields: {
      addressType,
      endpoints: addresses.map((address) => ({
        addresses: [address],
        conditions: { ready: true },
      })),
      ports,
    },
    skeleton: { addressType, endpoints: [] },
    // Endpoints for a Service of another owner would get that Service's requests.
    requires: { kind, name },
  };
}

function ownLabels({ metadata, spec }: Gateway): Readonly<Record<string, string>> {
  return {
    [GATEWAY_NAME]: shortened(metadata.name),
    [GATEWAY_CLASS]: shortened(spec.gatewayClassName),
  };
}

/** A Service's name begins with a letter and has no dots. */
function serviceName(gateway: string): string {
  const wanted = `${gateway}-${ALBC}`;
  const usable = wanted.replaceAll(".", "-").replace(/^(?=[^a-z])/, "g-");
  return usable === wanted ? shortened(wanted) : shortened(`${usable}-${digest(gateway)}`);
}

/** The text; if it is too long, a digest replaces its end. */
function shortened(text: string): string {
  if (text.length <= LONGEST) return text;
  return `${text.slice(0, LONGEST - DIGEST - 1).replace(/[-.]+$/, "")}-${digest(text)}`;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, DIGEST);
}
