/** core/v1 Secret, ConfigMap and Namespace. */
import {
  anyObject,
  boolean,
  intOrString,
  integer,
  list,
  map,
  object,
  objectSchema,
  oneOf,
  port,
  string,
} from "./schema.js";

export const SECRET_SCHEMA = objectSchema({
  type: string({ default: "Opaque" }),
  immutable: boolean(),
  data: map(string()),
  stringData: map(string()),
});

export const CONFIG_MAP_SCHEMA = objectSchema({
  immutable: boolean(),
  data: map(string()),
  binaryData: map(string()),
});

export const NAMESPACE_SCHEMA = objectSchema({ spec: object({ finalizers: list(string()) }) });

/** core/v1 Service. */

const PROTOCOLS = ["TCP", "UDP", "SCTP"] as const;

const SERVICE_PORT = object(
  {
    name: string(),
    protocol: oneOf(PROTOCOLS, { default: "TCP" }),
    port: port(),
    targetPort: intOrString(),
    nodePort: integer({ minimum: 0, maximum: 65535 }),
    appProtocol: string(),
  },
  { required: ["port"] },
);

export const SERVICE_SCHEMA = objectSchema({
  spec: object({
    type: oneOf(["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"]),
    ports: list(SERVICE_PORT),
    selector: map(string()),
    clusterIP: string(),
    clusterIPs: list(string()),
    externalName: string(),
    externalIPs: list(string()),
    externalTrafficPolicy: oneOf(["Cluster", "Local"]),
    internalTrafficPolicy: oneOf(["Cluster", "Local"]),
    healthCheckNodePort: integer(),
    allocateLoadBalancerNodePorts: boolean(),
    ipFamilies: list(oneOf(["IPv4", "IPv6"])),
    ipFamilyPolicy: oneOf(["SingleStack", "PreferDualStack", "RequireDualStack"]),
    loadBalancerClass: string(),
    loadBalancerIP: string(),
    loadBalancerSourceRanges: list(string()),
    publishNotReadyAddresses: boolean(),
    sessionAffinity: oneOf(["None", "ClientIP"]),
    sessionAffinityConfig: object({
      clientIP: object({ timeoutSeconds: integer({ minimum: 1, maximum: 86400 }) }),
    }),
    trafficDistribution: string(),
  }),
});

/** Only addresses of a load balancer are read from the status. */
export const SERVICE_STATUS = object({
  loadBalancer: object({ ingress: list(object({ ip: string(), hostname: string() })) }),
});

/** discovery.k8s.io/v1 EndpointSlice. */

const ENDPOINT = object(
  {
    addresses: list(string(), { minItems: 1, maxItems: 100 }),
    conditions: object({ ready: boolean(), serving: boolean(), terminating: boolean() }),
    deprecatedTopology: map(string()),
    hints: anyObject(),
    hostname: string(),
    nodeName: string(),
    targetRef: anyObject(),
    zone: string(),
  },
  { required: ["addresses"] },
);

export const ENDPOINT_SLICE_SCHEMA = objectSchema(
  {
    addressType: oneOf(["IPv4", "IPv6", "FQDN"]),
    endpoints: list(ENDPOINT, { maxItems: 1000, default: [] }),
    ports: list(
      object({
        name: string({ default: "" }),
        port: port(),
        protocol: oneOf(PROTOCOLS, { default: "TCP" }),
        appProtocol: string(),
      }),
      { maxItems: 20000 },
    ),
  },
  ["addressType"],
);

/** networking.k8s.io/v1 Ingress and IngressClass. */

const BACKEND = object({
  service: object(
    { name: string(), port: object({ name: string(), number: port() }) },
    { required: ["name"] },
  ),
  resource: object(
    { apiGroup: string(), kind: string(), name: string() },
    { required: ["kind", "name"] },
  ),
});

const PATH = object(
  {
    path: string(),
    pathType: oneOf(["Exact", "Prefix", "ImplementationSpecific"]),
    backend: BACKEND,
  },
  { required: ["pathType", "backend"] },
);

export const INGRESS_SCHEMA = objectSchema({
  spec: object({
    ingressClassName: string(),
    defaultBackend: BACKEND,
    tls: list(object({ hosts: list(string()), secretName: string() })),
    rules: list(
      object({
        host: string(),
        http: object({ paths: list(PATH, { minItems: 1 }) }, { required: ["paths"] }),
      }),
    ),
  }),
});

export const INGRESS_CLASS_SCHEMA = objectSchema({
  spec: object({
    controller: string({ maxLength: 250 }),
    parameters: object(
      {
        apiGroup: string(),
        kind: string(),
        name: string(),
        namespace: string(),
        scope: oneOf(["Cluster", "Namespace"], { default: "Cluster" }),
      },
      { required: ["kind", "name"] },
    ),
  }),
});
