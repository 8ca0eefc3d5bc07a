import { isIP } from "node:net";
import type { EndpointSlice, Service } from "../api/wire.js";
import type { Endpoint } from "../model/upstream.js";
import { addressBytes, cidrContains } from "../support/ip-address.js";
import { compareBy, compareStrings, memoized } from "../support/collections.js";

type ServicePort = NonNullable<NonNullable<Service["spec"]>["ports"]>[number];
type SliceEndpoint = EndpointSlice["endpoints"][number];

/** Where albc itself answers those who watch over it, `ADDRESS:PORT`; empty: nowhere. */
export type HealthAddress = string;

/**
 * Whether a connection to the endpoint would reach albc's own health address: from nginx, which is on the same machine, loopback
 * addresses do that, and so does the unspecified address.
 */
export function isOwnPort([address, port]: Endpoint, health: HealthAddress): boolean {
  const [, host = "", number] = /^\[?(.*?)\]?:(\d+)$/.exec(health) ?? [];
  if (number === undefined || port !== Number(number)) return false;
  const isHere = ["127.0.0.0/8", "::1/128", "0.0.0.0/8", "::/128"].some((range) =>
    cidrContains(range, address),
  );
  return isHere || addressBytes(address) === addressBytes(host);
}

/**
 * The addresses behind one port of a Service: the ready ones, or those that still serve while they terminate when none is ready.
 * Slices are joined to the Service's port by the port's name, as kube-proxy does, so named and numeric target ports need no care.
 */
export function serviceEndpoints(
  slices: readonly EndpointSlice[],
  port: ServicePort,
): readonly Endpoint[] {
  const ready = endpointsWhere(slices, port, isReady);
  return ready.length > 0 ? ready : endpointsWhere(slices, port, isServingTerminating);
}

function endpointsWhere(
  slices: readonly EndpointSlice[],
  port: ServicePort,
  accept: (endpoint: SliceEndpoint) => boolean,
): readonly Endpoint[] {
  const found = new Map<string, Endpoint>();
  for (const slice of slices) {
    const number = portNumber(slice, port);
    if (number === undefined) continue;
    for (const endpoint of slice.endpoints) {
      if (!accept(endpoint)) continue;
      // All addresses of an endpoint reach the same pod, and clients may use the first only (discovery.k8s.io/v1, Endpoint.addresses).
      // The addresses of an FQDN slice are names, which get no connections.
      const [address = ""] = endpoint.addresses;
      if (isIP(address) !== 0) {
        found.set(`${address} ${String(number)}`, [address, number]);
      }
    }
  }
  return [...found.values()].sort(byAddressAndPort);
}

function portNumber(slice: EndpointSlice, port: ServicePort): number | undefined {
  const entry = slicePorts(slice).get(portKey(port));
  if (entry === undefined) return undefined;
  // A port without a number stands for every port: then the Service's target port says which.
  return entry.port ?? (typeof port.targetPort === "number" ? port.targetPort : port.port);
}

const portKey = ({ name = "", protocol = "TCP" }: Pick<ServicePort, "name" | "protocol">): string =>
  `${protocol} ${name}`;

/** A slice may have thousands of ports, and so may a Service. */
const slicePorts = memoized(
  ({ ports }: EndpointSlice) =>
    new Map([...(ports ?? [])].reverse().map((each) => [portKey(each), each])),
);

/** An unknown condition counts as ready (EndpointConditions, discovery.k8s.io/v1). */
function isReady({ conditions }: SliceEndpoint): boolean {
  return conditions?.ready ?? true;
}

function isServingTerminating({ conditions }: SliceEndpoint): boolean {
  return conditions?.serving === true && conditions.terminating === true;
}

const byAddressAndPort = compareBy<Endpoint>(
  ([a], [b]) => compareStrings(a, b),
  ([, a], [, b]) => a - b,
);
