/** What an API server fills in. Each gives a new object; the one it got stays as it was. */
import type { EndpointSlice, IngressClass, Namespace, Secret, Service } from "../api/core.js";

const NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name";

export function defaultService(service: Service): Service {
  const { spec } = service;
  if (spec?.ports === undefined) return service;
  const ports = spec.ports.map((port) => ({
    ...port,
    protocol: port.protocol ?? "TCP",
    targetPort: port.targetPort ?? port.port,
  }));
  return { ...service, spec: { ...spec, ports } };
}

export function defaultEndpointSlice(slice: EndpointSlice): EndpointSlice {
  const ports = slice.ports?.map((port) => ({
    ...port,
    name: port.name ?? "",
    protocol: port.protocol ?? "TCP",
  }));
  const { endpoints = [] } = beforeDefaults(slice);
  return { ...slice, endpoints, ...(ports === undefined ? {} : { ports }) };
}

/** The API's own types call `endpoints` required, yet a slice without any is valid. */
export function beforeDefaults(slice: EndpointSlice): Partial<Pick<EndpointSlice, "endpoints">> {
  return slice;
}

/** Merges `stringData`, which wins, into `data`. */
export function defaultSecret(secret: Secret): Secret {
  const { stringData, data, ...rest } = secret;
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
  const labels = { ...metadata.labels, [NAMESPACE_NAME_LABEL]: metadata.name };
  return { ...namespace, metadata: { ...metadata, labels } };
}
