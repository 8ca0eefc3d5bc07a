/**
 * Reads what can be read of a refused object: its hosts, paths, ports and parents. The result is an object of its kind, marked `closed`:
 * it takes the requests that it was meant for and answers them with 503. What can't be read never narrows it (see Closed.extent).
 */
import { createHash } from "node:crypto";
import type { KindMap, KindName } from "../api/kinds.js";
import type { Closed } from "../api/wire.js";
import {
  type JsonObject,
  fieldsOf,
  filled,
  isObject,
  own,
  present,
} from "../support/json-object.js";
import { DEFAULT_INPUT_OPTIONS, type KindDefinition, kindTable } from "./kind-table.js";
import { valuesOf } from "./fail-closed.js";
import {
  Reading,
  portField,
  readAlb,
  readFrontend,
  readRule,
  textFields,
  textsOf,
} from "./reading.js";
import { labelProblem, subdomainProblem } from "./rules/names.js";

/** The schemas of the kinds do not depend on the group. */
const TABLE = kindTable(DEFAULT_INPUT_OPTIONS.albGroup);

const INTERNAL = "internal error";

/**
 * The closed form of an object: its readable parts, as an object of its kind. Undefined: there is nothing to close. `what`: see Closed.
 * `isWhole`: no field is out of place.
 */
export function closedForm<K extends KindName>(
  kind: K,
  object: object,
  what = INTERNAL,
  isWhole = true,
): KindMap[K] | undefined {
  const definition: KindDefinition<KindMap[K]> = TABLE[kind];
  const read = salvaged(kind, { ...object }, isWhole);
  const checked = read && definition.validate(read.value);
  // Leaving out everything that is not read exactly may give a valid object.
  if (checked?.valid === false && isWhole) return closedForm(kind, object, what, false);
  if (checked?.valid !== true) return undefined;
  return { ...checked.value, closed: { what, extent: read?.extent ?? "namespace" } };
}

type Reader = (spec: JsonObject, reading: Reading) => JsonObject | undefined;

/** Undefined: the kind serves no requests, or nothing of the object can be read. */
function salvaged(
  kind: KindName,
  value: JsonObject,
  isWhole: boolean,
): { readonly value: JsonObject; readonly extent: Closed["extent"] } | undefined {
  const reader = READERS.get(kind);
  const reading = new Reading(value);
  if (!isWhole) reading.losePath();
  if (!isObject(own(value, "spec"))) reading.loseHost();
  // Filters name AuthPolicies, so one without a name may be any policy of its namespace.
  const isNamed = typeof fieldsOf(own(value, "metadata"))["name"] === "string";
  if (kind === "AuthPolicy" && !isNamed) return undefined;
  const spec = reader?.(reading.fields(own(value, "spec")), reading);
  if (spec === undefined) return undefined;
  const { apiVersion } = value;
  const metadata = readMetadata(value, fieldsOf(value["metadata"]));
  if (kind === "Ingress" && losesAlias(value, metadata)) reading.loseHost();
  return { value: { apiVersion, kind, metadata, spec }, extent: reading.extent };
}

/** Whether an Ingress may have alias hosts that were not read. */
function losesAlias(value: JsonObject, { annotations, labels }: JsonObject): boolean {
  const written = fieldsOf(value["metadata"])["annotations"] ?? {};
  const isAlias = (name: string): boolean => name.includes("server-alias");
  const read = valuesOf([annotations, labels], isAlias);
  return !isObject(written) || valuesOf(value, isAlias).length > read.length;
}

/** Routes of streams and policies keep what they are for, and translation serves none of it. */
const MARKED: ReadonlySet<KindName> = new Set([
  "TLSRoute",
  "TCPRoute",
  "UDPRoute",
  "BackendTLSPolicy",
]);

/** The closed form of an object that was read, to use in its place; undefined: its kind has none. */
export function closedObject<K extends KindName>(
  kind: K,
  object: KindMap[K],
  what?: string,
): KindMap[K] | undefined {
  if (!MARKED.has(kind)) return closedForm(kind, object, what);
  return { ...object, closed: { what: what ?? INTERNAL, extent: "paths" } };
}

/** Whether a refused object of the kind can be closed: its kind takes requests. */
export function isClosable(kind: KindName): boolean {
  return READERS.has(kind);
}

const READERS: ReadonlyMap<KindName, Reader> = new Map<KindName, Reader>([
  ["ALB2", readAlb],
  ["Frontend", readFrontend],
  ["Rule", readRule],
  ["Ingress", readIngress],
  ["Gateway", readListeners],
  ["ListenerSet", readListeners],
  ["HTTPRoute", readRoute],
  ["GRPCRoute", readRoute],
  ["AuthPolicy", readPolicy],
]);

function readMetadata(object: JsonObject, metadata: JsonObject): JsonObject {
  const { name, generation } = metadata;
  const { labels = object["labels"], annotations = object["annotations"] } = metadata;
  const strayNamespace = object["namespace"] ?? fieldsOf(labels)["namespace"];
  const { namespace = strayNamespace } = metadata;
  const digest = (): string =>
    createHash("sha256").update(JSON.stringify(object)).digest("hex").slice(0, 10);
  const isNamed = typeof name === "string" && subdomainProblem(name) === undefined;
  const isPlaced = typeof namespace === "string" && labelProblem(namespace) === undefined;
  const strayLabels = Object.keys(metadata).filter((key) => key.includes("/"));
  return {
    name: isNamed ? name : `unnamed-${digest()}`,
    namespace: isPlaced ? namespace : "default",
    ...textFields(metadata, ["creationTimestamp", "uid"]),
    ...(typeof generation === "number" && { generation }),
    labels: { ...textFields(metadata, strayLabels), ...textFields(labels) },
    annotations: textFields(annotations),
  };
}

const PATH_TYPES: readonly unknown[] = ["Exact", "Prefix", "ImplementationSpecific"];

function readIngress(spec: JsonObject, reading: Reading): JsonObject {
  const { rules, defaultBackend, tls } = spec;
  if (!Array.isArray(rules) && (rules !== undefined || !isObject(defaultBackend))) {
    reading.loseHost();
  }
  const read = reading.items(rules).flatMap((rule) => {
    const { host, http } = fieldsOf(rule);
    if (!isObject(rule)) reading.loseHost();
    const hosts = reading.hosts(host, ["host", "hosts"]);
    const paths = http === undefined ? [] : readPaths(reading.fields(http), reading);
    const named = hosts.length === 0 ? [undefined] : hosts;
    return named.map((name) => ({
      ...(name !== undefined && { host: name }),
      ...(paths.length > 0 && { http: { paths } }),
    }));
  });
  const whole = { path: "/", pathType: "Prefix", backend: {} };
  const closing = reading.extent === "paths" ? [] : [whole];
  const withAll = read.map(({ http, ...rule }) => {
    const paths = [...(http?.paths ?? []), ...closing];
    return paths.length === 0 ? rule : { ...rule, http: { paths } };
  });
  const hasDefault = isObject(defaultBackend) || reading.extent !== "paths";
  return {
    rules: withAll,
    ...(hasDefault && { defaultBackend: {} }),
    ...textFields(spec, ["ingressClassName"]),
    tls: reading.extent === "paths" ? readTls(tls) : [],
  };
}

interface ReadPath extends JsonObject {
  readonly path: string;
  readonly pathType: unknown;
}

/** A path without a type may be exact or a prefix; one with special characters may also be a pattern, which is lost. */
function readPaths({ paths }: JsonObject, reading: Reading): readonly ReadPath[] {
  const items = reading.items(paths);
  if (items.length === 0) reading.losePath();
  return items.flatMap((item) => {
    const { path, pathType } = reading.fields(item);
    const isAbsent = path === undefined && pathType === "ImplementationSpecific";
    const text = isAbsent ? "/" : path;
    const isKnown = PATH_TYPES.includes(pathType);
    if (typeof text !== "string" || !text.startsWith("/") || (!isKnown && /[^\w/.~-]/.test(text))) {
      reading.losePath();
      return [];
    }
    const types = isKnown ? [pathType] : ["Exact", "Prefix"];
    return types.map((type) => ({ path: text, pathType: type, backend: {} }));
  });
}

function readTls(tls: unknown): readonly JsonObject[] {
  const entries: readonly unknown[] = Array.isArray(tls) ? tls : [];
  return entries
    .filter(isObject)
    .map((entry) => ({ hosts: textsOf(entry["hosts"]), ...textFields(entry, ["secretName"]) }));
}

/** Leaves out listeners that pass on connections: nothing can be answered there. */
function readListeners(spec: JsonObject, reading: Reading): JsonObject | undefined {
  const listeners = reading.items(own(spec, "listeners")).flatMap((item) => {
    const { name, port, protocol, hostname, tls } = fieldsOf(item);
    const read = portField("port", port, 1);
    const takesRequests = protocol === "HTTP" || protocol === "HTTPS";
    if (typeof name !== "string" || !takesRequests || read === undefined) return [];
    const [host] = reading.hosts(hostname, []);
    return [
      { name, protocol, ...read, ...present("hostname", host), ...(isObject(tls) && { tls }) },
    ];
  });
  const { gatewayClassName, parentRef, addresses } = spec;
  return listeners.length === 0
    ? undefined
    : { listeners, ...(isObject(parentRef) ? { parentRef } : { gatewayClassName, addresses }) };
}

/** HTTPRoute and GRPCRoute. */
function readRoute(spec: JsonObject, reading: Reading): JsonObject {
  const { hostnames, parentRefs, rules } = spec;
  const hosts = reading.hosts(hostnames, ["hostnames", "hostname", "host"]);
  const parents = reading.items(parentRefs).map((parent) => readParent(parent, reading));
  const isLost = parentRefs === undefined && reading.extent !== "paths";
  if (isLost || parentRefs === null) reading.loseHost();
  // Once a path is lost, the hosts are closed as a whole.
  const isBare = reading.extent !== "paths";
  const read = isBare ? [] : reading.items(rules).map((rule) => readRouteRule(rule, reading));
  const isWide = reading.extent !== "paths";
  return {
    ...(hosts.length > 0 && { hostnames: hosts }),
    parentRefs: parents.filter((parent) => parent !== undefined),
    rules: isWide || rules === undefined ? [...read, {}] : read,
  };
}

/** Fields that can't be read are left out, so the parent is every listener that the rest selects. */
function readParent(parent: unknown, reading: Reading): JsonObject | undefined {
  const { name, group, kind, namespace, port } = fieldsOf(parent);
  const isUnclear = [group, kind, namespace].some(
    (text) => text !== undefined && text !== null && typeof text !== "string",
  );
  if (typeof name !== "string" || isUnclear) {
    reading.loseHost();
    return undefined;
  }
  const texts = textFields(parent, ["name", "group", "kind", "namespace", "sectionName"]);
  return { ...texts, ...portField("port", port, 1) };
}

function readRouteRule(rule: unknown, reading: Reading): JsonObject {
  const fields = reading.fields(rule);
  const matches = reading.items(fields["matches"]).map((match) => readMatch(match, reading));
  return { ...textFields(fields, ["name"]), ...filled("matches", matches) };
}

function readMatch(match: unknown, reading: Reading): JsonObject {
  const { path, method, headers, queryParams } = reading.fields(match);
  const readMethod = isObject(method) ? readTextsOf : readText;
  return {
    ...present("path", readPath(path, reading)),
    ...present("method", readMethod(method, reading)),
    ...present("headers", readList(headers, reading)),
    ...present("queryParams", readList(queryParams, reading)),
  };
}

/** A path with one of these matches no request, because the paths of requests are normalised. */
const NEVER_IN_PATHS = /^[^/]|\/\/|\/\.\.?(?:\/|$)|%2f|#/i;

function readPath(path: unknown, reading: Reading): JsonObject | undefined {
  if (path === undefined) return undefined;
  const read = readTextsOf(path, reading);
  const isPattern = own(read, "type") === "RegularExpression";
  const value = own(read, "value");
  if (!isPattern && typeof value === "string" && NEVER_IN_PATHS.test(value)) reading.losePath();
  return read;
}

function readList(values: unknown, reading: Reading): readonly unknown[] | undefined {
  if (values === undefined) return undefined;
  return reading.items(values).flatMap((value) => {
    const read = readTextsOf(value, reading);
    if (typeof own(read, "name") === "string" && typeof own(read, "value") === "string")
      return [read];
    reading.losePath();
    return [];
  });
}

function readTextsOf(value: unknown, reading: Reading): JsonObject {
  const entries = Object.entries(reading.fields(value)).map(
    ([name, text]) => [name, readText(text, reading)] as const,
  );
  return Object.fromEntries(entries.filter(([, text]) => text !== undefined));
}

function readText(value: unknown, reading: Reading): string | undefined {
  if (typeof value === "string" || value === undefined) return value;
  reading.losePath();
  return undefined;
}

/** A broken policy closes its targets; if they are unclear, it is refused and closes its whole namespace (Resources.refused). */
function readPolicy({ targetRefs }: JsonObject, reading: Reading): JsonObject | undefined {
  if (targetRefs === null) return undefined;
  const targets = reading.items(targetRefs).map((target) => {
    const { group, kind, name, sectionName } = fieldsOf(target);
    const isRead = [group, kind, name, sectionName ?? ""].every((text) => typeof text === "string");
    if (!isRead) reading.losePath();
    return { group, kind, name, ...(sectionName !== undefined && { sectionName }) };
  });
  if (reading.extent !== "paths") return undefined;
  return { targetRefs: targets, invalid: "it can't be read" };
}
