/** What an API server checks in a Service or EndpointSlice beyond its schema, and what it fills in. */
import { isIP, isIPv4, isIPv6 } from "node:net";
import type { EndpointSlice, Service } from "../../api/wire.js";
import type { FieldPath } from "../../diagnostics/diagnostic.js";
import type { Reports } from "./reports.js";
import { invalid, missing, shown } from "./reports.js";
import {
  checkLabels,
  checkText,
  labelProblem,
  portNameProblem,
  qualifiedNameProblem,
  subdomainProblem,
} from "./names.js";

type ServiceSpec = NonNullable<Service["spec"]>;

export function* checkService(service: Service): Reports {
  const spec = service.spec ?? {};
  const ports = spec.ports ?? [];
  if (ports.length === 0 && spec.clusterIP !== "None" && spec.type !== "ExternalName") {
    yield missing(
      ["spec", "ports"],
      "a Service needs at least one port",
      'list its ports, or make it headless with clusterIP: "None"',
    );
  }
  const taken = new Set<string>();
  for (const [i, port] of ports.entries()) yield* checkPort(port, taken, ports.length, i);
  yield* checkLabels(spec.selector ?? {}, ["spec", "selector"]);
  yield* checkAddresses(spec);
}

/** `taken`: names and numbers of the ports before it, to which its own are added. */
function* checkPort(
  port: NonNullable<ServiceSpec["ports"]>[number],
  taken: Set<string>,
  count: number,
  i: number,
): Reports {
  const field = ["spec", "ports", i];
  const name = port.name ?? "";
  if (name === "" && count > 1) {
    yield missing([...field, "name"], "a Service with several ports needs a name for each");
  }
  if (name !== "") {
    yield* checkText(name, labelProblem, [...field, "name"], "the port name");
    if (taken.has(name)) {
      yield invalid([...field, "name"], `the port name ${shown(name)} stands twice`);
    }
    taken.add(name);
  }
  const protocol = port.protocol ?? "TCP";
  const number = `${port.port}/${protocol}`;
  if (taken.has(number)) yield invalid([...field, "port"], `port ${number} stands twice`);
  taken.add(number);
  yield* checkTargetPort(port.targetPort, [...field, "targetPort"]);
  yield* checkAppProtocol(port, field);
}

function* checkTargetPort(target: string | number | undefined, field: FieldPath): Reports {
  if (typeof target === "string") yield* checkText(target, portNameProblem, field, "the port name");
  else if (target !== undefined && (target < 1 || target > 65535)) {
    yield invalid(field, `targetPort must be a number from 1 to 65535, but is ${target}`);
  }
}

/** Of a port of a Service or an EndpointSlice. */
function* checkAppProtocol(
  { appProtocol }: { readonly appProtocol?: string },
  field: FieldPath,
): Reports {
  if (appProtocol === undefined) return;
  yield* checkText(appProtocol, qualifiedNameProblem, [...field, "appProtocol"], "the protocol");
}

function* checkAddresses(spec: ServiceSpec): Reports {
  if (spec.type === "ExternalName") {
    const name = (spec.externalName ?? "").replace(/\.$/, "");
    const field = ["spec", "externalName"];
    if (name === "") yield missing(field, "an ExternalName Service needs externalName");
    else yield* checkText(name, subdomainProblem, field, "the host name");
  }
  const clusterIP = spec.clusterIP ?? "";
  if (clusterIP !== "" && clusterIP !== "None" && isIP(clusterIP) === 0) {
    yield invalid(
      ["spec", "clusterIP"],
      `clusterIP must be empty, "None" or an IP address, but is ${shown(clusterIP)}`,
    );
  }
  for (const [i, address] of (spec.externalIPs ?? []).entries()) {
    if (isIP(address) === 0)
      yield invalid(["spec", "externalIPs", i], `${shown(address)} is not an IP address`);
  }
}

export function defaultService(service: Service): Service {
  const { spec } = service;
  const isFilled = spec?.ports?.every(
    ({ protocol, targetPort }) => protocol !== undefined && targetPort !== undefined,
  );
  if (spec?.ports === undefined || isFilled === true) return service;
  const ports = spec.ports.map((port) => ({
    ...port,
    protocol: port.protocol ?? "TCP",
    targetPort: port.targetPort ?? port.port,
  }));
  return { ...service, spec: { ...spec, ports } };
}

/**
 * What an API server checks in an EndpointSlice beyond its schema. Loopback addresses pass, though an API server
 * refuses them: outside a cluster a backend is often on the same machine.
 */

export function* checkEndpointSlice(slice: EndpointSlice): Reports {
  const { endpoints = [] } = beforeDefaults(slice);
  for (const [i, endpoint] of endpoints.entries()) {
    for (const [j, address] of endpoint.addresses.entries()) {
      const problem = addressProblem(slice.addressType, address);
      if (problem !== undefined)
        yield invalid(["endpoints", i, "addresses", j], `${shown(address)} ${problem}`);
    }
    if (endpoint.hostname === undefined) continue;
    const field = ["endpoints", i, "hostname"];
    yield* checkText(endpoint.hostname, labelProblem, field, "the host name");
  }
  yield* checkPorts(slice.ports ?? []);
}

function* checkPorts(ports: NonNullable<EndpointSlice["ports"]>): Reports {
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    const name = port.name ?? "";
    const field = ["ports", i, "name"];
    if (name !== "") yield* checkText(name, labelProblem, field, "the port name");
    if (names.has(name)) yield invalid(field, `the port name ${shown(name)} stands twice`);
    names.add(name);
    yield* checkAppProtocol(port, ["ports", i]);
  }
}

function addressProblem(addressType: string, address: string): string | undefined {
  if (addressType === "FQDN") {
    const problem = subdomainProblem(address);
    return problem === undefined ? undefined : `is no host name: it ${problem}`;
  }
  if (addressType === "IPv4" && !isIPv4(address))
    return `is no IPv4 address, as addressType says${inWords(address)}`;
  if (addressType === "IPv6" && !isIPv6(address))
    return `is no IPv6 address, as addressType says${inWords(address)}`;
  if (addressType === "IPv6" ? isUnroutableIPv6(address) : isUnroutableIPv4(address)) {
    return "can't be a backend: it is unspecified, link-local or multicast";
  }
  return undefined;
}

function inWords(address: string): string {
  const version = isIP(address);
  return version === 0 ? "" : `; it is an IPv${version} address`;
}

/** Unspecified, link-local, or link-local multicast. */
function isUnroutableIPv4(address: string): boolean {
  return address === "0.0.0.0" || address.startsWith("169.254.") || address.startsWith("224.0.0.");
}

/** The same; `address` is a valid IPv6 address in any of its spellings. */
function isUnroutableIPv6(address: string): boolean {
  if (/^[0:]*$/.test(address)) return true;
  const first = parseInt(address.slice(0, Math.max(address.indexOf(":"), 0)), 16);
  return (first & 0xffc0) === 0xfe80 || first === 0xff02;
}

/** The API's own types call `endpoints` required, yet a slice without any is valid. */
function beforeDefaults(slice: EndpointSlice): Partial<Pick<EndpointSlice, "endpoints">> {
  return slice;
}

export function defaultEndpointSlice(slice: EndpointSlice): EndpointSlice {
  const { endpoints } = beforeDefaults(slice);
  const isFilled = slice.ports?.every(
    ({ name, protocol }) => name !== undefined && protocol !== undefined,
  );
  if (endpoints !== undefined && isFilled !== false) return slice;
  const ports = slice.ports?.map((port) => ({
    ...port,
    name: port.name ?? "",
    protocol: port.protocol ?? "TCP",
  }));
  return { ...slice, endpoints: endpoints ?? [], ...(ports === undefined ? {} : { ports }) };
}
