/**
 * What an API server checks in an EndpointSlice beyond its schema. Loopback addresses pass, though an API server
 * refuses them: outside a cluster a backend is often on the same machine.
 */
import { isIP, isIPv4, isIPv6 } from "node:net";
import type { EndpointSlice } from "../../api/core.js";
import { beforeDefaults } from "../defaults.js";
import { invalid, shown } from "../finding.js";
import type { Findings } from "../finding.js";
import { labelProblem, qualifiedNameProblem, subdomainProblem } from "./names.js";

export function* checkEndpointSlice(slice: EndpointSlice): Findings {
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

function* checkPorts(ports: NonNullable<EndpointSlice["ports"]>): Findings {
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
