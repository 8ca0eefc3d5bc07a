/** What an API server checks in a Service beyond its schema. */
import { isIP, isIPv4, isIPv6 } from "node:net";
import type { EndpointSlice, Service } from "../../api/wire.js";
import type { Reports } from "./reports.js";
import { invalid, missing, shown } from "./reports.js";
import {
  checkLabels,
  labelProblem,
  portNameProblem,
  qualifiedNameProblem,
  subdomainProblem,
} from "./names.js";

type Spec = NonNullable<Service["spec"]>;
type Port = NonNullable<Spec["ports"]>[number];

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
function* checkPort(port: Port, taken: Set<string>, count: number, i: number): Reports {
  const field = ["spec", "ports", i];
  const name = port.name ?? "";
  if (name === "" && count > 1) {
    yield missing([...field, "name"], "a Service with several ports needs a name for each");
  }
  if (name !== "") {
    const problem = labelProblem(name);
    if (problem !== undefined)
      yield invalid([...field, "name"], `the port name ${shown(name)} ${problem}`);
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
  const problem =
    port.appProtocol === undefined ? undefined : qualifiedNameProblem(port.appProtocol);
  if (problem !== undefined) {
    yield invalid([...field, "appProtocol"], `the protocol ${shown(port.appProtocol)} ${problem}`);
  }
}

function* checkTargetPort(
  target: Port["targetPort"],
  field: readonly (string | number)[],
): Reports {
  if (typeof target === "number" && (target < 1 || target > 65535)) {
    yield invalid(field, `targetPort must be a number from 1 to 65535, but is ${target}`);
  }
  if (typeof target === "string") {
    const problem = portNameProblem(target);
    if (problem !== undefined) yield invalid(field, `the port name ${shown(target)} ${problem}`);
  }
}

function* checkAddresses(spec: Spec): Reports {
  if (spec.type === "ExternalName") {
    const name = (spec.externalName ?? "").replace(/\.$/, "");
    const problem = subdomainProblem(name);
    if (name === "")
      yield missing(["spec", "externalName"], "an ExternalName Service needs externalName");
    else if (problem !== undefined) {
      yield invalid(["spec", "externalName"], `the host name ${shown(name)} ${problem}`);
    }
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
    const problem = endpoint.hostname === undefined ? undefined : labelProblem(endpoint.hostname);
    if (problem !== undefined) {
      yield invalid(
        ["endpoints", i, "hostname"],
        `the host name ${shown(endpoint.hostname)} ${problem}`,
      );
    }
  }
  yield* checkPorts(slice.ports ?? []);
}

function* checkPorts(ports: NonNullable<EndpointSlice["ports"]>): Reports {
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    const name = port.name ?? "";
    const problem = name === "" ? undefined : labelProblem(name);
    if (problem !== undefined)
      yield invalid(["ports", i, "name"], `the port name ${shown(name)} ${problem}`);
    if (names.has(name))
      yield invalid(["ports", i, "name"], `the port name ${shown(name)} stands twice`);
    names.add(name);
    const protocol =
      port.appProtocol === undefined ? undefined : qualifiedNameProblem(port.appProtocol);
    if (protocol !== undefined) {
      yield invalid(
        ["ports", i, "appProtocol"],
        `the protocol ${shown(port.appProtocol)} ${protocol}`,
      );
    }
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
export function beforeDefaults(slice: EndpointSlice): Partial<Pick<EndpointSlice, "endpoints">> {
  return slice;
}
