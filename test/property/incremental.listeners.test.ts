/**
 * The same law as incremental.test.ts for routes of Gateways whose listeners change: a route is translated again only if it may use one of
 * them. All names, ports and hosts are few, so that most changes matter to some routes and not to others.
 */
import { fc, runs, timeoutOf } from "../support/fast-check.js";
import type { KindName } from "../../src/api/kinds.js";
import { type Compilation, Compiler, compile } from "../../src/compile.js";
import { LiveObjects } from "../../src/input/object-store.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { contentsOf } from "../../src/render/rendered-file.js";

const GROUP = "gateway.networking.k8s.io";
const NAMESPACES = ["a", "b"] as const;
const HOSTS = ["x.example", "y.example", "*.example", "*.test"] as const;
const { group: albGroup } = DEFAULT_OPTIONS.domains;

interface Manifest {
  readonly apiVersion: string;
  readonly kind: KindName;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: object;
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });
const given = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
const namespace = fc.constantFrom(...NAMESPACES);
const host = fc.constantFrom(...HOSTS);
const port = fc.constantFrom(80, 81);
const sectionName = fc.constantFrom("one", "two", "three");

const listener = fc.record({
  port,
  hostname: maybe(host),
  from: fc.constantFrom("All", "All", "Same"),
  kinds: maybe(fc.constantFrom([{ kind: "HTTPRoute" }], [{ kind: "GRPCRoute" }])),
});
const gateway = fc
  .record({
    name: fc.constantFrom("g", "g", "h"),
    listeners: fc.tuple(listener, listener, listener),
    count: fc.constantFrom(2, 3, 3, 3),
    defaultScope: maybe(fc.constant("All")),
  })
  .map(({ name, listeners, count, ...spec }): Manifest => ({
    ...{ apiVersion: `${GROUP}/v1`, kind: "Gateway", metadata: { name, namespace: "a" } },
    spec: {
      ...{ gatewayClassName: "albc", ...given(spec) },
      listeners: listeners.slice(0, count).map(({ from, kinds, ...own }, i) => ({
        ...{ name: ["one", "two", "three"][i], protocol: "HTTP", ...given(own) },
        allowedRoutes: { namespaces: { from }, ...given({ kinds }) },
      })),
    },
  }));

const route = fc
  .record({
    kind: fc.constantFrom("HTTPRoute" as const, "HTTPRoute" as const, "GRPCRoute" as const),
    namespace,
    name: fc.constantFrom("r", "s", "t"),
    refs: fc.array(
      fc.record({
        name: fc.constantFrom("g", "g", "h", "none"),
        sectionName: maybe(sectionName),
        port: maybe(port),
      }),
      { maxLength: 2 },
    ),
    useDefaultGateways: fc.constantFrom(undefined, undefined, "All"),
    hostnames: fc.array(fc.oneof(host, fc.constant("no host")), { maxLength: 2 }),
  })
  .map(({ kind, namespace, name, refs, ...spec }): Manifest => ({
    ...{ apiVersion: `${GROUP}/v1`, kind, metadata: { namespace, name } },
    spec: {
      ...given(spec),
      parentRefs: refs.map((ref) => ({ namespace: "a", ...given(ref) })),
      rules: [{ backendRefs: [{ name: "web", port: 80 }] }],
    },
  }));

const OBJECTS: readonly Manifest[] = [
  {
    ...{ apiVersion: `${GROUP}/v1`, kind: "GatewayClass" },
    metadata: { name: "albc", namespace: "" },
    spec: { controllerName: DEFAULT_OPTIONS.controllerName },
  },
  ...NAMESPACES.map((own): Manifest => ({
    ...{ apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: own } },
    spec: { ports: [{ port: 80 }] },
  })),
];

function resourcesOf(objects: Iterable<Manifest>): LiveObjects {
  const live = new LiveObjects({ albGroup });
  for (const object of objects) {
    live.put(object.kind, object.metadata.namespace, object.metadata.name, object);
  }
  return live;
}

function plain({ files, ...rest }: Compilation): unknown {
  return { ...rest, files: files.map((file) => ({ ...file, contents: contentsOf(file) })) };
}

test(
  "routes of changing listeners compile as from scratch after every change",
  () => {
    let recalled = 0;
    fc.assert(
      fc.property(
        fc.array(fc.oneof(gateway, route, route), { minLength: 4, maxLength: 10 }),
        fc.array(fc.oneof(gateway, gateway, route), { minLength: 3, maxLength: 10 }),
        (start, steps) => {
          const objects = new Map<string, Manifest>();
          const put = (object: Manifest): void => {
            objects.set(
              `${object.kind}/${object.metadata.namespace}/${object.metadata.name}`,
              object,
            );
          };
          for (const object of [...OBJECTS, ...start]) put(object);
          const live = resourcesOf(objects.values());
          const compiler = new Compiler();
          let before = compiler.compile(live.snapshot().resources, DEFAULT_OPTIONS);
          for (const step of steps) {
            put(step);
            live.put(step.kind, step.metadata.namespace, step.metadata.name, step);
            const now = compiler.compile(live.snapshot().resources, DEFAULT_OPTIONS);
            const fresh = resourcesOf([...objects.values()].reverse()).snapshot().resources;
            expect(plain(now)).toEqual(plain(compile(fresh, DEFAULT_OPTIONS)));
            const isSame = now.config.routes.some((each) => before.config.routes.includes(each));
            recalled += Number(step.kind === "Gateway" && isSame);
            before = now;
          }
        },
      ),
      runs(60),
    );
    // It would be no test of a memory that is never used.
    expect(recalled).toBeGreaterThan(10);
  },
  timeoutOf(60_000),
);
