/**
 * A compilation that remembers gives what one from scratch gives: after every one of any sequence of changes, byte by byte. The
 * objects are those of the golden cases, so every kind, reference and auth is among them, with EndpointSlices for each Service.
 */
import { fc, runs } from "../support/fast-check.js";
import { KIND_NAMES, type KindName } from "../../src/api/kinds.js";
import { type Compilation, Compiler, compile } from "../../src/compile.js";
import { LiveObjects } from "../../src/input/object-store.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { plain } from "../support/changing-cluster.js";
import { type Json, inputs } from "../support/hostile-input.js";

const ALB_GROUP = DEFAULT_OPTIONS.domains.group;

interface Held {
  readonly kind: KindName;
  readonly namespace: string;
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
}

const WIDE: ReadonlySet<string> = new Set(["Namespace", "GatewayClass", "IngressClass"]);

/** What an API server could hold. */
function held(value: Json): Held[] {
  const { kind: given, metadata } = fieldsOf(value);
  const kind = KIND_NAMES.find((known) => known === given);
  const { name, namespace: space } = fieldsOf(metadata);
  if (kind === undefined || typeof name !== "string") return [];
  const own = typeof space === "string" ? space : "default";
  const namespace = WIDE.has(kind) ? "" : own;
  const named = { ...fieldsOf(metadata), ...(namespace !== "" && { namespace }) };
  return [{ kind, namespace, name, value: { ...fieldsOf(value), metadata: named } }];
}

function fieldsOf(value: Json): Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, Json>)
    : {};
}

function slice(namespace: string, service: string, part: number): Held {
  const name = `${service}-made-${part}`;
  const labels = { "kubernetes.io/service-name": service };
  const value = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name, namespace, labels },
    addressType: "IPv4",
    ports: ["", "http", "https", "grpc", "web"].map((port, i) => ({ name: port, port: 8000 + i })),
    endpoints: [{ addresses: [`10.0.0.${part}`] }],
  };
  return { kind: "EndpointSlice", namespace, name, value };
}

const cases = inputs
  .map((documents) => {
    const objects = documents.flatMap(held);
    const slices = objects.flatMap(({ kind, namespace, name }) =>
      kind === "Service" ? [slice(namespace, name, 1), slice(namespace, name, 2)] : [],
    );
    return [...new Map([...objects, ...slices].map((each) => [keyOf(each), each])).values()];
  })
  .filter(({ length }) => length > 2);

/** Together they take each other's hosts and ports, refuse each other's references, and have routes that a change leaves alone. */
const MIXED = 12;
const mixtures = Array.from({ length: Math.ceil(cases.length / MIXED) }, (_, part) => {
  const objects = cases.filter((_objects, i) => i % MIXED === part % MIXED).flat();
  return [...new Map(objects.map((each) => [keyOf(each), each])).values()];
}).slice(0, MIXED);
const pools = [...cases, ...mixtures];

function keyOf({ kind, namespace, name }: Held): string {
  return `${kind} ${namespace} ${name}`;
}

/** Other endpoints, another Service, other labels, other contents: what makes another object of one, by its kind. */
function varied(object: Held, seed: number): Held {
  const { kind, value } = object;
  const metadata = value["metadata"] as Record<string, unknown>;
  const labels = metadata["labels"] as Record<string, string> | undefined;
  const labelled = { ...metadata, labels: { ...labels, seed: `s${seed % 3}` } };
  if (kind === "EndpointSlice") return changed(object, sliceParts(seed, metadata));
  if (kind === "Secret") return changed(object, { data: seed % 2 === 0 ? {} : value["data"] });
  const more = kind === "Service" ? serviceParts(seed, value) : seed % 7 === 0 && BROKEN;
  return changed(object, { metadata: labelled, ...more });
}

const byKind = new Map<string, Held[]>();
for (const each of cases.flat()) byKind.set(each.kind, [...(byKind.get(each.kind) ?? []), each]);

/** What another object of its kind says: other listeners, grants, policies, selectors, labels of namespaces. */
function exchanged(object: Held, seed: number): Held {
  const others = byKind.get(object.kind) ?? [object];
  const { metadata, ...fields } = picked(others, seed).value;
  const own = object.value["metadata"] as object;
  return { ...object, value: { ...fields, metadata: { ...(metadata as object), ...own } } };
}

/** As it is when statuses were written: ours, somebody else's, or none, and another version of the object. */
function withStatus(object: Held, seed: number): Held {
  const names = [DEFAULT_OPTIONS.controllerName, "example.com/other"].slice(seed % 3);
  const entries = names.map((controllerName) => ({ controllerName, conditions: [] }));
  const addresses = [{ type: "IPAddress", value: `192.0.2.${seed % 4}` }].slice(seed % 2);
  const status = {
    parents: entries.map((entry) => ({ parentRef: { name: "edge" }, ...entry })),
    ancestors: entries.map((entry) => ({ ancestorRef: { name: "edge" }, ...entry })),
    conditions: [{ type: "Programmed", status: "True", reason: "Programmed" }],
    ...(seed % 5 < 3 && { addresses }),
    loadBalancer: { ingress: [{ ip: `192.0.2.${seed % 4}` }] },
  };
  const metadata = { ...(object.value["metadata"] as object), resourceVersion: String(seed) };
  return changed(object, { metadata, status });
}

function changed(object: Held, fields: object): Held {
  return { ...object, value: { ...object.value, ...fields } };
}

/** The same port by another name leads to another port of the slices. */
function serviceParts(seed: number, { spec }: Held["value"]): object {
  if (seed % 5 === 0) return { spec: { type: "ExternalName", externalName: "elsewhere.example" } };
  const { ports = [] } = spec as { readonly ports?: readonly object[] };
  const name = ["http", "grpc", "web"][seed % 3];
  return {
    spec: {
      ...(spec as object),
      ports: ports.map((port, i) => (i === 0 ? { ...port, name } : port)),
    },
  };
}

/** An API server would refuse it, or not: our checks decide. */
const BROKEN = { spec: 1 };

function sliceParts(seed: number, metadata: Record<string, unknown>): object {
  const labels = { "kubernetes.io/service-name": seed % 4 === 0 ? "other" : "web" };
  return {
    ...(seed % 3 === 0 && { metadata: { ...metadata, labels } }),
    endpoints: Array.from({ length: seed % 4 }, (_, i) => ({
      addresses: [`10.1.${seed % 256}.${i}`],
      conditions: { ready: (seed >> i) % 2 === 0, serving: true, terminating: seed % 5 === 0 },
    })),
  };
}

const step = fc.record({
  at: fc.nat(),
  seed: fc.nat(1000),
  what: fc.constantFrom(
    ...["put", "put", "vary", "vary", "exchange", "exchange", "delete", "status", "status"],
  ),
  /** Most changes are of endpoints. */
  slices: fc.boolean(),
});
/** The very same objects again and again, as a run gives them, and now and then others. */
const OTHER_OPTIONS = { ...DEFAULT_OPTIONS, unavailablePorts: ["80"] };
const optionsOfStep = fc.constantFrom(
  ...Array.from({ length: 12 }, () => DEFAULT_OPTIONS),
  { ...DEFAULT_OPTIONS },
  OTHER_OPTIONS,
);

class Cluster {
  /** Each with its earlier versions: a refused object keeps its last valid one. */
  readonly objects = new Map<string, readonly Held[]>();
  readonly live = new LiveObjects({ albGroup: ALB_GROUP });

  put(object: Held): void {
    const key = keyOf(object);
    this.objects.set(key, [...(this.objects.get(key) ?? []), object]);
    this.live.put(object.kind, object.namespace, object.name, object.value);
  }

  delete(object: Held): void {
    this.objects.delete(keyOf(object));
    this.live.delete(object.kind, object.namespace, object.name);
  }

  /** Those whose statuses somebody writes. */
  get spoken(): readonly Held[] {
    const silent = /^(EndpointSlice|Secret|ConfigMap|ReferenceGrant)$/;
    return [...this.objects.values()]
      .flatMap((versions) => versions.slice(-1))
      .filter(({ kind }) => !silent.test(kind));
  }

  /** The same objects, read for the first time, in another order. */
  fresh(): LiveObjects {
    const fresh = new LiveObjects({ albGroup: ALB_GROUP });
    for (const { kind, namespace, name, value } of [...this.objects.values()].reverse().flat()) {
      fresh.put(kind, namespace, name, value);
    }
    return fresh;
  }
}

/** What routes, backends and listeners ask for and the model lacks. */
function missingAuths({ config: { auths, inherited, routes } }: Compilation): readonly string[] {
  const known = new Set(auths.map(({ id }) => id));
  const asked = [
    ...routes.flatMap(({ auth = [], backends = [] }) => [
      ...auth,
      ...backends.flatMap(({ filters }) => filters?.auth ?? []),
    ]),
    ...inherited.flatMap(({ filters = [], policies = [] }) => [...filters, ...policies]),
  ];
  return asked.filter((id) => !known.has(id));
}

function picked(objects: readonly Held[], at: number): Held {
  const [object] = objects.slice(at % objects.length);
  if (object === undefined) throw new Error("no objects");
  return object;
}

test("after every change it gives what a compilation from scratch gives", () => {
  let kept = 0;
  let recalled = 0;
  fc.assert(
    fc.property(
      fc.oneof(fc.constantFrom(...cases), fc.constantFrom(...mixtures)),
      fc.array(fc.tuple(step, optionsOfStep), { minLength: 3, maxLength: 12 }),
      (pool, steps) => {
        const cluster = new Cluster();
        const compiler = new Compiler();
        for (const object of pool) cluster.put(object);
        let before = compiler.compile(cluster.live.snapshot().resources, DEFAULT_OPTIONS);
        const slices = pool.filter(({ kind }) => kind === "EndpointSlice");
        for (const [{ at, seed, what, slices: only }, options] of steps) {
          const among = what === "status" ? cluster.spoken : only ? slices : pool;
          const object = picked(among.length > 0 ? among : pool, at);
          if (what === "delete") cluster.delete(object);
          else if (what === "status") cluster.put(withStatus(object, seed));
          else if (what === "exchange") cluster.put(exchanged(object, seed));
          else cluster.put(what === "put" ? object : varied(object, seed));
          const snapshot = cluster.live.snapshot();
          const now = compiler.compile(snapshot.resources, options);
          const whole = cluster.fresh().snapshot();
          expect(snapshot.diagnostics).toEqual(whole.diagnostics);
          expect(plain(now)).toEqual(plain(compile(whole.resources, options)));
          expect(missingAuths(now)).toEqual([]);
          if (now.config.routes === before.config.routes)
            kept += Math.min(1, now.config.routes.length);
          else if (now.config.routes.some((route) => before.config.routes.includes(route)))
            recalled += 1;
          before = now;
        }
      },
    ),
    runs(40),
  );
  // It would be no test of memories that are never used.
  expect(kept).toBeGreaterThan(20);
  expect(recalled).toBeGreaterThan(4);
});

test("endpoints that change leave routes, statuses and the texts of other upstreams as they were", () => {
  const cluster = new Cluster();
  const compiler = new Compiler();
  const pool = pools.find((objects) => objects.filter(({ kind }) => kind === "Service").length > 1);
  for (const object of pool ?? []) cluster.put(object);
  const compiled = (): Compilation =>
    compiler.compile(cluster.live.snapshot().resources, DEFAULT_OPTIONS);
  const first = compiled();
  const [moved] = (pool ?? []).filter(({ kind }) => kind === "EndpointSlice");
  if (moved === undefined) throw new Error("no golden case has two Services");
  cluster.put(changed(moved, { endpoints: [{ addresses: ["10.9.9.9"] }] }));
  const second = compiled();
  expect(second.config.routes).toBe(first.config.routes);
  expect(second.statuses).toBe(first.statuses);
  expect(second.diagnostics).toBe(first.diagnostics);
  const same = second.config.upstreams.filter((each) => first.config.upstreams.includes(each));
  expect(same.length).toBeGreaterThan(0);
  cluster.put(moved);
  expect(plain(compiled())).toEqual(plain(first));
});

test("statuses that are written leave everything as it was, but for what is left of ours", () => {
  const cluster = new Cluster();
  const compiler = new Compiler();
  const compiled = (): Compilation =>
    compiler.compile(cluster.live.snapshot().resources, DEFAULT_OPTIONS);
  const pool = pools.find((objects) =>
    [...objects].some(({ kind, value }) => kind === "HTTPRoute" && value["status"] === undefined),
  );
  for (const object of pool ?? []) cluster.put(object);
  const strays = { name: "strays", namespace: "default" };
  const stray: Held = {
    ...strays,
    kind: "HTTPRoute",
    value: {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "HTTPRoute",
      metadata: strays,
      spec: { parentRefs: [{ name: "nowhere" }] },
    },
  };
  cluster.put(stray);
  const first = compiled();
  for (const object of cluster.spoken) {
    // Routing reads the status of a Service, and what other controllers say in the status of a policy.
    if (!/^Service$|Policy$/.test(object.kind)) cluster.put(withStatus(object, 4));
  }
  const second = compiled();
  expect(second.config.routes).toBe(first.config.routes);
  expect(second.statuses).toBe(first.statuses);
  cluster.put(withStatus(stray, 0));
  const third = compiled();
  expect(third.config.routes).toBe(first.config.routes);
  expect(third.statuses.map(({ metadata }) => metadata.name)).toContain("strays");
  expect(second.statuses.map(({ metadata }) => metadata.name)).not.toContain("strays");
});
