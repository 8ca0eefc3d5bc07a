/**
 * Everything finite, and what keeps one namespace from using it up. Each resource that namespaces share is exhausted by one of them, in as
 * few bytes as we know; the whole holds, and another namespace is served as if it were alone. Resources of requests name their own test.
 */
import { existsSync } from "node:fs";
import { type Compilation, compile } from "../../src/compile.js";
import { MOST_OF_OBJECT, MOST_PROBLEMS } from "../../src/diagnostics/sink.js";
import { resourcesFromObjects } from "../../src/input/load.js";
import { type CompileOptions, DEFAULT_OPTIONS } from "../../src/model/options.js";
import { unixSockets } from "../../src/render/nginx/stream-view.js";
import { contentsOf } from "../../src/render/rendered-file.js";
import { DIAGNOSTIC_CATALOG } from "../../src/diagnostics/catalog.js";
import { COSTLY_INGRESSES, COSTLY_RULES, type Manifest, range } from "../support/costly-objects.js";
import { COSTLY_ROUTES } from "../support/costly-routes.js";

const OWN = "alb.ingress.cpaas.io";
const COMPAT = "nginx.ingress.kubernetes.io";
const GATEWAY_API = "gateway.networking.k8s.io/v1";

const make = (
  [apiVersion, kind]: readonly [string, string],
  [namespace, name]: readonly [string, string],
  parts: Manifest,
  annotations: Manifest = {},
): Manifest => ({ apiVersion, kind, metadata: { name, namespace, annotations }, ...parts });

const service = (namespace: string): Manifest =>
  make(["v1", "Service"], [namespace, "s"], { spec: { ports: [{ port: 80 }] } });

function ingress(namespace: string, i: number, annotations: Manifest = {}, paths = 1): Manifest {
  const backend = { service: { name: "s", port: { number: 80 } } };
  const http = {
    paths: range(paths, (k) => ({ path: `/${String(k)}`, pathType: "Prefix", backend })),
  };
  const spec = { rules: [{ host: `h${String(i)}.${namespace}.example`, http }] };
  const of = ["networking.k8s.io/v1", "Ingress"] as const;
  return make(of, [namespace, `i${String(i)}`], { spec }, annotations);
}

const slice = (namespace: string, count: number): Manifest => ({
  ...make(["discovery.k8s.io/v1", "EndpointSlice"], [namespace, "s"], {
    addressType: "IPv4",
    ports: [{ port: 80 }],
    endpoints: range(count, (i) => ({ addresses: [`10.0.${String(i >> 8)}.${String(i & 255)}`] })),
  }),
  metadata: { name: "s", namespace, labels: { "kubernetes.io/service-name": "s" } },
});

const CLASS = make([GATEWAY_API, "GatewayClass"], ["", "albc"], {
  spec: { controllerName: DEFAULT_OPTIONS.controllerName },
});

const gateway = (namespace: string, i: number): Manifest =>
  make([GATEWAY_API, "Gateway"], [namespace, `g${String(i)}`], {
    spec: {
      gatewayClassName: "albc",
      listeners: range(64, (k) => ({
        name: `l${String(k)}`,
        port: 10_000 + 64 * i + k,
        protocol: "TCP",
      })),
    },
  });

const basic = { [`${OWN}/auth-type`]: "basic", [`${OWN}/auth-secret`]: "u" };
const faultySecret = make(["v1", "Secret"], ["tenant", "u"], {
  data: { auth: Buffer.from("a\n".repeat(20_000)).toString("base64") },
});

interface Shared {
  readonly options?: Partial<CompileOptions>;
  readonly exhaust: () => readonly Manifest[];
  /** How much of it is used. */
  readonly used: (result: Compilation) => number;
  readonly most: number;
  /** What tells the tenant. */
  readonly code: keyof typeof DIAGNOSTIC_CATALOG;
}

/** What namespaces share. */
const SHARED: Readonly<Record<string, Shared>> = {
  "listening sockets": {
    options: { listenerSockets: 128, httpPort: 0, httpsPort: 0 },
    exhaust: () => [CLASS, gateway("tenant", 0), gateway("tenant", 1)],
    used: ({ config }) =>
      2 * new Set([...config.streams, ...config.servers].map(({ port }) => port)).size +
      unixSockets(config),
    most: 128,
    code: "LISTENER_OVER_BUDGET",
  },
  "locations of nginx": {
    options: { nginxLocations: 8, httpsPort: 0 },
    exhaust: () =>
      range(40, (i) =>
        ingress("tenant", i, { [`${COMPAT}/proxy-body-size`]: `${String(i + 1)}k` }),
      ),
    used: ({ config }) =>
      new Set(
        config.routes.flatMap((each) => (each.bodyLimit && !each.holdsBody ? each.bodyLimit : [])),
      ).size,
    most: 8,
    code: "LOCATIONS_OVER_BUDGET",
  },
  "bytes of the policy": {
    options: { policySize: 200_000 },
    exhaust: () =>
      range(20, (i) =>
        ingress(
          "tenant",
          i,
          {
            [`${COMPAT}/whitelist-source-range`]: range(
              300,
              (k) => `10.0.${String(k >> 8)}.${String(k & 255)}`,
            ).join(),
          },
          50,
        ),
      ),
    used: ({ files }) => {
      const contents = files.find(({ path }) => path === "policy.json");
      return contents === undefined ? 0 : contentsOf(contents).length;
    },
    most: 1.25 * 200_000 + 20_000,
    code: "POLICY_OVER_BUDGET",
  },
  "bytes of endpoints": {
    options: { policySize: 40_000 },
    exhaust: () => [ingress("tenant", 0), slice("tenant", 900)],
    used: ({ config }) => config.upstreams.reduce((sum, each) => sum + each.endpoints.length, 0),
    most: 500,
    code: "POLICY_OVER_BUDGET",
  },
  "bytes of listeners": {
    options: { policySize: 40_000, httpPort: 0, httpsPort: 0 },
    exhaust: () => [CLASS, gateway("tenant", 0), gateway("tenant", 1)],
    used: ({ config }) => config.streams.length,
    most: 64,
    code: "LISTENER_OVER_BUDGET",
  },
  "problems of one object": {
    exhaust: () => [faultySecret, ...range(60, (i) => ingress("tenant", i, basic))],
    used: ({ diagnostics }) =>
      diagnostics.filter(({ resource }) => resource?.kind === "Secret").length,
    most: MOST_OF_OBJECT + 1,
    code: "PROBLEMS_NOT_LISTED",
  },
  problems: {
    exhaust: () =>
      range(MOST_PROBLEMS / 40, (i) =>
        ingress("tenant", i, Object.fromEntries(range(50, (k) => [`${OWN}/x${String(k)}`, "1"]))),
      ),
    used: ({ diagnostics }) => diagnostics.length,
    most: MOST_PROBLEMS + 10,
    code: "PROBLEMS_NOT_LISTED",
  },
};

/** Shared too, where exhausting it takes a test of its own; or bounded by request. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "TLS to backends": "test/unit/translate/gateway/policies/backend-tls-shares.test.ts",
  "memory for one object's hosts and paths":
    "test/unit/translate/gateway/routes/route-size.test.ts",
  "reloads, and old workers": "test/unit/controller/reload-shares.test.ts",
  logins: "test/lua/auth/failed-logins.namespaces.test.ts",
  "time to compile": "test/property/compile-cost.test.ts",
  "turns of a request": "test/lua/turns.test.ts",
  "tries and mirrors of a request": "test/lua/turns.breadth.test.ts",
  "bytes that a request's templates add": "test/lua/expansion.test.ts",
  "time of a worker for a request": "test/lua/request-cost.test.ts",
  "time of a worker for the headers that settings change":
    "test/lua/request-cost.header-changes.test.ts",
  "copies of requests in flight": "test/lua/filters/mirror.test.ts",
  Events: "test/unit/kubernetes/event-recorder.test.ts",
  "log lines about endpoints, and outages": "test/lua/upstream/outages.test.ts",
  "run folder, by bodies": "test/lua/bodies-on-disk.test.ts",
  "time of a regular expression": "test/lua/regular-expression-costs.test.ts",
};

const VICTIM = [
  service("victim"),
  slice("victim", 3),
  ingress("victim", 0, { [`${COMPAT}/proxy-body-size`]: "3333k" }, 3),
];

const ofVictim = ({ config }: Compilation) => [
  ...config.routes.filter(({ source }) => source[1] === "victim"),
  ...config.upstreams.filter(({ id }) => id.startsWith("victim/")),
];

test.each(Object.entries(SHARED))("%s", (_what, { options = {}, exhaust, used, most, code }) => {
  const all = { ...DEFAULT_OPTIONS, ...options };
  const compiled = (objects: readonly Manifest[]): Compilation =>
    compile(resourcesFromObjects(objects).resources, all);
  const alone = compiled(VICTIM);
  const result = compiled([...VICTIM, service("tenant"), ...exhaust()]);

  expect(used(result)).toBeLessThanOrEqual(most);
  const told = result.diagnostics.filter((each) => each.code === code);
  expect(new Set(told.map(({ resource }) => resource?.namespace))).toEqual(new Set(["tenant"]));
  expect(ofVictim(result)).toEqual(ofVictim(alone));
});

test.each(Object.entries(ELSEWHERE))("%s has a test of its own", (_what, path) => {
  expect(existsSync(path)).toBe(true);
});

/** Codes without a generator here: their own test exhausts what they are about. */
const APART: Readonly<Record<string, string>> = {
  BACKEND_TLS_OVER_BUDGET: "TLS to backends",
};

describe("whatever is cheap for one namespace costs no other one", () => {
  const options = {
    ...DEFAULT_OPTIONS,
    ...{ listenerSockets: 64, nginxLocations: 8, policySize: 65_536 },
  };
  const compiled = (objects: readonly Manifest[]): Compilation =>
    compile(resourcesFromObjects(objects).resources, options);
  const all = { ...COSTLY_INGRESSES, ...COSTLY_RULES, ...COSTLY_ROUTES };
  const reached = new Set<string>();
  const alone = ofVictim(compiled(VICTIM));

  it.each(Object.entries(all))("%s", (_what, make) => {
    // An ALB2 is the operator's, and would serve the victim at other ports.
    const tenant = make(300).filter(({ kind }) => kind !== "ALB2");
    const result = compiled([...VICTIM, ...tenant]);
    for (const { code } of result.diagnostics) reached.add(code);
    expect(ofVictim(result)).toEqual(alone);
  });

  it("reaches the end of everything that is shared", () => {
    const codes = Object.keys(DIAGNOSTIC_CATALOG).filter((code) => code.endsWith("_OVER_BUDGET"));
    const all = [...codes, "PROBLEMS_NOT_LISTED"];
    expect(all.filter((code) => !reached.has(code))).toEqual(Object.keys(APART));
    expect(Object.values(APART).filter((what) => !(what in ELSEWHERE))).toEqual([]);
  });
});

test("each diagnostic that says that something is used up is of a resource above", () => {
  const codes = Object.keys(DIAGNOSTIC_CATALOG).filter((code) => code.endsWith("_OVER_BUDGET"));
  const known = new Set<string>(Object.values(SHARED).map(({ code }) => code));
  expect(codes.filter((code) => !known.has(code))).toEqual(Object.keys(APART));
});

test("10,000 routes in 50 namespaces are far from each limit", () => {
  const objects = range(50, (n) => {
    const namespace = `team-${String(n)}`;
    return [
      service(namespace),
      ...range(200, (i) =>
        ingress(namespace, i, {
          [`${COMPAT}/proxy-body-size`]: `${String(2 ** (i % 6))}m`,
          [`${COMPAT}/auth-url`]: `http://auth.${namespace}.svc.cluster.local/`,
          [`${COMPAT}/auth-signin`]: "https://login.example/start?rd=$scheme://$host$request_uri",
          [`${COMPAT}/whitelist-source-range`]: "10.0.0.0/8,192.168.0.0/16",
        }),
      ),
    ];
  }).flat();
  const options = {
    ...DEFAULT_OPTIONS,
    policySize: DEFAULT_OPTIONS.policySize / 8,
    nginxLocations: DEFAULT_OPTIONS.nginxLocations / 8,
  };
  const { diagnostics, config } = compile(resourcesFromObjects(objects).resources, options);
  expect(config.routes).toHaveLength(10_000);
  expect(diagnostics.filter(({ code }) => code.endsWith("_OVER_BUDGET"))).toEqual([]);
  expect(config.routes.filter(({ refuse }) => refuse !== undefined)).toEqual([]);
});
