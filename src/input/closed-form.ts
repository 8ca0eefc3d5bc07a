/**
 * What a refused object names: the hosts and paths, ports, parents and targets that can be read in their proper place. The result is an
 * object of its kind, marked `closed`, so it is bound where the valid object would be. A path that can't be read counts as the whole
 * host; a host that can't be read names nothing.
 */
import { createHash } from "node:crypto";
import type { KindMap, KindName } from "../api/kinds.js";
import type { JsonSchema } from "../api/schemas/schema.js";
import type { Closed } from "../api/wire.js";
import { memoized } from "../support/collections.js";
import {
  type JsonObject,
  fieldsOf,
  isObject,
  itemsOf,
  own,
  present,
} from "../support/json-object.js";
import { conform } from "./conform.js";
import { DEFAULT_INPUT_OPTIONS, type KindDefinition, kindTable } from "./kind-table.js";
import { checkIngressPath } from "./rules/ingress.js";
import { hostProblem, labelProblem, subdomainProblem } from "./rules/names.js";
import { checkMethod, checkRoutePath } from "./rules/route.js";
import { validator } from "./schema-validation.js";

/** The schemas of the kinds do not depend on the group. */
const TABLE = kindTable(DEFAULT_INPUT_OPTIONS.albGroup);

/** What an object names; undefined: nothing. */
type Named = { readonly spec: JsonObject } & Pick<Closed, "hosts" | "isHostless">;

/** By kind: where its hosts and paths are. Refused objects of other kinds are left out. */
const READERS: Partial<Readonly<Record<KindName, (spec: JsonObject) => Named | undefined>>> = {
  ALB2: readAlb,
  Frontend: readFrontend,
  Rule: readRule,
  Ingress: readIngress,
  Gateway: readListeners("Gateway"),
  ListenerSet: readListeners("ListenerSet"),
  HTTPRoute: readRoute("HTTPRoute"),
  GRPCRoute: readRoute("GRPCRoute"),
  TLSRoute: readStreamRoute("TLSRoute"),
  TCPRoute: readStreamRoute("TCPRoute"),
  UDPRoute: readStreamRoute("UDPRoute"),
  AuthPolicy: ({ targetRefs }) => ({
    spec: {
      targetRefs: fittingItems("AuthPolicy", "targetRefs", targetRefs),
      invalid: "it is refused",
    },
  }),
  BackendTLSPolicy: ({ targetRefs }) => ({
    spec: {
      targetRefs: fittingItems("BackendTLSPolicy", "targetRefs", targetRefs),
      validation: { hostname: "refused" },
    },
  }),
};

/** Undefined: the object names nothing, so nothing is closed. `reason`: its first mistake. */
export function closedForm<K extends KindName>(
  kind: K,
  object: object,
  reason: Pick<Closed, "what" | "message">,
): KindMap[K] | undefined {
  const definition: KindDefinition<KindMap[K]> = TABLE[kind];
  const { apiVersion, metadata, spec } = fieldsOf(object);
  const names = readMetadata(fieldsOf(metadata), object);
  const named = READERS[kind]?.(fieldsOf(spec));
  if (names === undefined || named === undefined) return undefined;
  const { spec: read, ...extent } = named;
  const checked = definition.validate({ apiVersion, kind, metadata: names, spec: read });
  return checked.valid ? { ...checked.value, closed: { ...reason, ...extent } } : undefined;
}

/** Routes of streams and policies keep what they are for, and translation serves none of it. */
const MARKED: ReadonlySet<KindName> = new Set([
  "TLSRoute",
  "TCPRoute",
  "UDPRoute",
  "BackendTLSPolicy",
]);

/** The closed form of a valid object, to use in its place; undefined: its kind has none. */
export function closedObject<K extends KindName>(
  kind: K,
  object: KindMap[K],
  reason: Pick<Closed, "what" | "message">,
): KindMap[K] | undefined {
  return MARKED.has(kind) ? { ...object, closed: reason } : closedForm(kind, object, reason);
}

/** Undefined: it is unknown which namespace the object is in. */
function readMetadata(metadata: JsonObject, object: object): JsonObject | undefined {
  const { name, namespace = "default", creationTimestamp, labels, annotations } = metadata;
  if (typeof namespace !== "string" || labelProblem(namespace) !== undefined) return undefined;
  const isNamed = typeof name === "string" && subdomainProblem(name) === undefined;
  const digest = (): string => createHash("sha256").update(JSON.stringify(object)).digest("hex");
  return {
    name: isNamed ? name : `unnamed-${digest().slice(0, 10)}`,
    namespace,
    ...(typeof creationTimestamp === "string" && { creationTimestamp }),
    labels: textFields(labels),
    annotations: textFields(annotations),
  };
}

function textFields(value: unknown): JsonObject {
  return Object.fromEntries(
    Object.entries(fieldsOf(value)).filter(([, text]) => typeof text === "string"),
  );
}

const validatorOf = memoized((schema: JsonSchema) => validator<unknown>(schema));

/** Whether the value is what the schema asks for, with known fields only. */
function fits(schema: JsonSchema | undefined, value: unknown): boolean {
  if (schema === undefined) return false;
  const { value: conformed, unknown } = conform(schema, value);
  return unknown.length === 0 && validatorOf(schema)(conformed).valid;
}

/** The schema of a field of the kind's spec; `[]` stands for the items of a list. */
function schemaAt(kind: KindName, ...path: readonly string[]): JsonSchema | undefined {
  return path.reduce<JsonSchema | undefined>(
    (schema, step) => (step === "[]" ? schema?.items : own(schema?.properties, step)),
    TABLE[kind].schema.properties?.["spec"],
  );
}

/** Those of the fields of a spec that can be read. */
function fittingFields(kind: KindName, spec: JsonObject, names: readonly string[]): JsonObject {
  const entries = names.map((name) => [name, own(spec, name)] as const);
  return Object.fromEntries(
    entries.filter(([name, value]) => value !== undefined && fits(schemaAt(kind, name), value)),
  );
}

function fittingItems(kind: KindName, field: string, value: unknown): readonly unknown[] {
  const schema = schemaAt(kind, field, "[]");
  return itemsOf(value).filter((item) => fits(schema, item));
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isHost(value: unknown): value is string {
  return typeof value === "string" && hostProblem(value) === undefined;
}

function readAlb({ config }: JsonObject): Named {
  const fields = ["enableIngress", "ingressHTTPPort", "ingressHTTPSPort", "projects"];
  const schema = schemaAt("ALB2", "config")?.properties;
  const read = Object.entries(fieldsOf(config)).filter(
    ([name, value]) => fields.includes(name) && fits(own(schema, name), value),
  );
  return { spec: { type: "nginx", config: Object.fromEntries(read) } };
}

function readFrontend(spec: JsonObject): Named {
  return { spec: fittingFields("Frontend", spec, ["port", "protocol", "certificate_name"]) };
}

/** A term that can't be read may be one of a host, unless its type says otherwise. */
function readRule({ dslx, ...spec }: JsonObject): Named | undefined {
  const schema = schemaAt("Rule", "dslx", "[]");
  const [terms, lost] = [itemsOf(dslx), itemsOf(dslx).filter((term) => !fits(schema, term))];
  const isOf = (type: string) => (term: unknown) => fieldsOf(term)["type"] === type;
  const mayBeHost = (term: unknown): boolean =>
    !["URL", "METHOD", "HEADER", "COOKIE", "PARAM", "SRC_IP"].some((type) => isOf(type)(term));
  if (terms.length === 0 || lost.some(mayBeHost)) return undefined;
  const isHostless = !terms.some(isOf("HOST"));
  if (isHostless && (lost.length > 0 || !terms.some(isOf("URL")))) return undefined;
  return {
    spec: {
      dslx: terms.filter((term) => !lost.includes(term)),
      ...fittingFields("Rule", spec, ["priority"]),
    },
    ...(isHostless && { isHostless }),
    ...(lost.length > 0 && { hosts: "all" }),
  };
}

function readIngress(spec: JsonObject): Named | undefined {
  const hosts: string[] = [];
  const rules = itemsOf(spec["rules"]).flatMap((rule) => {
    const { host, http } = fieldsOf(rule);
    const isNamed = !isAbsent(host) && host !== "";
    if (!isObject(rule) || (isNamed && !isHost(host))) return [];
    const items = itemsOf(fieldsOf(http)["paths"]);
    const paths = items.flatMap((item) => ingressPath(fieldsOf(item)) ?? []);
    const isWhole = paths.length < items.length || items.length === 0;
    if (isWhole && isHost(host)) {
      hosts.push(host);
      paths.push(WHOLE_PATH);
    }
    // A path that is not written is that of a host.
    const written = isNamed ? paths : paths.filter(({ path }) => path !== "");
    return written.length === 0 ? [] : [{ ...(isNamed && { host }), http: { paths: written } }];
  });
  if (rules.length === 0) return undefined;
  const read = fittingFields("Ingress", spec, ["ingressClassName", "tls"]);
  return { spec: { rules, ...read }, ...(hosts.length > 0 && { hosts }) };
}

const WHOLE_PATH = { path: "/", pathType: "Prefix", backend: {} };

function ingressPath({ path = "", pathType }: JsonObject): typeof WHOLE_PATH | undefined {
  const isKnown = fits(
    schemaAt("Ingress", "rules", "[]", "http", "paths", "[]", "pathType"),
    pathType,
  );
  if (!isKnown || typeof path !== "string" || typeof pathType !== "string") return undefined;
  const [problem] = checkIngressPath({ path, pathType }, []);
  return problem === undefined ? { path, pathType, backend: {} } : undefined;
}

/** A Gateway's or ListenerSet's listeners of requests: nothing can be answered on connections that are passed on. */
function readListeners(kind: "Gateway" | "ListenerSet") {
  return (spec: JsonObject): Named | undefined => {
    const schema = schemaAt(kind, "listeners", "[]");
    const listeners = itemsOf(spec["listeners"]).flatMap((item) => {
      const { name, port, protocol, hostname, tls } = fieldsOf(item);
      const place = { name, port, protocol, ...(!isAbsent(hostname) && { hostname }) };
      const isRead = (protocol === "HTTP" || protocol === "HTTPS") && fits(schema, place);
      if (!isRead) return [];
      return fits(schema, { ...place, tls }) ? [{ ...place, ...present("tls", tls) }] : [place];
    });
    const read = fittingFields(kind, spec, ["gatewayClassName", "parentRef", "addresses"]);
    return listeners.length === 0 ? undefined : { spec: { listeners, ...read } };
  };
}

function readRoute(kind: "HTTPRoute" | "GRPCRoute") {
  return (spec: JsonObject): Named | undefined => {
    const { hostnames, rules } = spec;
    const hosts = itemsOf(hostnames).filter(isHost);
    const isHostless = isEmpty(hostnames);
    if (!isHostless && hosts.length === 0) return undefined;
    const matches: readonly (JsonObject | undefined)[] = isAbsent(rules)
      ? [{}]
      : itemsOf(rules).map((rule) => readMatches(kind, rule));
    const read = matches.filter((match) => match !== undefined);
    const common = parentsOf(kind, spec);
    if (isHostless) {
      // Paths that are not written are those of a host.
      const written = read.filter(namesPaths);
      return written.length === 0 ? undefined : { spec: { ...common, rules: written }, isHostless };
    }
    const isLost = matches.length === 0 || matches.includes(undefined);
    return {
      spec: { ...common, hostnames: hosts, rules: isLost ? [{}] : read },
      ...(isLost && { hosts: "all" }),
    };
  };
}

/** Its connections are closed, so it needs no backend that exists. */
const NO_BACKEND = [{ backendRefs: [{ name: "refused", port: 1 }] }];

/** TCPRoutes and UDPRoutes name no host: they close no connections that other routes get. */
function readStreamRoute(kind: "TLSRoute" | "TCPRoute" | "UDPRoute") {
  return (spec: JsonObject): Named | undefined => {
    const hostnames = itemsOf(spec["hostnames"]).filter(isHost);
    if (kind === "TLSRoute" && hostnames.length === 0) return undefined;
    const names = kind === "TLSRoute" ? { hostnames } : {};
    const common = parentsOf(kind, spec);
    return {
      spec: { ...common, ...names, rules: NO_BACKEND },
      ...(kind !== "TLSRoute" && { isHostless: true }),
    };
  };
}

function parentsOf(kind: KindName, spec: JsonObject): JsonObject {
  return {
    parentRefs: fittingItems(kind, "parentRefs", spec["parentRefs"]),
    ...fittingFields(kind, spec, ["useDefaultGateways"]),
  };
}

function isEmpty(list: unknown): boolean {
  return isAbsent(list) || (Array.isArray(list) && list.length === 0);
}

function namesPaths({ matches }: JsonObject): boolean {
  return (
    itemsOf(matches).length > 0 && itemsOf(matches).every((match) => namesPath(fieldsOf(match)))
  );
}

function namesPath({ path, method }: JsonObject): boolean {
  const { value } = fieldsOf(path);
  return value !== undefined || Object.keys(fieldsOf(method)).length > 0;
}

/** A rule with its matches; undefined: one of them can't be read. */
function readMatches(kind: "HTTPRoute" | "GRPCRoute", rule: unknown): JsonObject | undefined {
  const { matches } = fieldsOf(rule);
  if (isObject(rule) && isAbsent(matches)) return {};
  const read = itemsOf(matches).map((match) => readMatch(kind, match));
  return read.length === 0 || read.includes(undefined) ? undefined : { matches: read };
}

/** A match without the conditions that can't be read, as long as its path can. */
function readMatch(kind: "HTTPRoute" | "GRPCRoute", match: unknown): JsonObject | undefined {
  const schema = schemaAt(kind, "rules", "[]", "matches", "[]");
  const { path } = fieldsOf(match);
  const isPathRead = (): boolean =>
    isObject(match) && kind === "HTTPRoute" && fits(schema, { ...present("path", path) });
  const read = fits(schema, match)
    ? fieldsOf(match)
    : isPathRead()
      ? { ...present("path", path) }
      : undefined;
  const { path: readPath, method } = fieldsOf(read);
  const isMethod = kind === "GRPCRoute" && isObject(method);
  const [problem] = isMethod ? checkMethod(method, []) : checkRoutePath(fieldsOf(readPath), []);
  return problem === undefined ? read : undefined;
}
