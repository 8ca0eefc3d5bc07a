/** Objects of every kind that serve or protect something: a namespace's own, and the operator's. */
import { loadAll } from "js-yaml";
import type { KeyPair } from "../../../e2e/harness/certificates.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import type { Manifest } from "./manifest.js";
import { foundation } from "./operator.js";

const OPERATOR = `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: { name: albc }
spec: { controllerName: alb.cpaas.io/gateway-controller }
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: { name: nginx }
spec: { controller: k8s.io/ingress-nginx }
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: common, namespace: ops }
spec:
  gatewayClassName: albc
  defaultScope: All
  listeners:
    - { name: http, port: 8081, protocol: HTTP, allowedRoutes: { namespaces: { from: All } } }
    - { name: tls, port: 9444, protocol: TLS, tls: { mode: Passthrough }, allowedRoutes: { namespaces: { from: All } } }
  allowedListeners: { namespaces: { from: All } }
`;

const LOAD_BALANCER = `
apiVersion: crd.alauda.io/v2
kind: ALB2
metadata: { name: alb, namespace: ops }
spec: { type: nginx, config: { projects: [ALL_ALL] } }
---
apiVersion: crd.alauda.io/v1
kind: Frontend
metadata: { name: alb-00080, namespace: ops, labels: { alb2.cpaas.io/name: alb } }
spec: { port: 80, protocol: http }
---
apiVersion: crd.alauda.io/v1
kind: Rule
metadata: { name: r, namespace: ops, labels: { alb2.cpaas.io/name: alb, alb2.cpaas.io/frontend: alb-00080 } }
spec:
  priority: 4
  dslx:
    - { type: HOST, values: [[EQ, rule.shared.example]] }
    - { type: URL, values: [[STARTS_WITH, /admin], [EQ, /secret]] }
  serviceGroup: { services: [{ name: web, namespace: victim, port: 80 }] }
  config: { auth: { basic: { secret: victim/users } } }
`;

const WHOLE_PORTS = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: whole, namespace: victim }
spec:
  gatewayClassName: albc
  listeners:
    - { name: http, port: 80, protocol: HTTP }
    - { name: https, port: 443, protocol: HTTPS, tls: { certificateRefs: [{ name: tls }] } }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: whole, namespace: victim }
spec:
  parentRefs: [{ name: whole }]
  hostnames: [a.shared.example]
  rules:
    - matches: [{ path: { type: PathPrefix, value: / } }]
      filters: [{ type: ExtensionRef, extensionRef: { group: crd.alauda.io, kind: AuthPolicy, name: login } }]
      backendRefs: [{ name: web, port: 80 }]
`;

const BACKENDS = `
apiVersion: v1
kind: Service
metadata: { name: secure }
spec: { ports: [{ name: https, port: 443 }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: secure, labels: { kubernetes.io/service-name: secure } }
addressType: IPv4
ports: [{ name: https, port: 8443, protocol: TCP }]
endpoints: [{ addresses: [10.0.0.3] }]
---
apiVersion: v1
kind: Service
metadata: { name: dns }
spec: { ports: [{ name: dns, port: 53, protocol: UDP }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: dns, labels: { kubernetes.io/service-name: dns } }
addressType: IPv4
ports: [{ name: dns, port: 53, protocol: UDP }]
endpoints: [{ addresses: [10.0.0.4] }]
---
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: { name: secure }
spec:
  targetRefs: [{ group: "", kind: Service, name: secure }]
  validation: { hostname: secure.example, caCertificateRefs: [{ group: "", kind: ConfigMap, name: ca }] }
---
apiVersion: gateway.networking.k8s.io/v1
kind: ReferenceGrant
metadata: { name: lent }
spec:
  from:
    - { group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: tenant }
    - { group: gateway.networking.k8s.io, kind: Gateway, namespace: tenant }
    - { group: networking.k8s.io, kind: Ingress, namespace: tenant }
  to: [{ group: "", kind: Service }, { group: "", kind: Secret }]
`;

const backend = "backend: { service: { name: web, port: { number: 80 } } }";
const INGRESSES = `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: open }
spec:
  tls: [{ hosts: [a.shared.example], secretName: tls }]
  rules:
    - host: a.shared.example
      http: { paths: [{ path: /, pathType: Prefix, ${backend} }, { path: /health, pathType: Exact, ${backend} }] }
    - host: c.shared.example
      http: { paths: [{ path: /, pathType: Prefix, ${backend} }] }
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: closed
  annotations: { nginx.ingress.kubernetes.io/auth-type: basic, nginx.ingress.kubernetes.io/auth-secret: users }
spec:
  rules:
    - host: a.shared.example
      http: { paths: [{ path: /admin, pathType: Prefix, ${backend} }] }
    - host: "*.w.example"
      http: { paths: [{ path: /, pathType: Prefix, ${backend} }] }
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: asked
  annotations: { nginx.ingress.kubernetes.io/auth-url: "http://auth.example/", nginx.ingress.kubernetes.io/auth-signin: "http://auth.example/in" }
spec:
  rules: [{ host: b.shared.example, http: { paths: [{ path: /, pathType: Prefix, ${backend} }] } }]
`;

const GATEWAYS = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: edge }
spec:
  gatewayClassName: albc
  listeners:
    - { name: plain, port: 80, protocol: HTTP, hostname: g.shared.example }
    - { name: http, port: 8080, protocol: HTTP, hostname: "*.gw.example" }
    - { name: https, port: 8443, protocol: HTTPS, hostname: "*.gw.example", tls: { certificateRefs: [{ name: tls }] } }
    - { name: web, port: 443, protocol: HTTPS, hostname: g.shared.example, tls: { certificateRefs: [{ name: tls }] } }
    - { name: passed, port: 8443, protocol: TLS, hostname: "*.tls.example", tls: { mode: Passthrough } }
    - { name: ended, port: 9443, protocol: TLS, hostname: "*.tls.example", tls: { mode: Terminate, certificateRefs: [{ name: tls }] } }
    - { name: tcp, port: 5432, protocol: TCP }
    - { name: udp, port: 53, protocol: UDP }
  allowedListeners: { namespaces: { from: Same } }
---
apiVersion: gateway.networking.k8s.io/v1
kind: ListenerSet
metadata: { name: more }
spec:
  parentRef: { name: edge }
  listeners:
    - { name: extra, port: 8080, protocol: HTTP, hostname: set.example }
    - { name: secret, port: 8445, protocol: HTTPS, hostname: set.example, tls: { certificateRefs: [{ name: tls }] } }
`;

const ROUTES = `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: open }
spec:
  parentRefs: [{ name: edge }, { group: gateway.networking.k8s.io, kind: ListenerSet, name: more }]
  rules:
    - backendRefs: [{ name: web, port: 80 }]
    - matches: [{ path: { type: PathPrefix, value: /secure } }]
      backendRefs: [{ name: secure, port: 443 }]
    - matches: [{ path: { type: PathPrefix, value: /moved } }]
      filters: [{ type: RequestRedirect, requestRedirect: { scheme: https, statusCode: 301 } }]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: closed }
spec:
  parentRefs: [{ name: edge }]
  hostnames: [api.gw.example, g.shared.example]
  rules:
    - matches: [{ path: { type: PathPrefix, value: /admin } }]
      filters: [{ type: ExtensionRef, extensionRef: { group: crd.alauda.io, kind: AuthPolicy, name: login } }]
      backendRefs: [{ name: web, port: 80 }]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: covered }
spec:
  parentRefs: [{ name: common, namespace: ops }]
  hostnames: [a.common.example, "*.wide.example"]
  rules:
    - matches: [{ path: { type: PathPrefix, value: / } }, { path: { type: Exact, value: /health } }]
      backendRefs: [{ name: web, port: 80 }]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: default }
spec:
  useDefaultGateways: All
  hostnames: [default.example]
  rules: [{ backendRefs: [{ name: web, port: 80 }] }]
---
apiVersion: gateway.networking.k8s.io/v1
kind: GRPCRoute
metadata: { name: grpc }
spec:
  parentRefs: [{ name: edge, sectionName: https }]
  hostnames: [grpc.gw.example]
  rules:
    - matches: [{ method: { service: shop.Admin } }]
      filters: [{ type: ExtensionRef, extensionRef: { group: crd.alauda.io, kind: AuthPolicy, name: login } }]
      backendRefs: [{ name: web, port: 80 }]
---
apiVersion: crd.alauda.io/v1alpha1
kind: AuthPolicy
metadata: { name: login }
spec: { forward: { url: "http://auth.example/check", auth_headers_cm_ref: victim/ca } }
---
apiVersion: crd.alauda.io/v1alpha1
kind: AuthPolicy
metadata: { name: basic }
spec:
  targetRefs: [{ group: gateway.networking.k8s.io, kind: HTTPRoute, name: covered }]
  basic: { secret: victim/users }
---
apiVersion: gateway.networking.k8s.io/v1
kind: TLSRoute
metadata: { name: tls }
spec:
  parentRefs: [{ name: edge }, { name: common, namespace: ops }]
  hostnames: [a.tls.example, "*.b.tls.example"]
  rules: [{ backendRefs: [{ name: web, port: 80 }] }]
---
apiVersion: gateway.networking.k8s.io/v1
kind: TCPRoute
metadata: { name: tcp }
spec:
  parentRefs: [{ name: edge, sectionName: tcp }]
  rules: [{ backendRefs: [{ name: web, port: 80 }] }]
---
apiVersion: gateway.networking.k8s.io/v1
kind: UDPRoute
metadata: { name: udp }
spec:
  parentRefs: [{ name: edge, sectionName: udp }]
  rules: [{ backendRefs: [{ name: dns, port: 53 }] }]
`;

/** Older than what is added. */
const OLD = "2024-01-01T00:00:00Z";

/** Objects of YAML; what they leave out is the victim's. */
export function read(text: string): readonly Manifest[] {
  return (loadAll(text) as Manifest[]).map((object) => {
    const isClass = object.kind.endsWith("Class");
    const given = {
      generation: 1,
      creationTimestamp: OLD,
      ...(!isClass && { namespace: "victim" }),
    };
    return { ...object, metadata: { ...given, ...object.metadata } };
  });
}

/** What the operator has. With a load balancer Ingresses of class nginx are not served, those without one are. */
export const OPERATORS = {
  "no load balancer": { operators: read(OPERATOR), options: DEFAULT_OPTIONS },
  "no Ingresses, and Gateways for whole ports": {
    operators: [...read(OPERATOR), ...read(WHOLE_PORTS)],
    options: DEFAULT_OPTIONS,
    without: "Ingress",
  },
  "a load balancer": {
    operators: [...read(OPERATOR), ...read(LOAD_BALANCER)],
    options: DEFAULT_OPTIONS,
  },
  "addresses for Gateways": {
    operators: read(OPERATOR),
    options: { ...DEFAULT_OPTIONS, gatewayAddresses: ["192.0.2.1", "192.0.2.2", "192.0.2.3"] },
  },
  "the option sharedHosts": {
    operators: read(OPERATOR),
    options: { ...DEFAULT_OPTIONS, sharedHosts: true, snippets: "translate" as const },
  },
  "the option ingressPriorityNamespaces": {
    operators: [...read(OPERATOR), ...read(LOAD_BALANCER)],
    options: { ...DEFAULT_OPTIONS, ingressPriorityNamespaces: ["tenant"] },
  },
  "Ingresses without a class ignored": {
    operators: read(OPERATOR),
    options: { ...DEFAULT_OPTIONS, ingressWithoutClass: false },
  },
};

export function victims(pair: KeyPair): readonly Manifest[] {
  const ca: Manifest = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "ca", namespace: "victim" },
    data: { "ca.crt": pair.certificate, "X-Secret": "victim" },
  };
  return [
    ...foundation("victim", pair),
    ca,
    ...[BACKENDS, INGRESSES, GATEWAYS, ROUTES].flatMap(read),
  ];
}
