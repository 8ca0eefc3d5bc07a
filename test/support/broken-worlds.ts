/** Valid sets of objects, requests to them, and objects of every kind whose hosts and paths these requests never name. */
import type { Json } from "./hostile-input.js";

export interface BrokenWorld {
  readonly name: string;
  readonly text: string;
  /** Every host is named by an object of the world, except unnamed.example. */
  readonly urls: readonly string[];
}

const backend = (name = "web"): string =>
  `backend: { service: { name: ${name}, port: { number: 80 } } }`;

const services = ["shop", "other", "ops"]
  .map(
    (namespace) => `
apiVersion: v1
kind: Service
metadata: { name: web, namespace: ${namespace} }
spec: { ports: [{ port: 80 }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web-1, namespace: ${namespace}, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
ports: [{ port: 8080 }]
endpoints: [{ addresses: [10.0.0.1] }]
---`,
  )
  .join("");

const ingress = (
  name: string,
  namespace: string,
  host: string,
  paths: readonly string[],
): string => `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: ${name}, namespace: ${namespace} }
spec:
  rules:
    - ${host === "" ? "" : `host: ${host}\n      `}http:
        paths: [${paths.map((path) => `{ path: ${path}, pathType: Prefix, ${backend()} }`).join(", ")}]
---`;

const route = (name: string, namespace: string, hosts: string, path: string): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: ${name}, namespace: ${namespace} }
spec:
  ${hosts === "" ? "" : `hostnames: [${hosts}]\n  `}parentRefs: [{ name: edge, namespace: shop }]
  rules: [{ matches: [{ path: { value: ${path} } }], backendRefs: [{ name: web, port: 80 }] }]
---`;

const gateway = `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: { name: albc }
spec: { controllerName: alb.cpaas.io/gateway-controller }
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: edge, namespace: shop }
spec:
  gatewayClassName: albc
  listeners:
    - { name: http, port: 8000, protocol: HTTP, allowedRoutes: { namespaces: { from: All } } }
---`;

const ingresses = [
  ingress("web", "shop", "a.example", ["/", "/docs"]),
  ingress("more", "shop", "a.example", ["/more"]),
  ingress("web", "other", "b.example", ["/"]),
  ingress("wild", "other", '"*.w.example"', ["/"]),
  ingress("rest", "other", "", ["/rest"]),
].join("");

const routes = [
  route("web", "shop", "a.example", "/"),
  route("more", "shop", "a.example, c.example", "/more"),
  route("web", "other", "d.example", "/"),
  route("rest", "other", "", "/rest"),
].join("");

const rule = (name: string, host: string, path: string): string => `
apiVersion: crd.alauda.io/v1
kind: Rule
metadata: { name: ${name}, namespace: ops, labels: { alb2.cpaas.io/name: alb, alb2.cpaas.io/frontend: ft } }
spec:
  dslx: [{ type: HOST, values: [[EQ, ${host}]] }, { type: URL, values: [[STARTS_WITH, ${path}]] }]
  serviceGroup: { services: [{ name: web, port: 80 }] }
---`;

const alb = `
apiVersion: crd.alauda.io/v2
kind: ALB2
metadata: { name: alb, namespace: ops }
spec: { type: nginx, config: { projects: [ALL_ALL] } }
---
apiVersion: crd.alauda.io/v1
kind: Frontend
metadata: { name: ft, namespace: ops, labels: { alb2.cpaas.io/name: alb } }
spec: { port: 8080, protocol: http }
---${rule("web", "a.example", "/")}${rule("more", "e.example", "/more")}`;

function urls(port: number, hosts: readonly string[]): readonly string[] {
  const paths = ["/", "/docs", "/more/x", "/rest"];
  return hosts.flatMap((host) => paths.map((path) => `http://${host}:${String(port)}${path}`));
}

const INGRESS_HOSTS = ["a.example", "b.example", "x.w.example", "unnamed.example"];

export const BROKEN_WORLDS: readonly BrokenWorld[] = [
  {
    name: "Ingresses and routes",
    text: services + ingresses + gateway + routes,
    urls: [
      ...urls(80, INGRESS_HOSTS),
      ...urls(8000, ["a.example", "c.example", "d.example", "unnamed.example"]),
    ],
  },
  {
    name: "an ALB2 with Rules and Ingresses",
    text: services + alb + ingresses,
    urls: [
      ...urls(80, INGRESS_HOSTS),
      ...urls(8080, ["a.example", "e.example", "unnamed.example"]),
    ],
  },
];

/** Hosts as people mistype them; none is in the worlds. */
const MISTYPED: readonly Json[] = [
  "my_app.example",
  "*",
  "192.0.2.1",
  "mine.example:8080",
  "mine.example.",
  "mine.example/",
  "https://mine.example",
  7,
  ["mine.example"],
];

const PATHS = { path: "/mine", pathType: "Prefix" };
const PART = { service: { name: "web", port: { number: 80 } } };

function ingressOf(rules: Json, more: Readonly<Record<string, Json>> = {}): Json {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "a", namespace: "shop", ...more },
    spec: { rules },
  };
}

function routeOf(spec: Readonly<Record<string, Json>>, kind = "HTTPRoute"): Json {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind,
    metadata: { name: "a", namespace: "shop" },
    spec: { parentRefs: [{ name: "edge" }], ...spec },
  };
}

const RULES = [
  {
    matches: [{ path: { type: "Exact", value: "/mine" } }],
    backendRefs: [{ name: "web", port: 80 }],
  },
];
const HTTP = { paths: [{ ...PATHS, backend: PART }] };
const LABELS = { "alb2.cpaas.io/name": "alb", "alb2.cpaas.io/frontend": "ft" };

function ruleOf(host: Json): Json {
  return {
    apiVersion: "crd.alauda.io/v1",
    kind: "Rule",
    metadata: { name: "a", namespace: "ops", labels: LABELS },
    spec: {
      dslx: [
        { type: "HOST", values: [["EQ", host]] },
        { type: "URL", values: [["STARTS_WITH", "/mine"]] },
      ],
      priority: 1,
      serviceGroup: { services: [{ name: "web", port: 80 }] },
    },
  };
}

/** Objects that are wrong as they stand. */
export const MISTAKES: readonly Json[] = [
  ...MISTYPED.flatMap((host) => [
    ingressOf([{ host, http: HTTP }]),
    ingressOf([
      { host, http: HTTP },
      { host: "mine.example", http: HTTP },
    ]),
    routeOf({ hostnames: [host], rules: RULES }),
    ...(Array.isArray(host) ? [] : [routeOf({ hostnames: host, rules: RULES })]),
    routeOf({ hostnames: [host], rules: [] }, "GRPCRoute"),
  ]),
  ingressOf(7),
  routeOf({ rules: 7 }),
  routeOf({ hostnames: ["mine.example"], rules: 7 }),
];

/** Valid objects, to be written wrong. */
export const SOUND: readonly Json[] = [
  ingressOf([{ host: "mine.example", http: HTTP }], {
    annotations: {
      "nginx.ingress.kubernetes.io/auth-url": "http://auth.example/",
      "nginx.ingress.kubernetes.io/use-regex": "true",
      "nginx.ingress.kubernetes.io/server-alias": "further.example",
    },
  }),
  ingressOf([{ http: HTTP }]),
  routeOf({ hostnames: ["mine.example"], rules: RULES }),
  routeOf({ rules: RULES }),
  routeOf({ hostnames: ["mine.example"] }, "GRPCRoute"),
  ruleOf("mine.example"),
  {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: { name: "a", namespace: "shop" },
    spec: {
      gatewayClassName: "albc",
      listeners: [
        { name: "http", port: 8000, protocol: "HTTP", hostname: "mine.example" },
        { name: "tls", port: 8000, protocol: "HTTPS", hostname: "mine.example" },
        { name: "all", port: 8001, protocol: "HTTP" },
      ],
    },
  },
  {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "ListenerSet",
    metadata: { name: "a", namespace: "shop" },
    spec: {
      parentRef: { name: "edge" },
      listeners: [{ name: "http", port: 8000, protocol: "HTTP", hostname: "mine.example" }],
    },
  },
  {
    apiVersion: "crd.alauda.io/v2",
    kind: "ALB2",
    metadata: { name: "a", namespace: "ops" },
    spec: {
      type: "nginx",
      config: { projects: ["ALL_ALL"], auth: { basic: { secret: "ops/users" } } },
    },
  },
  {
    apiVersion: "crd.alauda.io/v1",
    kind: "Frontend",
    metadata: { name: "a", namespace: "ops", labels: { "alb2.cpaas.io/name": "alb" } },
    spec: { port: 8080, protocol: "http", config: { auth: { basic: { secret: "ops/users" } } } },
  },
  {
    apiVersion: "crd.alauda.io/v1alpha1",
    kind: "AuthPolicy",
    metadata: { name: "a", namespace: "shop" },
    spec: {
      basic: { secret: "shop/users" },
      targetRefs: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "mine" }],
    },
  },
  {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "BackendTLSPolicy",
    metadata: { name: "a", namespace: "shop" },
    spec: {
      targetRefs: [{ group: "", kind: "Service", name: "mine" }],
      validation: { hostname: "mine.example", wellKnownCACertificates: "System" },
    },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "a", namespace: "shop" },
    spec: { ports: [{ port: 80 }] },
  },
];
