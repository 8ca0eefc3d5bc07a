/**
 * What an API server fills in. The object that is given stays as it was; one that lacks nothing, as all that come from an API
 * server, is given back: of tens of thousands there are no copies.
 */
import type { EndpointSlice, IngressClass, Namespace, Secret, Service } from "../api/core.js";

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

/** The API's own types call `endpoints` required, yet a slice without any is valid. */
export function beforeDefaults(slice: EndpointSlice): Partial<Pick<EndpointSlice, "endpoints">> {
  return slice;
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
