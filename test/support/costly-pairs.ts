/** As costly-objects.ts: two things that may be repeated, each for each of the other. */
import {
  COMPAT,
  type Costly,
  type Manifest,
  OWN,
  S,
  annotated,
  balancer,
  dslxRule,
  object,
  range,
  service,
  slice,
  texts,
} from "./costly-objects.js";
import {
  CLASS,
  gateway,
  GATEWAY,
  listeners,
  one,
  policy,
  refs,
  route,
  target,
} from "./costly-routes.js";

/** Below MOST_REPEATED_TEXT: characters of a value times the paths that repeat it. */
const MOST = 13_000_000;
const passthrough = { protocol: "TLS", tls: { mode: "Passthrough" } };
const tlsGateway = gateway(
  "g",
  listeners(64, () => passthrough),
);
/** 16 names each. */
const tlsRoute = (k: number, more: Manifest = {}): Manifest =>
  route(k, { hostnames: range(16, (h) => `h${h}.r${k}.example`), ...more }, "TLSRoute");
const gateways = range(32, (k) =>
  gateway(
    `g${k}`,
    listeners(1, () => ({ port: 9000 + k })),
  ),
);
const ofAll = { parentRefs: range(32, (k) => ({ name: `g${k}` })) };
const paths = range(16, (k) => ({ backendRefs: refs, matches: [{ path: { value: `/${k}` } }] }));
const backend = { service: { name: "s", port: { number: 80 } } };
const whole = (host: string): Manifest => ({
  host,
  http: { paths: [{ path: "/", pathType: "Prefix", backend }] },
});

export const COSTLY_PAIRS: Costly = {
  "cors lists and paths": (n) =>
    annotated(n, {
      [`${COMPAT}/enable-cors`]: "true",
      [`${COMPAT}/cors-allow-origin`]: range(MOST / n / 22, (i) => `https://o${i}.example`).join(),
    }),
  "header rewrites and paths": (n) =>
    annotated(n, {
      [`${OWN}/rewrite-request`]: JSON.stringify({
        headers: Object.fromEntries(range(MOST / n / 22, (i) => [`X-${i}`, "v".repeat(10)])),
      }),
    }),
  "TLS hosts and certificates": (n) => [
    S,

    object("networking.k8s.io/v1", "Ingress", "a", {
      spec: {
        tls: range(n / 10, (k) => ({
          secretName: `x${k}`,
          hosts: range(10, (i) => `h${i}.t${k}.example`),
        })),
        rules: range(n / 10, (k) => whole(`h0.t${k}.example`)),
      },
    }),
  ],
  "backendRefs and endpoints": (n) => [
    ...one,
    ...range(n / 16, (i) =>
      route(i, {
        rules: range(16, () => ({ backendRefs: range(16, () => ({ name: "s", port: 80 })) })),
      }),
    ),
    slice(
      [{ name: "", port: 8080 }],
      range(100, (i) => [`10.0.1.${i}`]),
    ),
  ],
  "filters of backendRefs": (n) => [
    ...one,
    ...range(n / 64, (i) =>
      route(i, {
        rules: range(16, () => ({
          backendRefs: range(16, () => ({
            ...{ name: "s", port: 80 },
            filters: [
              {
                type: "RequestHeaderModifier",
                requestHeaderModifier: { set: [{ name: "X", value: "v" }] },
              },
            ],
          })),
        })),
      }),
    ),
  ],
  "parentRefs and rules": (n) => [
    S,
    CLASS,
    gateway("g", listeners(64)),
    ...range(n / 16, (i) =>
      route(i, {
        parentRefs: range(32, (k) => ({ name: "g", sectionName: `l${k}` })),
        rules: paths,
      }),
    ),
  ],
  "parentRefs of many Gateways and broken rules": (n) => [
    S,
    CLASS,
    ...gateways,
    ...range(n / 16, (i) =>
      route(i, {
        ...ofAll,
        rules: range(16, (k) => ({ backendRefs: [{ name: `missing${k}`, port: 80 }] })),
      }),
    ),
  ],
  "Gateways that inherit AuthPolicies": (n) => [
    S,
    CLASS,
    ...gateways,
    ...range(32, (k) => policy(k, [target("Gateway", `g${k}`)])),
    ...range(n / 16, (i) =>
      route(i, {
        ...ofAll,
        rules: paths,
      }),
    ),
  ],
  "listeners with AuthPolicies of their own": (n) => [
    S,
    CLASS,
    gateway("g", listeners(64)),
    ...range(64, (k) => policy(k, [{ ...target("Gateway", "g"), sectionName: `l${k}` }])),
    ...range(n / 16, (i) => route(i, { rules: paths })),
  ],
  "BackendTLSPolicies with targets, and routes of many Gateways": (n) => [
    CLASS,
    ...gateways,
    ...range(n / 8, (i) => service(`s${i}`)),
    ...range(n / 8, (i) =>
      route(i, {
        ...ofAll,
        rules: [
          {
            backendRefs: range(16, (k) => ({
              name: `s${(i + k) % Math.max(1, Math.floor(n / 8))}`,
              port: 80,
            })),
          },
        ],
      }),
    ),
    ...range(n / 128, (i) =>
      object(GATEWAY, "BackendTLSPolicy", `p${i}`, {
        spec: {
          targetRefs: range(16, (k) => ({ group: "", kind: "Service", name: `s${16 * i + k}` })),
          validation: { hostname: "a.example", wellKnownCACertificates: "System" },
        },
      }),
    ),
  ],
  "ReferenceGrants of one namespace with 16 × 16": (n) => [
    ...one,
    ...range(n / 16, (i) => ({
      apiVersion: "gateway.networking.k8s.io/v1beta1",
      kind: "ReferenceGrant",
      metadata: { name: `gr${i}`, namespace: "other" },
      spec: {
        from: range(16, (k) => ({
          group: "gateway.networking.k8s.io",
          kind: "HTTPRoute",
          namespace: `x${i}y${k}`,
        })),
        to: range(16, (k) => ({ group: "", kind: "Service", name: `s${i}t${k}` })),
      },
    })),
    ...range(n / 16, (i) =>
      route(i, {
        rules: [
          { backendRefs: range(16, (k) => ({ name: `s${i}t${k}`, namespace: "other", port: 80 })) },
        ],
      }),
    ),
  ],
  "Rules with hosts and many terms": (n) => [
    ...balancer,
    ...range(n / 64, (k) =>
      dslxRule(k, [
        { type: "HOST", values: range(64, (i) => ["EQ", `h${i}.r${k}.example`]) },
        { type: "URL", values: range(64, (i) => ["STARTS_WITH", `/${i}`]) },
        ...range(32, (i) => ({
          type: "HEADER",
          key: `h${i}`,
          values: range(4, (j) => ["EQ", `x${j}`]),
        })),
      ]),
    ),
  ],
  "routes with hostnames above all listeners": (n) => [
    S,
    CLASS,
    gateway(
      "g",
      listeners(64, (i) => ({ port: 80, hostname: `l${i}.a.example` })),
    ),
    ...range(n / 4, (k) => route(k, { hostnames: ["*.example", "*.a.example"] })),
  ],
  "TLSRoutes on any 32 of 64 listeners": (n) => [
    S,
    CLASS,
    tlsGateway,
    ...range(n / 16, (k) =>
      tlsRoute(k, {
        parentRefs: range(32, (i) => ({
          name: "g",
          sectionName: `l${(i * (2 * (k % 32) + 1) + k) % 64}`,
        })),
      }),
    ),
  ],
  "TLSRoutes on 64 ports that two Gateways have": (n) => [
    S,
    CLASS,
    tlsGateway,
    gateway(
      "other",
      listeners(64, (i) => ({
        hostname: `*.l${i}.example`,
        protocol: "TLS",
        tls: { mode: "Passthrough" },
      })),
    ),
    ...range(n / 16, (k) => tlsRoute(k)),
  ],
  "TLSRoutes on 64 listeners, and wildcards of their own": (n) => [
    S,
    CLASS,
    tlsGateway,
    ...range(n / 16, (k) => tlsRoute(k)),
    ...range(64, (i) =>
      route(
        1000 + i,
        { hostnames: ["*.example"], parentRefs: [{ name: "g", sectionName: `l${i}` }] },
        "TLSRoute",
      ),
    ),
  ],
  "header ConfigMaps of each path": (n) => [
    object("v1", "ConfigMap", "h", {
      data: Object.fromEntries(range(n / 4, (i) => [`X-${i}`, "v".repeat(20)])),
    }),
    ...annotated(n / 4, {
      ...texts(n / 4, (i) => [`index.0-${i}.${OWN}/auth-url`, `http://a.b/${i}`]),
      [`${COMPAT}/auth-proxy-set-headers`]: "default/h",
    }),
  ],
  "namespaces and selectors": (n) => [
    S,
    CLASS,
    gateway(
      "g",
      listeners(64, (i) => ({
        allowedRoutes: {
          namespaces: {
            from: "Selector",
            selector: {
              matchExpressions: range(8, (k) => ({
                key: `k${k}`,
                operator: "NotIn",
                values: [`v${i}`],
              })),
            },
          },
        },
      })),
    ),
    ...range(n / 4, (i) => ({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: `ns${i}`, labels: { a: `b${i}` } },
    })),
    ...range(n / 4, (i) => ({
      ...route(i, { parentRefs: [{ name: "g", namespace: "default" }] }),
      metadata: { name: `r${i}`, namespace: `ns${i}` },
    })),
  ],
};
