/** Short builders for the objects that tests write; what they leave out, an API server would default. */
import { dump } from "js-yaml";
import type { KeyPair } from "./certificates.js";

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

export interface PathRule {
  /** Default `/`. */
  readonly path?: string;
  readonly pathType?: "Exact" | "Prefix" | "ImplementationSpecific";
  readonly service: string;
  readonly port?: number | string;
}

export interface IngressSpec {
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly className?: string;
  readonly tls?: readonly { readonly hosts?: readonly string[]; readonly secretName?: string }[];
  readonly defaultBackend?: string;
  /** By host; `""` is any host. */
  readonly hosts?: Readonly<Record<string, readonly PathRule[]>>;
}

export interface EndpointSpec {
  readonly address?: string;
  readonly port: number;
  readonly conditions?: {
    readonly ready?: boolean;
    readonly serving?: boolean;
    readonly terminating?: boolean;
  };
}

const NGINX = "nginx.ingress.kubernetes.io";
export const ALB_GROUP = "crd.alauda.io";
/** Namespace of the ALB2, its Frontends and Rules. */
export const ALB_NAMESPACE = "cpaas-system";

/** Objects as one YAML file of several documents. */
export function yaml(...objects: readonly (Manifest | readonly Manifest[])[]): string {
  return objects
    .flat()
    .map((object) => dump(object, { noRefs: true }))
    .join("---\n");
}

/** Annotation names under the domain that behaves as ingress-nginx. */
export function nginx(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).map(([k, v]) => [`${NGINX}/${k}`, v]));
}

/** The snippets of a path and of its host, as annotations. */
export function snippets({
  path,
  server,
}: {
  readonly path?: string;
  readonly server?: string;
}): Record<string, string> {
  return nginx({
    ...(path !== undefined && { "configuration-snippet": path }),
    ...(server !== undefined && { "server-snippet": server }),
  });
}

/** Annotation names under the load balancer's own domain, with an index prefix when one is given. */
export function own(
  annotations: Readonly<Record<string, string>>,
  index?: string,
): Record<string, string> {
  const domain = `${index === undefined ? "" : `index.${index}.`}alb.ingress.cpaas.io`;
  return Object.fromEntries(Object.entries(annotations).map(([k, v]) => [`${domain}/${k}`, v]));
}

export function ingress(name: string, spec: IngressSpec): Manifest {
  const { namespace = "default", annotations = {}, hosts = {} } = spec;
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name, namespace, annotations },
    spec: {
      ...(spec.className !== undefined && { ingressClassName: spec.className }),
      ...(spec.tls && { tls: spec.tls }),
      ...(spec.defaultBackend !== undefined && { defaultBackend: backendOf(spec.defaultBackend) }),
      rules: Object.entries(hosts).map(([host, paths]) => ({
        ...(host !== "" && { host }),
        ...(paths.length > 0 && { http: { paths: paths.map(pathOf) } }),
      })),
    },
  };
}

/** A Service with port 80 and the slices of its endpoints. */
export function service(
  name: string,
  endpoints: readonly EndpointSpec[] = [],
  namespace = "default",
): Manifest[] {
  const ports = [{ name: "http", port: 80, targetPort: 8080 }];
  return [
    { apiVersion: "v1", kind: "Service", metadata: { name, namespace }, spec: { ports } },
    ...endpointSlices(name, endpoints, namespace),
  ];
}

/** One slice for each endpoint, because endpoints on one address differ in their port only. */
export function endpointSlices(
  name: string,
  endpoints: readonly EndpointSpec[],
  namespace = "default",
): Manifest[] {
  return endpoints.map(({ address = "127.0.0.1", port, conditions = {} }, index) => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${name}-${index}`,
      namespace,
      labels: { "kubernetes.io/service-name": name },
    },
    addressType: address.includes(":") ? "IPv6" : "IPv4",
    ports: [{ name: "http", port, protocol: "TCP" }],
    endpoints: [{ addresses: [address], conditions: { ready: true, ...conditions } }],
  }));
}

export function secret(
  name: string,
  data: Readonly<Record<string, string>>,
  namespace = "default",
): Manifest {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace },
    type: "Opaque",
    data: base64Values(data),
  };
}

export function tlsSecret(name: string, pair: KeyPair, namespace = "default"): Manifest {
  const data = base64Values({ "tls.crt": pair.certificate, "tls.key": pair.key });
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace },
    type: "kubernetes.io/tls",
    data,
  };
}

export function configMap(
  name: string,
  data: Readonly<Record<string, string>>,
  namespace = "default",
): Manifest {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
}

export function namespace(name: string, labels: Readonly<Record<string, string>> = {}): Manifest {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

/** An ALB2 that serves every project; `config` is `spec.config`. */
export function alb2(name: string, config: Readonly<Record<string, unknown>>): Manifest {
  return {
    apiVersion: `${ALB_GROUP}/v2`,
    kind: "ALB2",
    metadata: { name, namespace: ALB_NAMESPACE },
    spec: { type: "nginx", config: { projects: ["ALL_ALL"], ...config } },
  };
}

export function frontend(
  name: string,
  alb: string,
  spec: Readonly<Record<string, unknown>>,
): Manifest {
  return {
    apiVersion: `${ALB_GROUP}/v1`,
    kind: "Frontend",
    metadata: { name, namespace: ALB_NAMESPACE, labels: { "alb2.cpaas.io/name": alb } },
    spec: { protocol: "http", ...spec },
  };
}

export function rule(
  name: string,
  owner: { readonly alb: string; readonly frontend: string },
  spec: Readonly<Record<string, unknown>>,
): Manifest {
  const labels = { "alb2.cpaas.io/name": owner.alb, "alb2.cpaas.io/frontend": owner.frontend };
  return {
    apiVersion: `${ALB_GROUP}/v1`,
    kind: "Rule",
    metadata: { name, namespace: ALB_NAMESPACE, labels },
    spec,
  };
}

/** `serviceGroup` of a Rule or Frontend. */
export function serviceGroup(
  services: Readonly<Record<string, number>>,
  affinity: Readonly<Record<string, string>> = {},
): Record<string, unknown> {
  return {
    ...affinity,
    services: Object.entries(services).map(([name, weight]) => ({
      name,
      namespace: "default",
      port: 80,
      weight,
    })),
  };
}

function backendOf(name: string, port: number | string = 80): Record<string, unknown> {
  const key = typeof port === "number" ? "number" : "name";
  return { service: { name, port: { [key]: port } } };
}

function pathOf({ path = "/", pathType = "Prefix", service, port }: PathRule): object {
  return { path, pathType, backend: backendOf(service, port) };
}

function base64Values(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
}
