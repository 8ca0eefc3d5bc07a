/** Protected objects of every kind, each beside a wider one that is open. */

interface Scene {
  readonly name: string;
  /** The protected object. */
  readonly text: string;
  /** All other objects. */
  readonly others: string;
}

const SERVICES = `
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { ports: [{ port: 80 }] }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: ops }
spec: { ports: [{ port: 80 }] }
${["shop", "ops"]
  .map(
    (namespace) => `---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web-1, namespace: ${namespace}, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
ports: [{ port: 8080 }]
endpoints: [{ addresses: [10.0.0.1] }]
`,
  )
  .join("")}---
apiVersion: v1
kind: Namespace
metadata: { name: shop, labels: { cpaas.io/project: shop } }
`;

const OPEN_INGRESS = `---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: open, namespace: shop }
spec:
  rules:
    - host: a.example
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
`;

const ALB = `---
apiVersion: crd.alauda.io/v2
kind: ALB2
metadata: { name: alb, namespace: ops }
spec: { type: nginx, config: { projects: [ALL_ALL] } }
`;

const FRONTEND = `---
apiVersion: crd.alauda.io/v1
kind: Frontend
metadata: { name: alb-00080, namespace: ops, labels: { alb2.cpaas.io/name: alb } }
spec: { port: 80, protocol: http }
`;

const OPEN_RULE = `---
apiVersion: crd.alauda.io/v1
kind: Rule
metadata: { name: open, namespace: ops, labels: { alb2.cpaas.io/name: alb, alb2.cpaas.io/frontend: alb-00080 } }
spec:
  dslx:
    - { type: HOST, values: [[EQ, a.example]] }
    - { type: URL, values: [[STARTS_WITH, /]] }
  serviceGroup: { services: [{ name: web, port: 80 }] }
`;

const GATEWAY = `---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: { name: albc }
spec: { controllerName: alb.cpaas.io/gateway-controller }
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: edge, namespace: shop }
spec: { gatewayClassName: albc, listeners: [{ name: http, port: 80, protocol: HTTP }] }
`;

const POLICY = `---
apiVersion: crd.alauda.io/v1alpha1
kind: AuthPolicy
metadata: { name: login, namespace: shop }
spec: { forward: { url: http://auth.example/check } }
`;

const OPEN_ROUTE = `---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: open, namespace: shop }
spec:
  parentRefs: [{ name: edge }]
  hostnames: [a.example]
  rules: [{ backendRefs: [{ name: web, port: 80 }] }]
`;

const AUTH = "auth: { forward: { url: http://auth.example/check } }";

export const SCENES: readonly Scene[] = [
  {
    name: "an Ingress with forward auth",
    text: `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: secret
  namespace: shop
  annotations: { nginx.ingress.kubernetes.io/auth-url: http://auth.example/check }
spec:
  rules:
    - host: a.example
      http:
        paths:
          - { path: /admin, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }
          - { path: /health, pathType: Exact, backend: { service: { name: web, port: { number: 80 } } } }
`,
    others: SERVICES + OPEN_INGRESS,
  },
  {
    name: "an ALB2 with auth for its Ingresses",
    text: `
apiVersion: crd.alauda.io/v2
kind: ALB2
metadata: { name: alb, namespace: ops }
spec: { type: nginx, config: { projects: [ALL_ALL], ${AUTH} } }
`,
    others: SERVICES + OPEN_INGRESS,
  },
  {
    name: "a Frontend with auth for its Ingresses",
    text: `
apiVersion: crd.alauda.io/v1
kind: Frontend
metadata: { name: alb-00080, namespace: ops, labels: { alb2.cpaas.io/name: alb } }
spec: { port: 80, protocol: http, config: { ${AUTH} } }
`,
    others: SERVICES + ALB + OPEN_INGRESS,
  },
  {
    name: "a Rule with auth",
    text: `
apiVersion: crd.alauda.io/v1
kind: Rule
metadata: { name: secret, namespace: ops, labels: { alb2.cpaas.io/name: alb, alb2.cpaas.io/frontend: alb-00080 } }
spec:
  priority: 4
  dslx:
    - { type: HOST, values: [[EQ, a.example]] }
    - { type: URL, values: [[STARTS_WITH, /admin], [EQ, /secret]] }
  serviceGroup: { services: [{ name: web, port: 80 }] }
  config: { ${AUTH} }
`,
    others: SERVICES + ALB + FRONTEND + OPEN_RULE,
  },
  {
    name: "an HTTPRoute with an auth filter",
    text: `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: secret, namespace: shop }
spec:
  parentRefs: [{ name: edge, sectionName: http }]
  hostnames: [a.example, b.example]
  rules:
    - matches: [{ path: { type: PathPrefix, value: /admin } }, { path: { type: Exact, value: /secret } }]
      filters: [{ type: ExtensionRef, extensionRef: { group: crd.alauda.io, kind: AuthPolicy, name: login } }]
      backendRefs: [{ name: web, port: 80 }]
`,
    others: SERVICES + GATEWAY + POLICY + OPEN_ROUTE,
  },
  {
    name: "a GRPCRoute with an auth filter",
    text: `
apiVersion: gateway.networking.k8s.io/v1
kind: GRPCRoute
metadata: { name: secret, namespace: shop }
spec:
  parentRefs: [{ name: edge }]
  hostnames: [a.example]
  rules:
    - matches: [{ method: { service: shop.Admin, method: Delete } }]
      filters: [{ type: ExtensionRef, extensionRef: { group: crd.alauda.io, kind: AuthPolicy, name: login } }]
      backendRefs: [{ name: web, port: 80 }]
`,
    others: SERVICES + GATEWAY + POLICY + OPEN_ROUTE.replace("HTTPRoute", "GRPCRoute"),
  },
  {
    name: "an AuthPolicy for a Gateway",
    text: `
apiVersion: crd.alauda.io/v1alpha1
kind: AuthPolicy
metadata: { name: login, namespace: shop }
spec:
  targetRefs: [{ group: gateway.networking.k8s.io, kind: Gateway, name: edge }]
  forward: { url: http://auth.example/check }
`,
    others: SERVICES + GATEWAY + OPEN_ROUTE,
  },
];
