/**
 * What can be read of an object that is refused: its hosts, paths, ports, parents. It becomes an object of its kind that is marked
 * `closed`, so it takes the requests that it was for, and they answer 503. What can't be read never narrows it (see Closed.extent).
 */
import { createHash } from "node:crypto";
import type { KindMap, KindName } from "../api/kinds.js";
import type { Closed } from "../api/wire.js";
import type { JsonObject } from "../support/json-object.js";
import { isObject, isTexts, own } from "../support/json-object.js";
import type { KindDefinition } from "./kind-table.js";
import { DEFAULT_INPUT_OPTIONS, kindTable } from "./kind-table.js";
import { fieldsOf, isScalar, portField, Reading, textsOf } from "./reading.js";
import { holdsTerms, valuesOf } from "./misspelt-fields.js";
import { labelProblem, subdomainProblem } from "./rules/names.js";
import { termsOfTexts } from "./rule-text.js";
import { readRoute } from "./salvage-route.js";

/** The shapes of kinds do not depend on the group. */
const TABLE = kindTable(DEFAULT_INPUT_OPTIONS.albGroup);

/**
 * The closed form of an object: its readable parts, in the shape of its kind. Undefined: there is nothing that could be closed.
 * `what`: see Closed. `isWhole`: no field is out of place.
 */
export function closedForm<K extends KindName>(
  kind: K,
  object: object,
  what = "internal error",
  isWhole = true,
): KindMap[K] | undefined {
  const definition: KindDefinition<KindMap[K]> = TABLE[kind];
  const read = salvaged(kind, { ...object }, isWhole);
  const checked = read && definition.validate(read.value);
  // Without the parts that can't be read exactly there is less that could be wrong.
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
  // Filters name policies: one whose name is lost may be any of its namespace.
  const isNamed = typeof fieldsOf(own(value, "metadata"))["name"] === "string";
  if (kind === "AuthPolicy" && !isNamed) return undefined;
  const spec = reader?.(reading.fields(own(value, "spec")), reading);
  if (spec === undefined) return undefined;
  const { apiVersion } = value;
  const metadata = readMetadata(value, fieldsOf(value["metadata"]));
  if (kind === "Ingress" && losesAlias(value, metadata)) reading.loseHost();
  return { value: { apiVersion, kind, metadata, spec }, extent: reading.extent };
}

/** Whether further hosts of an Ingress may stand where they can't be read. */
function losesAlias(value: JsonObject, { annotations, labels }: JsonObject): boolean {
  const written = fieldsOf(value["metadata"])["annotations"] ?? {};
  const isAlias = (name: string): boolean => name.includes("server-alias");
  const read = valuesOf([annotations, labels], isAlias);
  return !isObject(written) || valuesOf(value, isAlias).length > read.length;
}

/** Whether objects of the kind take requests. */
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
  const {
    name,
    creationTimestamp,
    generation,
    uid,
    annotations = object["annotations"],
  } = metadata;
  const { labels = object["labels"] } = metadata;
  const strayNamespace = object["namespace"] ?? fieldsOf(labels)["namespace"];
  const { namespace = strayNamespace } = metadata;
  const digest = (): string =>
    createHash("sha256").update(JSON.stringify(object)).digest("hex").slice(0, 10);
  const isNamed = typeof name === "string" && subdomainProblem(name) === undefined;
  const isPlaced = typeof namespace === "string" && labelProblem(namespace) === undefined;
  return {
    name: isNamed ? name : `unnamed-${digest()}`,
    namespace: isPlaced ? namespace : "default",
    ...(typeof creationTimestamp === "string" && { creationTimestamp }),
    ...(typeof generation === "number" && { generation }),
    ...(typeof uid === "string" && { uid }),
    labels: { ...readTexts(metadata, (key) => key.includes("/")), ...readTexts(labels) },
    annotations: readTexts(annotations),
  };
}

function readTexts(map: unknown, isWanted: (key: string) => boolean = () => true): JsonObject {
  const texts = Object.entries(fieldsOf(map)).flatMap(([key, value]) =>
    typeof value === "string" && isWanted(key) ? [[key, value] as const] : [],
  );
  return Object.fromEntries(texts);
}

function readAlb(spec: JsonObject): JsonObject {
  const { enableIngress, ingressHTTPPort, ingressHTTPSPort } = fieldsOf(own(spec, "config"));
  const isOff = String(enableIngress).toLowerCase() === "false";
  return {
    type: "nginx",
    config: {
      ...(isOff && { enableIngress: false }),
      ...portField("ingressHTTPPort", ingressHTTPPort, 0),
      ...portField("ingressHTTPSPort", ingressHTTPSPort, 0),
    },
  };
}

function readFrontend({
  port,
  protocol,
  certificate_name: certificate,
}: JsonObject): JsonObject | undefined {
  const read = portField("port", port, 1);
  if (read === undefined) return undefined;
  return {
    ...read,
    ...(typeof protocol === "string" && { protocol }),
    ...(typeof certificate === "string" && { certificate_name: certificate }),
  };
}

/** Before every other: a priority that can't be read may have been any. */
const FIRST = -(2 ** 31);

/** A policy is broken for its targets; where they can't be told, it is for everything of its namespace (Resources.refused). */
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

/** Terms and rows that can't be read stay, for the translation to refuse. */
const TERMS: readonly unknown[] = ["URL", "METHOD", "HEADER", "COOKIE", "PARAM", "SRC_IP"];

function readRule(spec: JsonObject, reading: Reading): JsonObject {
  const { dsl, priority } = spec;
  // `dsl` is a text; terms there are a dslx of another name.
  if (dsl !== undefined && typeof dsl !== "string") reading.losePath();
  const { dslx = Object.values(spec).find(holdsTerms) } = { ...spec, ...termsOfTexts(spec) };
  if (dslx === null) reading.loseHost();
  const terms = reading.items(dslx).map((term) => {
    const { type, key, values } = fieldsOf(term);
    const rows = reading.items(values).map((row) => (isTexts(row) ? row : []));
    if (rows.length === 0 || rows.some((row) => row.length === 0) || typeof type !== "string") {
      if (type === "HOST" || !TERMS.includes(type)) reading.loseHost();
      else reading.losePath();
    }
    return {
      type: typeof type === "string" ? type : "",
      ...(isScalar(key) && { key: String(key) }),
      values: rows.length === 0 ? [[]] : rows,
    };
  });
  if (terms.length === 0 && reading.extent !== "paths") reading.loseHost();
  const number = Number(priority);
  const read = priority !== null && Number.isSafeInteger(number) ? number : FIRST;
  return { dslx: terms, ...(priority !== undefined && { priority: read }) };
}

const PATH_TYPES: readonly unknown[] = ["Exact", "Prefix", "ImplementationSpecific"];

function readIngress(spec: JsonObject, reading: Reading): JsonObject {
  const { rules, defaultBackend, ingressClassName, tls } = spec;
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
    ...(typeof ingressClassName === "string" && { ingressClassName }),
    tls: reading.extent === "paths" ? readTls(tls) : [],
  };
}

interface ReadPath extends JsonObject {
  readonly path: string;
  readonly pathType: unknown;
}

/** Without a type a path may be exact or a prefix; with characters of patterns it may be one. */
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
  return entries.filter(isObject).map(({ hosts, secretName }) => ({
    hosts: textsOf(hosts),
    ...(typeof secretName === "string" && { secretName }),
  }));
}

function readListeners(spec: JsonObject, reading: Reading): JsonObject | undefined {
  const listeners = reading.items(own(spec, "listeners")).flatMap((item) => {
    const { name, port, protocol, hostname, tls } = fieldsOf(item);
    const read = portField("port", port, 1);
    if (typeof name !== "string" || !isOfRequests(protocol) || read === undefined) return [];
    const [host] = reading.hosts(hostname, []);
    return [
      { name, protocol, ...read, ...(host !== undefined && { hostname: host }), ...readTlsOf(tls) },
    ];
  });
  const { gatewayClassName, parentRef, addresses } = spec;
  return listeners.length === 0
    ? undefined
    : { listeners, ...(isObject(parentRef) ? { parentRef } : { gatewayClassName, addresses }) };
}

/** There is nothing to refuse with on connections that are passed on: such listeners are left out. */
function isOfRequests(protocol: unknown): protocol is string {
  return protocol === "HTTP" || protocol === "HTTPS";
}

function readTlsOf(tls: unknown): JsonObject {
  return isObject(tls) ? { tls } : {};
}
