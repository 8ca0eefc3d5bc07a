/** Valid objects that have, between them, every field of Gateway API with a closed set of values. */
import type { Json } from "./hostile-input.js";

const GATEWAY_API = "gateway.networking.k8s.io";

/** An object; what is compiled with it has the rest that it names. */
export interface Example {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, string | number>>;
  readonly spec: Json;
}

export function example(kind: string, name: string, spec: Json, namespace?: string): Example {
  const metadata = { name, generation: 1, ...(namespace !== undefined && { namespace }) };
  return { apiVersion: `${GATEWAY_API}/v1`, kind, metadata, spec };
}

const BACKEND = { name: "web", port: 80 };
const OWN_NAMESPACE = { namespaces: { from: "Same" } };
const EXTERNAL_AUTH = {
  type: "ExternalAuth",
  externalAuth: { protocol: "HTTP", backendRef: BACKEND, http: {} },
};
const VALIDATION = {
  validation: {
    mode: "AllowValidOnly",
    caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }],
  },
};

const listeners = (port: number): Json => [
  {
    name: "https",
    protocol: "HTTPS",
    port,
    allowedRoutes: OWN_NAMESPACE,
    tls: { mode: "Terminate", certificateRefs: [{ name: "certificate" }] },
  },
  {
    name: "http",
    protocol: "HTTP",
    port: port + 1,
    allowedRoutes: OWN_NAMESPACE,
    filters: { requests: [EXTERNAL_AUTH] },
  },
];

const GATEWAY = example(
  "Gateway",
  "gw",
  {
    gatewayClassName: "albc",
    allowedListeners: { namespaces: { from: "Same" } },
    defaultScope: "All",
    listeners: listeners(443),
    tls: { frontend: { default: VALIDATION, perPort: [{ port: 8443, tls: VALIDATION }] } },
  },
  "default",
);

const LISTENER_SET = example(
  "ListenerSet",
  "more",
  { parentRef: { name: "gw" }, listeners: listeners(8443) },
  "default",
);

/** Each in a rule of its own, and in a backendRef of its own: some can't stand together. */
const FILTERS: readonly Json[] = [
  { type: "RequestHeaderModifier", requestHeaderModifier: { remove: ["X-A"] } },
  {
    type: "RequestRedirect",
    requestRedirect: {
      scheme: "https",
      statusCode: 301,
      path: { type: "ReplaceFullPath", replaceFullPath: "/x" },
    },
  },
  {
    type: "URLRewrite",
    urlRewrite: { path: { type: "ReplaceFullPath", replaceFullPath: "/x" } },
  },
  { type: "CORS", cors: { allowOrigins: ["*"], allowMethods: ["PUT"] } },
  EXTERNAL_AUTH,
];

const MATCH = {
  method: "PUT",
  path: { type: "Exact", value: "/a" },
  headers: [{ type: "Exact", name: "x-a", value: "b" }],
  queryParams: [{ type: "Exact", name: "a", value: "b" }],
};
const SESSION = { type: "Cookie", absoluteTimeout: "1h", cookie: { lifetimeType: "Permanent" } };

const route = (kind: string, rules: readonly Json[]): Example =>
  example(
    kind,
    "route",
    { parentRefs: [{ name: "gw" }], useDefaultGateways: "None", rules },
    "default",
  );

const backendWith = (filter: Json): Json => ({ ...BACKEND, filters: [filter] });
const isRedirect = (filter: Json): boolean => JSON.stringify(filter).includes("requestRedirect");

const HTTP_ROUTE = route("HTTPRoute", [
  { matches: [MATCH], sessionPersistence: SESSION, backendRefs: [BACKEND] },
  ...FILTERS.flatMap((filter) => [
    isRedirect(filter) ? { filters: [filter] } : { filters: [filter], backendRefs: [BACKEND] },
    { backendRefs: [backendWith(filter)] },
  ]),
]);

const HEADERS = { type: "RequestHeaderModifier", requestHeaderModifier: { remove: ["X-A"] } };
const GRPC_ROUTE = route("GRPCRoute", [
  {
    matches: [
      {
        method: { type: "Exact", service: "a.B", method: "C" },
        headers: [{ type: "Exact", name: "x-a", value: "b" }],
      },
    ],
    sessionPersistence: SESSION,
    filters: [HEADERS],
    backendRefs: [backendWith(HEADERS)],
  },
  { backendRefs: [BACKEND] },
]);

const BACKEND_TLS_POLICY = example(
  "BackendTLSPolicy",
  "web",
  {
    targetRefs: [{ group: "", kind: "Service", name: "secure" }],
    validation: {
      hostname: "web.example",
      wellKnownCACertificates: "System",
      subjectAltNames: [{ type: "Hostname", hostname: "web.example" }],
    },
  },
  "default",
);

/** By the plural of their kind. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  gateways: GATEWAY,
  listenersets: LISTENER_SET,
  httproutes: HTTP_ROUTE,
  grpcroutes: GRPC_ROUTE,
  backendtlspolicies: BACKEND_TLS_POLICY,
};
