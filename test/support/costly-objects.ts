/** Objects that multiply: something of them for each of something else, in as few bytes as that can be said. `n` is the factor. */
import { MOST_HEADERS } from "../../src/translate/size-limits.js";

export type Manifest = Readonly<Record<string, unknown>>;
export type Costly = Readonly<Record<string, (n: number) => readonly Manifest[]>>;

export const OWN = "alb.ingress.cpaas.io";
export const COMPAT = "nginx.ingress.kubernetes.io";
export const ALB_GROUP = "crd.alauda.io";

export function range<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: Math.max(1, Math.floor(count)) }, (_, i) => make(i));
}

export function texts(count: number, make: (i: number) => readonly [string, string]): Manifest {
  return Object.fromEntries(range(count, make));
}

export function object(apiVersion: string, kind: string, name: string, parts: Manifest): Manifest {
  return { apiVersion, kind, metadata: { name, namespace: "default" }, ...parts };
}

export const service = (name: string): Manifest =>
  object("v1", "Service", name, { spec: { ports: [{ port: 80 }] } });
export const S = service("s");
const backend = { service: { name: "s", port: { number: 80 } } };
const at = (path: string, pathType = "Prefix"): Manifest => ({ path, pathType, backend });
const rule = (host: string, paths: readonly Manifest[]): Manifest => ({ host, http: { paths } });
const paths = (count: number): Manifest[] => range(count, (i) => at(`/${i}`));

function ingress(name: string, spec: Manifest, annotations: Manifest = {}): Manifest {
  const made = object("networking.k8s.io/v1", "Ingress", name, { spec });
  return { ...made, metadata: { name, namespace: "default", annotations } };
}

/** One Ingress with so many paths. */
export const annotated = (count: number, annotations: Manifest): Manifest[] => [
  S,
  ingress("a", { rules: [rule("a.example", paths(count))] }, annotations),
];

const users = (count: number): string =>
  range(count, (i) => `u${i}:$apr1$abcdefgh$0123456789012345678901`).join("\n");
const secret = (auth: string): Manifest =>
  object("v1", "Secret", "u", { data: { auth: Buffer.from(auth).toString("base64") } });

/** Plain paths: what all others are measured by. */
export const plainPaths = (count: number): readonly Manifest[] => annotated(count, {});

/** 64 paths for 128 names each. */
const manyAliases = (n: number, annotations: Manifest = {}): Manifest[] =>
  range(n / 250, (k) =>
    ingress(
      `a${k}`,
      { rules: [rule(`a${k}.example`, paths(64))] },
      {
        ...annotations,
        [`${COMPAT}/server-alias`]: range(127, (i) => `h${i}.a${k}.example`).join(),
      },
    ),
  );

const twins = (count: number, host: (i: number) => string, more: Manifest = {}): Manifest[] => [
  S,
  ...range(2, (k) =>
    ingress(`a${k}`, { rules: range(count, (i) => rule(host(i), [at(`/${k}`), at("/")])) }, more),
  ),
];

export const COSTLY_INGRESSES: Costly = {
  "hosts that several Ingresses have": (n) => twins(2 * n, (i) => `h${i}.example`),
  "wildcards that several Ingresses have": (n) => twins(2 * n, (i) => `*.h${i}.example`),
  "hosts out of their order that several Ingresses have": (n) =>
    twins(2 * n, (i) => `h${i}.example`, { "alb.cpaas.io/ingress-rule-priority-0-0": "7" }),
  "aliases that several Ingresses have": (n) => [
    S,
    ...range(4, (k) =>
      ingress(
        `a${k}`,
        { rules: [rule("a.example", [at(`/${k}`)])] },
        { [`${COMPAT}/server-alias`]: range(n, (i) => `h${i}.example`).join() },
      ),
    ),
  ],
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
      [`${COMPAT}/auth-response-headers`]: range(Math.min(n, MOST_HEADERS), (i) => `X-${i}`).join(
        ",",
      ),
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
  "as many aliases and paths as may be": (n) => [S, ...manyAliases(n)],
  "as many aliases and paths as may be, out of their order": (n) => [
    S,
    ...manyAliases(n, { "alb.cpaas.io/ingress-rule-priority-0-0": "7" }),
  ],
  "a list of addresses that is as long as may be for so many paths": (n) =>
    annotated(n, {
      [`${COMPAT}/whitelist-source-range`]: range(
        13_000_000 / n / 13,
        (i) => `10.1${i >> 12}.1${(i >> 6) & 63}.1${i & 63}`,
      ).join(),
    }),
  "lists of addresses and paths": (n) =>
    annotated(n / 4, {
      [`${COMPAT}/whitelist-source-range`]: range(n / 4, (i) => `10.0.${i >> 8}.${i & 255}`).join(),
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
  "body limits": (n) => [
    S,
    ...range(n, (i) =>
      ingress(
        `a${i}`,
        { rules: [rule(`a${i}.example`, [at("/")])] },
        { [`${COMPAT}/proxy-body-size`]: `${i + 1}k` },
      ),
    ),
  ],
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

const frontend = (k: number, port: number): Manifest => ({
  ...object(`${ALB_GROUP}/v1`, "Frontend", `f${k}`, { spec: { port, protocol: "http" } }),
  metadata: { name: `f${k}`, namespace: "default", labels: { "alb2.cpaas.io/name": "alb" } },
});
const ALB = object(`${ALB_GROUP}/v2`, "ALB2", "alb", {
  spec: { type: "nginx", config: { projects: ["ALL_ALL"] } },
});
export const dslxRule = (k: number, dslx: readonly Manifest[], own = "f0"): Manifest => ({
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
export const balancer = [S, ALB, frontend(0, 80)];

const manyPorts = (n: number, portOf: (i: number) => Manifest): readonly Manifest[] => {
  const ports = range(n, (i) => ({ name: `p${i}`, port: i + 1 }));
  const to = (i: number): Manifest => ({ backend: { service: { name: "s", port: portOf(i) } } });
  const its = range(n, (i) => ({ ...at(`/${i}`), ...to(i) }));
  const made = ingress("a", { rules: [rule("a.example", its)] });
  return [object("v1", "Service", "s", { spec: { ports } }), made];
};

export const slice = (
  ports: readonly Manifest[],
  addresses: readonly (readonly string[])[],
  name = "s",
): Manifest => ({
  ...object("discovery.k8s.io/v1", "EndpointSlice", name, { addressType: "IPv4", ports }),
  metadata: { name, namespace: "default", labels: { "kubernetes.io/service-name": "s" } },
  endpoints: addresses.map((each) => ({ addresses: each })),
});

const frontends = (n: number): readonly Manifest[] => [
  S,
  ALB,
  ...range(n, (k) => frontend(k, 10_000 + k)),
];
const anyUrl = [{ type: "URL", values: [["STARTS_WITH", "/"]] }];

export const COSTLY_RULES: Costly = {
  "hosts that several Rules have": (n) => [
    ...balancer,
    ...range(2, (k) =>
      dslxRule(k, [
        { type: "HOST", values: [["IN", ...range(4 * n, (i) => `h${i}.example`)]] },
        { type: "URL", values: [["STARTS_WITH", `/${k}`]] },
      ]),
    ),
  ],
  "Rules with misspelt labels and Frontends": (n) => [
    ...frontends(n),
    ...range(n, (k) => dslxRule(k, anyUrl, `g${k}`)),
    ...range(n, (k) => dslxRule(n + k, anyUrl, `x${k}`)),
  ],
  "Rules with labels of letters and Frontends": (n) => {
    const letters = (k: number, first: string): string =>
      Array.from(`${k}`.padStart(6, "0")).reduce(
        (name, digit) => name + "abcdefghij".charAt(+digit),
        first,
      );
    const named = (k: number): Manifest => ({
      ...frontend(k, 10_000 + k),
      metadata: {
        name: letters(k, "f"),
        namespace: "default",
        labels: { "alb2.cpaas.io/name": "alb" },
      },
    });
    return [S, ALB, ...range(n, named), ...range(n, (k) => dslxRule(k, anyUrl, letters(k, "z")))];
  },
  "Rules without labels and Frontends": (n) => [
    ...frontends(n),
    ...range(n, (k) => ({
      ...dslxRule(k, anyUrl),
      metadata: { name: `r${k}`, namespace: "default" },
    })),
  ],
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
  Frontends: (n) => [S, ALB, ...range(n, (k) => frontend(k, 1024 + k))],
  "Rules of no Frontend": (n) => [
    ...balancer,
    ...range(n, (k) => dslxRule(k, [{ type: "URL", values: [["EQ", "/"]] }], `x${k}`)),
  ],
  "EndpointSlices of one Service": (n) => [
    ...annotated(1, {}),
    ...range(n / 100, (k) =>
      slice(
        [{ name: "", port: 8080 }],
        range(100, (i) => [`10.0.${k & 255}.${i}`]),
        `e${k}`,
      ),
    ),
  ],
  "objects of one name": (n) => range(n, () => S),
  "ports of a Service, endpoints and addresses": (n) => [
    ...manyPorts(n, (i) => ({ number: i + 1 })),
    slice(
      range(n, (i) => ({ name: `p${i}`, port: i + 1 })),
      range(n, (i) => range(100, (j) => `10.${i >> 8}.${i & 255}.${j}`)),
    ),
  ],
  "ports of a Service by name": (n) => manyPorts(8 * n, () => ({ name: `p${8 * n - 1}` })),
  "ports of a Service that lacks them": (n) => manyPorts(4 * n, () => ({ number: 65_535 })),
};
