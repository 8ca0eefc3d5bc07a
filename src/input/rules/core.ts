/** What an API server checks in Services, EndpointSlices, Secrets and ConfigMaps beyond their schemas, and what it fills in. */
import { isIP, isIPv4, isIPv6 } from "node:net";
import type { ConfigMap, EndpointSlice, Secret, Service } from "../../api/wire.js";
import type { FieldPath } from "../../diagnostics/diagnostic.js";
import { own } from "../../support/json-object.js";
import {
  type Reports,
  checkLabels,
  checkText,
  checkUnique,
  dataKeyProblem,
  invalid,
  labelProblem,
  missing,
  portNameProblem,
  qualifiedNameProblem,
  shown,
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
  yield* checkServicePorts(ports);
  yield* checkLabels(spec.selector ?? {}, ["spec", "selector"]);
  yield* checkAddresses(spec);
}

function* checkServicePorts(ports: NonNullable<ServiceSpec["ports"]>): Reports {
  const names = ports.map(({ name = "" }) => (name === "" ? undefined : name));
  yield* checkUnique(names, ["spec", "ports"], "port name", ["name"]);
  const numbers = new Set<string>();
  for (const [i, port] of ports.entries()) {
    const field = ["spec", "ports", i];
    const { name = "", protocol = "" } = port;
    if (name !== "") yield* checkText(name, labelProblem, [...field, "name"], "the port name");
    else if (ports.length > 1)
      yield missing([...field, "name"], "a Service with several ports needs a name for each");
    const number = `${port.port}/${protocol}`;
    if (numbers.has(number)) yield invalid([...field, "port"], `port ${number} stands twice`);
    numbers.add(number);
    yield* checkTargetPort(port.targetPort, [...field, "targetPort"]);
    yield* checkAppProtocol(port, field);
  }
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

/** A port's target is the port itself unless another is named. */
export function defaultService(service: Service): Service {
  const { spec } = service;
  if (spec?.ports?.every(({ targetPort }) => targetPort !== undefined) !== false) return service;
  const ports = spec.ports.map((port) => ({ targetPort: port.port, ...port }));
  return { ...service, spec: { ...spec, ports } };
}

/** Loopback addresses pass, though an API server refuses them: outside a cluster a backend is often on the same machine. */
export function* checkEndpointSlice(slice: EndpointSlice): Reports {
  for (const [i, endpoint] of slice.endpoints.entries()) {
    for (const [j, address] of endpoint.addresses.entries()) {
      const problem = addressProblem(slice.addressType, address);
      if (problem !== undefined)
        yield invalid(["endpoints", i, "addresses", j], `${shown(address)} ${problem}`);
    }
    if (endpoint.hostname === undefined) continue;
    const field = ["endpoints", i, "hostname"];
    yield* checkText(endpoint.hostname, labelProblem, field, "the host name");
  }
  yield* checkSlicePorts(slice.ports ?? []);
}

function* checkSlicePorts(ports: NonNullable<EndpointSlice["ports"]>): Reports {
  const names = ports.map(({ name = "" }) => name);
  yield* checkUnique(names, ["ports"], "port name", ["name"]);
  for (const [i, port] of ports.entries()) {
    const { name = "" } = port;
    if (name !== "") yield* checkText(name, labelProblem, ["ports", i, "name"], "the port name");
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

/** All values together, in bytes. */
const MAX_SIZE = 1024 * 1024;

/** Keys that a type of Secret must hold. */
const TYPE_KEYS: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
};

/** No message shows a value: it may be a password. */
export function* checkSecret(secret: Secret): Reports {
  const { data = {}, stringData = {} } = secret;
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    yield* checkKey(key, "data");
    if (Object.hasOwn(stringData, key)) continue;
    const bytes = base64Size(value);
    if (bytes === undefined) {
      yield invalid(
        ["data", key],
        `the value of ${shown(key)} is not base64`,
        "encode it with base64, or move it to stringData, which takes plain text",
      );
    }
    size += bytes ?? 0;
  }
  for (const [key, value] of Object.entries(stringData)) {
    yield* checkKey(key, "stringData");
    size += Buffer.byteLength(value);
  }
  yield* checkSize(size);
  yield* checkType(secret.type, new Set(Object.keys({ ...data, ...stringData })));
}

function* checkType(type = "", keys: ReadonlySet<string>): Reports {
  for (const key of own(TYPE_KEYS, type) ?? []) {
    if (!keys.has(key))
      yield missing(["data", key], `a Secret of type ${type} needs the key ${shown(key)}`);
  }
  if (type === "kubernetes.io/basic-auth" && !keys.has("username") && !keys.has("password")) {
    yield missing(["data"], `a Secret of type ${type} needs the key "username" or "password"`);
  }
}

export function* checkConfigMap(configMap: ConfigMap): Reports {
  const data = configMap.data ?? {};
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    yield* checkKey(key, "data");
    size += Buffer.byteLength(value);
  }
  for (const [key, value] of Object.entries(configMap.binaryData ?? {})) {
    yield* checkKey(key, "binaryData");
    if (Object.hasOwn(data, key))
      yield invalid(["binaryData", key], `the key ${shown(key)} stands in data too`);
    const bytes = base64Size(value);
    if (bytes === undefined)
      yield invalid(["binaryData", key], `the value of ${shown(key)} is not base64`);
    size += bytes ?? 0;
  }
  yield* checkSize(size);
}

function checkKey(key: string, field: string): Reports {
  return checkText(key, dataKeyProblem, [field, key], "the key");
}

function* checkSize(size: number): Reports {
  if (size > MAX_SIZE)
    yield invalid(["data"], `the values take ${size} bytes; at most ${MAX_SIZE} are allowed`);
}

/** Bytes that a standard base64 text stands for (RFC 4648, section 4; line breaks allowed), or undefined if it is none. */
function base64Size(text: string): number | undefined {
  const dense = text.replace(/[\r\n]/g, "");
  if (dense.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(dense)) return undefined;
  return Buffer.byteLength(dense, "base64");
}

/** Merges `stringData`, which wins, into `data`. */
export function defaultSecret(secret: Secret): Secret {
  const { stringData, data, ...rest } = secret;
  if (stringData === undefined && data !== undefined) return secret;
  const encoded = Object.entries(stringData ?? {}).map(([key, text]): [string, string] => [
    key,
    Buffer.from(text).toString("base64"),
  ]);
  // Not by assignment: a key may be `__proto__`.
  const merged = Object.fromEntries([...Object.entries(data ?? {}), ...encoded]);
  return { ...rest, data: merged };
}
