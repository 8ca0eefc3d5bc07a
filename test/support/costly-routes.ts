/** As costly-objects.ts, of Gateway API. */
import {
  ALB_GROUP,
  type Costly,
  type Manifest,
  S,
  object,
  range,
  service,
} from "./costly-objects.js";

export const GATEWAY = "gateway.networking.k8s.io/v1";

export const CLASS = {
  apiVersion: GATEWAY,
  kind: "GatewayClass",
  metadata: { name: "c" },
  spec: { controllerName: "alb.cpaas.io/gateway-controller" },
};
export const listeners = (count: number, more: (i: number) => Manifest = () => ({})): Manifest[] =>
  range(count, (i) => ({ name: `l${i}`, port: 8000 + i, protocol: "HTTP", ...more(i) }));
export const gateway = (name: string, own: readonly Manifest[], more: Manifest = {}): Manifest =>
  object(GATEWAY, "Gateway", name, { spec: { gatewayClassName: "c", listeners: own, ...more } });
export const https = (name: string, hostname: string): Manifest => ({
  ...{ name, hostname, port: 443, protocol: "HTTPS" },
  tls: { certificateRefs: [{ name: "x" }] },
});
export const refs = [{ name: "s", port: 80 }];
const SERVICE = { group: "", kind: "Service" };

export function route(i: number, more: Manifest = {}, kind = "HTTPRoute"): Manifest {
  const spec = {
    parentRefs: [{ name: "g" }],
    hostnames: [`r${i}.example`],
    rules: [{ backendRefs: refs }],
  };
  return object(GATEWAY, kind, `r${i}`, { spec: { ...spec, ...more } });
}

export const policy = (i: number, targetRefs: readonly Manifest[]): Manifest =>
  object(`${ALB_GROUP}/v1alpha1`, "AuthPolicy", `p${i}`, {
    spec: { forward: { url: `http://a.b/${i}` }, targetRefs },
  });
export const target = (kind: string, name: string): Manifest => ({
  group: "gateway.networking.k8s.io",
  kind,
  name,
});
export const one = [S, CLASS, gateway("g", listeners(1))];

/** Few bytes that name many places: 64 listeners × 16 hosts × 16 matches each. */
const manyPlaces = (count: number, more: (k: number) => Manifest = () => ({})): Manifest[] => [
  S,
  CLASS,
  gateway("g", listeners(64)),
  ...range(count, (k) =>
    route(k, {
      hostnames: range(16, (i) => `${"h".repeat(i + 1)}.r${k}.example`),
      rules: [{ matches: range(16, (i) => ({ path: { value: `/${i}` } })), backendRefs: refs }],
      ...more(k),
    }),
  ),
];

/** 16 names each, on 64 listeners. */
const tlsRoutes = (count: number): Manifest[] => [
  S,
  CLASS,
  gateway(
    "g",
    listeners(64, () => ({ protocol: "TLS", tls: { mode: "Passthrough" } })),
  ),
  ...range(count, (i) =>
    route(i, { hostnames: range(16, (h) => `h${h}.r${i}.example`) }, "TLSRoute"),
  ),
];

/** Of one Gateway. */
const listenerSets = (count: number, own: (k: number) => readonly Manifest[]): Manifest[] => [
  S,
  CLASS,
  gateway("g", listeners(1), { allowedListeners: { namespaces: { from: "All" } } }),
  ...range(count, (k) =>
    object(GATEWAY, "ListenerSet", `s${k}`, {
      spec: { parentRef: { name: "g" }, listeners: own(k) },
    }),
  ),
];

export const COSTLY_ROUTES: Costly = {
  "routes of one listener": (n) => [...one, ...range(n, (i) => route(i))],
  "routes of one host": (n) => [...one, ...range(n, (i) => route(i, { hostnames: ["a.example"] }))],
  "hosts that several routes have": (n) => [
    ...one,
    ...range(n / 4, (i) =>
      route(i, { hostnames: range(16, (k) => `h${k}.g${Math.floor(i / 4)}.example`) }),
    ),
  ],
  "ListenerSets that several routes have": (n) => [
    ...one.filter(({ kind }) => kind !== "Gateway"),
    gateway("g", listeners(1), { allowedListeners: { namespaces: { from: "All" } } }),
    ...range(n, (i) =>
      object(GATEWAY, "ListenerSet", `s${i}`, {
        spec: {
          parentRef: { name: "g" },
          listeners: [{ name: "l", port: 8000, protocol: "HTTP", hostname: `*.h${i}.example` }],
        },
      }),
    ),
    ...range(2, (i) =>
      route(i, {
        parentRefs: [{ kind: "ListenerSet", name: "s0" }],
        hostnames: [`r${i}.h0.example`],
      }),
    ),
  ],
  "hosts and matches on 64 listeners": (n) => manyPlaces(n / 20),
  "hosts and matches on 64 listeners, each with a route of its own": (n) => [
    ...manyPlaces(n / 20),
    ...range(64, (i) => route(1000 + i, { parentRefs: [{ name: "g", sectionName: `l${i}` }] })),
  ],
  // There are 64 such sets.
  "hosts and matches on any 32 of 64 listeners": (n) =>
    manyPlaces(n / 10, (k) => ({
      parentRefs: range(32, (i) => ({
        name: "g",
        sectionName: `l${(i * (2 * (k % 32) + 1) + k) % 64}`,
      })),
    })),
  "hosts and matches on 64 ports that two Gateways have": (n) => [
    ...manyPlaces(n / 20),
    gateway(
      "other",
      listeners(64, (i) => ({ hostname: `*.l${i}.example` })),
    ),
  ],
  "large rules on 64 listeners": (n) => [
    S,
    CLASS,
    gateway("g", listeners(64)),
    ...range(n / 200, (i) =>
      route(i, {
        rules: range(16, (k) => ({
          matches: [{ path: { type: "Exact", value: `/${k}` } }],
          backendRefs: refs,
          filters: [
            {
              type: "RequestHeaderModifier",
              requestHeaderModifier: {
                set: range(16, (h) => ({ name: `X-${h}`, value: "v".repeat(500) })),
              },
            },
          ],
        })),
      }),
    ),
  ],
  "policies for 16 ports of a Service that routes name": (n) => [
    ...one,
    ...range(n / 2, (i) =>
      object(GATEWAY, "BackendTLSPolicy", `p${i}`, {
        spec: {
          targetRefs: range(16, (k) => ({ ...SERVICE, name: "s", sectionName: `p${k}` })),
          validation: { hostname: "a.example", wellKnownCACertificates: "System" },
        },
      }),
    ),
    ...range(2 * n, (i) => route(i)),
  ],
  "routes that name no Gateway of ours": (n) => [
    CLASS,
    ...range(n / 16, (i) => route(i, { parentRefs: range(32, (k) => ({ name: `x${k}` })) })),
  ],
  "Gateways for every route": (n) => [
    S,
    CLASS,
    ...range(n / 4, (i) =>
      gateway(
        `g${i}`,
        listeners(1, () => ({ port: 80, hostname: `*.g${i}.example` })),
        {
          defaultScope: "All",
        },
      ),
    ),
  ],
  "Gateways of one port": (n) => [
    CLASS,
    ...range(n / 8, (k) =>
      gateway(
        `g${k}`,
        listeners(8, (i) => ({ port: 80, hostname: `l${i}.g${k}.example` })),
      ),
    ),
  ],
  "ListenerSets of one Gateway": (n) =>
    listenerSets(n / 8, (k) =>
      listeners(4, (i) => ({ port: 9000, hostname: `l${i}.s${k}.example` })),
    ),
  "ListenerSets with HTTPS listeners": (n) =>
    listenerSets(n / 8, (k) => range(4, (i) => https(`l${i}`, `l${i}.s${k}.example`))),
  "HTTPS listeners of one port": (n) => [
    CLASS,
    ...range(n / 8, (k) =>
      gateway(
        `g${k}`,
        range(8, (i) => https(`l${i}`, `l${i}.g${k}.example`)),
      ),
    ),
  ],
  "HTTPS listeners below another": (n) => [
    CLASS,
    ...range(n / 8, (k) =>
      gateway(
        `g${k}`,
        range(8, (i) => https(`l${i}`, `${i % 2 > 0 ? "*" : "a"}.l${i >> 1}.g${k}.example`)),
      ),
    ),
  ],
  "AuthPolicies and routes": (n) => [
    ...one,
    ...range(n, (i) => route(i)),
    ...range(n, (i) => policy(i, [target("HTTPRoute", `r${i}`)])),
  ],
  "AuthPolicies of one route": (n) => [
    ...one,
    route(1),
    ...range(n, (i) => policy(i, [target("HTTPRoute", "r1")])),
  ],
  "AuthPolicies for many Gateways' routes": (n) => [
    CLASS,
    ...range(n / 2, (i) =>
      gateway(
        `g${i}`,
        listeners(1, () => ({ port: 80, hostname: `g${i}.example` })),
      ),
    ),
    ...range(n / 2, (i) => route(i, { parentRefs: [{ name: `g${i}` }] })),
    ...range(n / 2, (i) => policy(i, [target("HTTPRoute", `r${i}`)])),
  ],
  "refused AuthPolicies and routes with auth": (n) => [
    ...one,
    ...range(n, (i) => ({ ...policy(i, []), spec: { forward: 1 } })),
    ...range(n, (i) =>
      route(i, {
        rules: [
          {
            filters: [
              {
                type: "ExtensionRef",
                extensionRef: { group: ALB_GROUP, kind: "AuthPolicy", name: `p${i}` },
              },
            ],
            backendRefs: refs,
          },
        ],
      }),
    ),
  ],
  "ReferenceGrants and references": (n) => [
    ...one,
    ...range(n, (i) => ({
      apiVersion: "gateway.networking.k8s.io/v1beta1",
      kind: "ReferenceGrant",
      metadata: { name: `gr${i}`, namespace: "other" },
      spec: {
        from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: `x${i}` }],
        to: [{ group: "", kind: "Service", name: `s${i}` }],
      },
    })),
    ...range(n, (i) =>
      route(i, { rules: [{ backendRefs: [{ name: `s${i}`, namespace: "other", port: 80 }] }] }),
    ),
  ],
  "BackendTLSPolicies and Services": (n) => [
    ...one,
    ...range(n, (i) => service(`s${i}`)),
    ...range(n, (i) => route(i, { rules: [{ backendRefs: [{ name: `s${i}`, port: 80 }] }] })),
    ...range(n, (i) =>
      object(GATEWAY, "BackendTLSPolicy", `p${i}`, {
        spec: {
          targetRefs: [{ group: "", kind: "Service", name: `s${i}` }],
          validation: { hostname: "a.example", wellKnownCACertificates: "System" },
        },
      }),
    ),
  ],
  "TLSRoutes on 64 listeners": (n) => tlsRoutes(n / 64),
  "TLSRoutes on 64 listeners, each with a route of its own": (n) => [
    ...tlsRoutes(n / 16),
    ...range(64, (i) =>
      route(1000 + i, { parentRefs: [{ name: "g", sectionName: `l${i}` }] }, "TLSRoute"),
    ),
  ],
  "TLSRoutes that older ones shadow on 64 listeners": (n) => [
    ...tlsRoutes(1),
    ...range(n / 64, (i) =>
      route(i + 1, { hostnames: range(16, (h) => `h${h}.r0.example`) }, "TLSRoute"),
    ),
  ],
  "TLSRoutes of one listener": (n) => [
    S,
    CLASS,
    gateway(
      "g",
      listeners(1, () => ({ protocol: "TLS", tls: { mode: "Passthrough" } })),
    ),
    ...range(n / 4, (i) =>
      route(i, { hostnames: range(16, (h) => `h${h}.r${i}.example`) }, "TLSRoute"),
    ),
  ],
};
