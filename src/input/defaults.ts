/**
 * What an API server fills in. The object that is given stays as it was; one that lacks nothing, as all that come from an API
 * server, is given back: of tens of thousands there are no copies.
 */
import { beforeDefaults } from "./rules/service.js";
import type { JsonSchema } from "../api/schemas/schema.js";
import type { EndpointSlice, IngressClass, Namespace, Secret, Service } from "../api/wire.js";
import { isObject, own } from "../support/json-object.js";

const NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name";

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

/** Merges `stringData`, which wins, into `data`. */
export function defaultSecret(secret: Secret): Secret {
  const { stringData, data, ...rest } = secret;
  if (stringData === undefined && data !== undefined && secret.type !== undefined) return secret;
  const encoded = Object.entries(stringData ?? {}).map(([key, text]): [string, string] => [
    key,
    Buffer.from(text).toString("base64"),
  ]);
  // Not by assignment: a key may be `__proto__`.
  const merged = Object.fromEntries([...Object.entries(data ?? {}), ...encoded]);
  return { ...rest, type: secret.type ?? "Opaque", data: merged };
}

export function defaultIngressClass(ingressClass: IngressClass): IngressClass {
  const { spec } = ingressClass;
  if (spec?.parameters === undefined) return ingressClass;
  const parameters = { ...spec.parameters, scope: spec.parameters.scope ?? "Cluster" };
  return { ...ingressClass, spec: { ...spec, parameters } };
}

/** Namespaces carry their name as a label, for selectors. */
export function defaultNamespace(namespace: Namespace): Namespace {
  const { metadata } = namespace;
  if (metadata.labels?.[NAMESPACE_NAME_LABEL] === metadata.name) return namespace;
  const labels = { ...metadata.labels, [NAMESPACE_NAME_LABEL]: metadata.name };
  return { ...namespace, metadata: { ...metadata, labels } };
}

/**
 * What an API server fills in by the defaults of a schema, before it checks the object.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting
 */

type Fields = Readonly<Record<string, unknown>>;

/** The value itself where nothing was missing. */
export function withDefaults(schema: JsonSchema, value: unknown): unknown {
  if (!fillsIn(schema)) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : filledList(items, value);
  }
  if (!isObject(value)) return value;
  const filled = filledFields(schema.properties ?? {}, value);
  return schema.additionalProperties === undefined
    ? filled
    : filledMap(schema.additionalProperties, filled);
}

function filledList(items: JsonSchema, list: readonly unknown[]): readonly unknown[] {
  const filled = list.map((item) => withDefaults(items, item));
  return filled.some((item, i) => item !== list[i]) ? filled : list;
}

function filledFields(properties: Readonly<Record<string, JsonSchema>>, object: Fields): Fields {
  let copy: Record<string, unknown> | undefined;
  for (const [name, property] of Object.entries(properties)) {
    if (!fillsIn(property)) continue;
    const given = Object.hasOwn(object, name) ? own(object, name) : property.default;
    const filled = given === undefined ? undefined : withDefaults(property, given);
    if (filled !== undefined && (filled !== given || !Object.hasOwn(object, name))) {
      (copy ??= { ...object })[name] = filled;
    }
  }
  return copy ?? object;
}

function filledMap(values: JsonSchema, map: Fields): Fields {
  return Object.fromEntries(
    Object.entries(map).map(([key, value]) => [key, withDefaults(values, value)]),
  );
}

const filling = new WeakMap<JsonSchema, boolean>();

/** Whether there is a default somewhere in the schema; most kinds have none and are not walked through. */
function fillsIn(schema: JsonSchema): boolean {
  let fills = filling.get(schema);
  if (fills === undefined) {
    const { items, additionalProperties, properties = {} } = schema;
    fills =
      schema.default !== undefined ||
      (items !== undefined && fillsIn(items)) ||
      (additionalProperties !== undefined && fillsIn(additionalProperties)) ||
      Object.values(properties).some(fillsIn);
    filling.set(schema, fills);
  }
  return fills;
}
