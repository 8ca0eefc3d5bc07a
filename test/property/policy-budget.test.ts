/**
 * However few bytes of objects become many of the policy, the policy stays within its capacity, the largest namespace loses its newest
 * objects, and all other namespaces are served as without it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { selfSigned } from "../../e2e/harness/certificates.js";
import { Compiler, compile } from "../../src/compile.js";
import { resourcesFromObjects, loadResources } from "../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { type PolicyRoute } from "../../src/model/policy.js";
import { readPolicy } from "../../src/explain/explain.js";
import { type RenderedPolicy, contentsOf } from "../../src/render/rendered-file.js";
import { COSTLY_INGRESSES, COSTLY_RULES, type Manifest } from "../support/costly-objects.js";
import { CLASS, COSTLY_ROUTES, gateway, listeners } from "../support/costly-routes.js";
import { fc, runs, timeoutOf } from "../support/fast-check.js";
import { inputs } from "../support/hostile-input.js";

const KIB = 1024;

function policyOf({ files }: ReturnType<typeof compile>): RenderedPolicy {
  const contents = files.find(({ path }) => path === "policy.json")?.contents;
  if (typeof contents !== "object" || !("maps" in contents)) throw new Error("there is no policy");
  return contents;
}

const inNamespace = (objects: readonly Manifest[], namespace: string): readonly Manifest[] =>
  objects.map((each) => ({ ...each, metadata: { ...(each["metadata"] as object), namespace } }));

const service = (namespace: string): Manifest => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "s", namespace },
  spec: { ports: [{ port: 80 }] },
});

interface Shape {
  readonly paths: number;
  /** Characters that are repeated for each path. */
  readonly size: number;
  readonly day?: number;
}

function ingress(namespace: string, name: string, { paths, size, day = 0 }: Shape): Manifest {
  const backend = { service: { name: "s", port: { number: 80 } } };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: {
      name,
      namespace,
      creationTimestamp: new Date(Date.UTC(2024, 0, 1 + day)).toISOString(),
      annotations: {
        "nginx.ingress.kubernetes.io/whitelist-source-range": Array.from(
          { length: Math.ceil(size / 12) },
          (_, i) => `10.0.${String(i >> 8)}.${String(i & 255)}`,
        ).join(),
      },
    },
    spec: {
      rules: [
        {
          host: `${name}.${namespace}.example`,
          http: {
            paths: Array.from({ length: paths }, (_, i) => ({
              path: `/${String(i)}`,
              pathType: "Prefix",
              backend,
            })),
          },
        },
      ],
    },
  };
}

const optionsOf = (policySize: number) => ({ ...DEFAULT_OPTIONS, policySize });
const compiled = (objects: readonly Manifest[], policySize: number) =>
  compile(resourcesFromObjects(objects).resources, optionsOf(policySize));
const routesOf = (result: ReturnType<typeof compile>): Readonly<Record<string, PolicyRoute>> =>
  readPolicy(policyOf(result).reveal()).routes;

const VICTIM = [service("victim"), ingress("victim", "v", { paths: 3, size: 100, day: 9 })];

describe("the policy stays within its capacity", () => {
  const cases = Object.entries({ ...COSTLY_INGRESSES, ...COSTLY_RULES, ...COSTLY_ROUTES });
  const capacity = 64 * KIB;

  it.each(cases)("with %s", (_what, make) => {
    const objects = [...VICTIM, ...inNamespace(make(300), "tenant")];
    const result = compiled(objects, capacity);
    // A quarter each for what closed objects keep, for endpoints, and for listeners.
    expect(policyOf(result).size).toBeLessThanOrEqual(1.75 * capacity + 8 * KIB);
    for (const [id, route] of Object.entries(routesOf(compiled(VICTIM, capacity)))) {
      expect(routesOf(result)[id]).toEqual(route);
    }
  });
});

test("a route that is closed for lack of a share is not accepted", () => {
  const large = ([name, namespace]: readonly [string, string], paths: number): Manifest => ({
    ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute" },
    metadata: { name, namespace },
    spec: {
      parentRefs: [{ name: "g", namespace: "infra" }],
      hostnames: [`${name}.example`],
      rules: Array.from({ length: paths }, (_, i) => ({
        matches: [{ path: { value: `/${String(i)}` } }],
        backendRefs: [{ name: "s", port: 80 }],
      })),
    },
  });
  const open = listeners(1, () => ({ allowedRoutes: { namespaces: { from: "All" } } }));
  const objects = [
    CLASS,
    ...inNamespace([gateway("g", open)], "infra"),
    ...[service("tenant"), large(["big", "tenant"], 16)],
    ...[service("victim"), large(["small", "victim"], 1)],
  ];
  const result = compiled(objects, 6 * KIB);
  const accepted = result.statuses.flatMap(({ kind, metadata, status }) =>
    kind === "HTTPRoute" ? [[metadata.name, JSON.stringify(status["parents"])] as const] : [],
  );
  const message = result.diagnostics.find(({ code }) => code === "POLICY_OVER_BUDGET")?.message;
  expect(message).toMatch(/^namespace tenant has 0 of the 6 KiB of the policy/);
  const [big, small] = accepted.map(([, text]) => text);
  expect(big).toContain('"type":"Accepted","status":"False","reason":"NoResources"');
  expect(big).toContain(message);
  expect(small).toContain('"type":"Accepted","status":"True"');
});

test("names in certificates are shared, once for each port that serves them", async () => {
  const names = Array.from({ length: 300 }, (_, i) => `n${String(i)}.tenant.example`);
  const { certificate, key } = await selfSigned(...names);
  const secret = (name: string): Manifest => ({
    ...{ apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls" },
    ...{ metadata: { name }, stringData: { "tls.crt": certificate, "tls.key": key } },
  });
  const tls = { certificateRefs: [{ name: "x" }, { name: "y" }] };
  const own = gateway(
    "g",
    listeners(64, () => ({ protocol: "HTTPS", tls })),
  );
  const ofVictim = gateway(
    "v",
    listeners(1, () => ({ port: 9000 })),
  );
  const capacity = 800 * KIB;
  const result = compiled(
    [
      CLASS,
      ...inNamespace([ofVictim], "victim"),
      ...inNamespace([secret("x"), secret("y"), own], "tenant"),
    ],
    capacity,
  );
  expect(policyOf(result).size).toBeLessThanOrEqual(capacity / 4 + 8 * KIB);
  const told = result.diagnostics.filter(({ code }) => code === "LISTENER_OVER_BUDGET");
  expect(new Set(told.map(({ resource }) => resource?.namespace))).toEqual(new Set(["tenant"]));
  expect(result.config.servers.filter(({ port }) => port === 9000)).toHaveLength(1);
});

const wanted = fc.array(
  fc.record({
    namespace: fc.constantFrom("a", "b", "c"),
    paths: fc.integer({ min: 1, max: 12 }),
    size: fc.nat({ max: 2000 }),
    day: fc.nat({ max: 3 }),
  }),
  { minLength: 1, maxLength: 10 },
);

const objectsOf = (list: typeof wanted extends fc.Arbitrary<infer T> ? T : never) => [
  ...["a", "b", "c"].map(service),
  ...list.map(({ namespace, paths, size, day }, i) =>
    ingress(namespace, `i${String(i)}`, { paths, size, day }),
  ),
];

test(
  "what is closed is reported, and all else is as with enough",
  () => {
    fc.assert(
      fc.property(wanted, fc.integer({ min: 2, max: 60 }), (list, kib) => {
        const objects = objectsOf(list);
        const result = compiled(objects, kib * KIB);
        const whole = routesOf(compiled(objects, DEFAULT_OPTIONS.policySize));
        const lost = new Set(
          result.diagnostics
            .filter(({ code }) => code === "POLICY_OVER_BUDGET")
            .map(({ resource }) => `${resource?.namespace ?? ""}/${resource?.name ?? ""}`),
        );
        for (const [id, route] of Object.entries(routesOf(result))) {
          const [, namespace, name] = route.source;
          if (lost.has(`${namespace}/${name}`)) expect(route.refuse?.[0]).toBe(503);
          else if (route.refuse === undefined) expect(route).toEqual(whole[id]);
        }
      }),
      runs(40),
    );
  },
  timeoutOf(120_000),
);

test(
  "after changes, all is as after a fresh start",
  () => {
    fc.assert(
      fc.property(fc.array(wanted, { minLength: 2, maxLength: 4 }), (steps) => {
        const compiler = new Compiler();
        const options = optionsOf(20 * KIB);
        for (const list of steps) {
          const { resources } = resourcesFromObjects(objectsOf(list));
          const { files, diagnostics } = compiler.compile(resources, options);
          const fresh = compile(resources, options);
          expect(diagnostics).toEqual(fresh.diagnostics);
          expect(files.map(contentsOf)).toEqual(fresh.files.map(contentsOf));
        }
      }),
      runs(20),
    );
  },
  timeoutOf(120_000),
);

test("one ConfigMap and seven Ingresses of one tenant are no harm to others", () => {
  const annotations = (i: number): Manifest =>
    Object.fromEntries(
      Array.from({ length: 200 }, (_, path) => [
        `index.0-${String(path)}.alb.ingress.cpaas.io/auth-url`,
        `http://a.b/${String(i)}/${String(path)}`,
      ]),
    );
  const tenant = Array.from({ length: 7 }, (_, i): Manifest => {
    const made = ingress("tenant", `i${String(i)}`, { paths: 200, size: 0 });
    return {
      ...made,
      metadata: {
        ...(made["metadata"] as object),
        annotations: {
          ...annotations(i),
          "alb.ingress.cpaas.io/auth-proxy-set-headers": "tenant/h",
        },
      },
    };
  });
  const headers = (size: number): Manifest => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "h", namespace: "tenant" },
    data: { "X-A": "a".repeat(size) },
  });
  for (const size of [979 * KIB, 60 * KIB]) {
    const result = compiled(
      [...VICTIM, service("tenant"), headers(size), ...tenant],
      8 * KIB * KIB,
    );
    // Whatever names it, a ConfigMap's headers are one entry.
    expect(policyOf(result).size).toBeLessThan(2 * KIB * KIB);
    expect(result.diagnostics.filter(({ code }) => code === "POLICY_OVER_BUDGET")).toEqual([]);
    const victim = Object.values(routesOf(result)).filter(({ source }) => source[1] === "victim");
    expect(victim.map(({ refuse }) => refuse)).toEqual([undefined, undefined, undefined]);
  }
});

test("the golden inputs and examples are far from it", () => {
  const examples = readdirSync("examples", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".yaml"))
    .map((path) => loadResources([{ path, text: readFileSync(`examples/${path}`, "utf8") }]));
  const all = [...inputs.map((objects) => resourcesFromObjects(objects)), ...examples];
  expect(all.length).toBeGreaterThan(100);
  for (const { resources } of all) {
    const result = compile(resources, optionsOf(KIB * KIB));
    expect(result.diagnostics.filter(({ code }) => code === "POLICY_OVER_BUDGET")).toEqual([]);
  }
});
