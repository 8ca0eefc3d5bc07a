/** Objects that multiply: something of them for each of something else, in as few bytes as that can be said. `n` is the factor. */
type Manifest = Readonly<Record<string, unknown>>;
export type Costly = Readonly<Record<string, (n: number) => readonly Manifest[]>>;

const OWN = "alb.ingress.cpaas.io";
const COMPAT = "nginx.ingress.kubernetes.io";
const GATEWAY = "gateway.networking.k8s.io/v1";
const ALB_GROUP = "crd.alauda.io";

function range<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: Math.max(1, Math.floor(count)) }, (_, i) => make(i));
}

function texts(count: number, make: (i: number) => readonly [string, string]): Manifest {
  return Object.fromEntries(range(count, make));
}

function object(apiVersion: string, kind: string, name: string, parts: Manifest): Manifest {
  return { apiVersion, kind, metadata: { name, namespace: "default" }, ...parts };
}

const service = (name: string): Manifest =>
  object("v1", "Service", name, { spec: { ports: [{ port: 80 }] } });
const S = service("s");
const backend = { service: { name: "s", port: { number: 80 } } };
const at = (path: string, pathType = "Prefix"): Manifest => ({ path, pathType, backend });
const rule = (host: string, paths: readonly Manifest[]): Manifest => ({ host, http: { paths } });
const paths = (count: number): Manifest[] => range(count, (i) => at(`/${i}`));

function ingress(name: string, spec: Manifest, annotations: Manifest = {}): Manifest {
  const made = object("networking.k8s.io/v1", "Ingress", name, { spec });
  return { ...made, metadata: { name, namespace: "default", annotations } };
}

/** One Ingress with so many paths. */
const annotated = (count: number, annotations: Manifest): Manifest[] => [
  S,
  ingress("a", { rules: [rule("a.example", paths(count))] }, annotations),
];

const users = (count: number): string =>
  range(count, (i) => `u${i}:$apr1$abcdefgh$0123456789012345678901`).join("\n");
const secret = (auth: string): Manifest =>
  object("v1", "Secret", "u", { data: { auth: Buffer.from(auth).toString("base64") } });

/** Plain paths: what all others are measured by. */
export const plainPaths = (count: number): readonly Manifest[] => annotated(count, {});

export const COSTLY_INGRESSES: Costly = {
  "index annotations and paths": (n) =>
    annotated(
      2 * n,
      texts(n, (i) => [`index.0-${i}.${OWN}/auth-realm`, "x"]),
    ),
  "auth of each path": (n) =>
    annotated(
      n,
      texts(n / 2, (i) => [`index.0-${i}.${OWN}/auth-url`, `http://a.b/${i}`]),
    ),
  "unknown annotations and paths": (n) =>
    annotated(
      n,
      texts(n, (i) => [`x${i}.example/auth`, "x"]),
    ),
  "misspelt restrictions of each path": (n) =>
    annotated(
      n,
      texts(n / 2, (i) => [`index.0-${i}.${OWN}/auth-ulr`, "x"]),
    ),
  "auth with a long list and paths": (n) =>
    annotated(n, {
      [`${COMPAT}/auth-url`]: "http://a.b/",
      [`${COMPAT}/auth-response-headers`]: range(n, (i) => `X-${i}`).join(","),
    }),
  "a secret of many users, and realms": (n) => [
    secret(users(n)),
    ...annotated(n / 2, {
      ...texts(n / 2, (i) => [`index.0-${i}.${OWN}/auth-realm`, `r${i}`]),
      [`${OWN}/auth-type`]: "basic",
      [`${OWN}/auth-secret`]: "u",
    }),
  ],
  "aliases that are hosts of rules": (n) => [
    S,
    ingress(
      "a",
      { rules: range(n, (i) => rule(`a${i}.example`, [at("/")])) },
      { [`${COMPAT}/server-alias`]: range(n, (i) => `a${i}.example`).join(",") },
    ),
  ],
  "aliases and paths": (n) =>
    annotated(n / 2, {
      [`${COMPAT}/server-alias`]: range(n / 2, (i) => `h${i}.example`).join(","),
    }),
  "TLS entries and hosts": (n) => [
    S,
    ingress("a", {
      tls: range(n, () => ({ secretName: "x" })),
      rules: range(n, (i) => rule(`a${i}.example`, [at("/")])),
    }),
  ],
  "Ingresses of one host": (n) => [
    S,
    ...range(n, (i) => ingress(`a${i}`, { rules: [rule("a.example", [at(`/${i}`)])] })),
  ],
  "one path many times": (n) => [
    S,
    ingress("a", {
      rules: [
        rule(
          "a.example",
          range(n, () => at("/")),
        ),
      ],
    }),
  ],
  "patterns with rewriting": (n) => [
    S,
    ingress(
      "a",
      {
        rules: [
          rule(
            "a.example",
            range(n, (i) => at(`/p${i}.*x`, "ImplementationSpecific")),
          ),
        ],
      },
      { [`${COMPAT}/use-regex`]: "true", [`${COMPAT}/rewrite-target`]: "/$1" },
    ),
  ],
  "default backends": (n) => range(n, (i) => ingress(`a${i}`, { defaultBackend: backend })),
  "missing Services": (n) => [
    ingress("a", {
      rules: [
        rule(
          "a.example",
          range(n, (i) => ({
            ...at(`/${i}`),
            backend: { service: { name: `m${i}`, port: { number: 80 } } },
          })),
        ),
      ],
    }),
  ],
  "unknown fields": (n) => [
    ingress("a", {
      rules: [
        rule(
          "a.example",
          range(n, (i) => ({ ...at(`/${i}`), bakend: 1 })),
        ),
      ],
    }),
  ],
  "refused Ingresses": (n) =>
    range(n, (i) => ingress(`a${i}`, { rules: [rule("a.example", [at("x", "Foo")])] })),
  "long values": (n) =>
    annotated(1, {
      [`${COMPAT}/auth-url`]: `http://a.b/${"$host".repeat(4 * n)}`,
      [`${COMPAT}/permanent-redirect`]: `http://a.b/${"$".repeat(20 * n)}`,
      [`${COMPAT}/auth-realm`]: `x${" ".repeat(20 * n)}x`,
      [`${COMPAT}/denylist-source-range`]: ",".repeat(20 * n),
    }),
  "a long path": (n) => [
    S,
    ingress("a", { rules: [rule("a.example", [at(`/${"a".repeat(60 * n)}`)])] }),
  ],
};

const CLASS = {
  apiVersion: GATEWAY,
  kind: "GatewayClass",
  metadata: { name: "c" },
  spec: { controllerName: "alb.cpaas.io/gateway-controller" },
};
const listeners = (count: number, more: (i: number) => Manifest = () => ({})): Manifest[] =>
  range(count, (i) => ({ name: `l${i}`, port: 8000 + i, protocol: "HTTP", ...more(i) }));
const gateway = (name: string, own: readonly Manifest[], more: Manifest = {}): Manifest =>
  object(GATEWAY, "Gateway", name, { spec: { gatewayClassName: "c", listeners: own, ...more } });
const refs = [{ name: "s", port: 80 }];

function route(i: number, more: Manifest = {}, kind = "HTTPRoute"): Manifest {
  const spec = {
    parentRefs: [{ name: "g" }],
    hostnames: [`r${i}.example`],
    rules: [{ backendRefs: refs }],
  };
  return object(GATEWAY, kind, `r${i}`, { spec: { ...spec, ...more } });
}

const policy = (i: number, targetRefs: readonly Manifest[]): Manifest =>
  object(`${ALB_GROUP}/v1alpha1`, "AuthPolicy", `p${i}`, {
    spec: { forward: { url: `http://a.b/${i}` }, targetRefs },
  });
const target = (kind: string, name: string): Manifest => ({
  group: "gateway.networking.k8s.io",
  kind,
  name,
});
const one = [S, CLASS, gateway("g", listeners(1))];

export const COSTLY_ROUTES: Costly = {
  "routes of one listener": (n) => [...one, ...range(n, (i) => route(i))],
  "routes of one host": (n) => [...one, ...range(n, (i) => route(i, { hostnames: ["a.example"] }))],
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
  "ListenerSets of one Gateway": (n) => [
    S,
    CLASS,
    gateway("g", listeners(1), { allowedListeners: { namespaces: { from: "All" } } }),
    ...range(n / 8, (k) =>
      object(GATEWAY, "ListenerSet", `s${k}`, {
        spec: {
          parentRef: { name: "g" },
          listeners: listeners(4, (i) => ({ port: 9000, hostname: `l${i}.s${k}.example` })),
        },
      }),
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

const frontend = (k: number, port: number): Manifest => ({
  ...object(`${ALB_GROUP}/v1`, "Frontend", `f${k}`, { spec: { port, protocol: "http" } }),
  metadata: { name: `f${k}`, namespace: "default", labels: { "alb2.cpaas.io/name": "alb" } },
});
const ALB = object(`${ALB_GROUP}/v2`, "ALB2", "alb", {
  spec: { type: "nginx", config: { projects: ["ALL_ALL"] } },
});
const dslxRule = (k: number, dslx: readonly Manifest[], own = "f0"): Manifest => ({
  apiVersion: `${ALB_GROUP}/v1`,
  kind: "Rule",
  metadata: {
    name: `r${k}`,
    namespace: "default",
    labels: { "alb2.cpaas.io/name": "alb", "alb2.cpaas.io/frontend": own },
  },
  spec: {
    priority: 5,
    dslx,
    serviceGroup: { services: [{ name: "s", namespace: "default", port: 80, weight: 100 }] },
  },
});
const balancer = [S, ALB, frontend(0, 80)];

export const COSTLY_RULES: Costly = {
  "rows of paths": (n) => [
    ...balancer,
    dslxRule(0, [{ type: "URL", values: range(n, (i) => ["STARTS_WITH", `/${i}`]) }]),
  ],
  "hosts and paths": (n) => [
    ...balancer,
    dslxRule(0, [
      { type: "HOST", values: range(n, (i) => ["EQ", `h${i}.example`]) },
      { type: "URL", values: range(n, (i) => ["STARTS_WITH", `/${i}`]) },
    ]),
  ],
  terms: (n) => [
    ...balancer,
    dslxRule(
      0,
      range(n, (i) => ({ type: "HEADER", key: `h${i}`, values: [["EQ", "x"]] })),
    ),
  ],
  Rules: (n) => [
    ...balancer,
    ...range(n, (k) => dslxRule(k, [{ type: "URL", values: [["STARTS_WITH", `/${k}`]] }])),
  ],
  "Frontends of one port": (n) => [S, ALB, ...range(n, (k) => frontend(k, 80))],
  "Rules of no Frontend": (n) => [
    ...balancer,
    ...range(n, (k) => dslxRule(k, [{ type: "URL", values: [["EQ", "/"]] }], `x${k}`)),
  ],
  "EndpointSlices of one Service": (n) => [
    ...annotated(1, {}),
    ...range(n / 100, (k) => ({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        name: `e${k}`,
        namespace: "default",
        labels: { "kubernetes.io/service-name": "s" },
      },
      addressType: "IPv4",
      ports: [{ name: "", port: 8080 }],
      endpoints: range(100, (i) => ({ addresses: [`10.0.${k & 255}.${i}`] })),
    })),
  ],
  "objects of one name": (n) => range(n, () => S),
};
