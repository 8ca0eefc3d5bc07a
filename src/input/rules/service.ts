/** What an API server checks in a Service beyond its schema. */
import { isIP } from "node:net";
import type { Service } from "../../api/core.js";
import { invalid, missing, shown } from "../finding.js";
import type { Findings } from "../finding.js";
import { checkLabels } from "./metadata.js";
import { labelProblem, portNameProblem, qualifiedNameProblem, subdomainProblem } from "./names.js";

type Spec = NonNullable<Service["spec"]>;
type Port = NonNullable<Spec["ports"]>[number];

export function* checkService(service: Service): Findings {
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
function* checkPort(port: Port, taken: Set<string>, count: number, i: number): Findings {
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
): Findings {
  if (typeof target === "number" && (target < 1 || target > 65535)) {
    yield invalid(field, `targetPort must be a number from 1 to 65535, but is ${target}`);
  }
  if (typeof target === "string") {
    const problem = portNameProblem(target);
    if (problem !== undefined) yield invalid(field, `the port name ${shown(target)} ${problem}`);
  }
}

function* checkAddresses(spec: Spec): Findings {
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
