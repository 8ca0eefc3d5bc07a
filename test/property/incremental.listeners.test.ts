/**
 * The same law as incremental.test.ts for routes of Gateways whose listeners change: a route is translated again only if it may use one of
 * them. All names, ports and hosts are few, so that most changes matter to some routes and not to others.
 */
import { fc, runs, timeoutOf } from "../support/fast-check.js";
import { Compiler } from "../../src/compile.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { ChangingCluster, type Manifest, plain } from "../support/changing-cluster.js";

const GROUP = "gateway.networking.k8s.io";
const NAMESPACES = ["a", "b"] as const;
const HOSTS = ["x.example", "y.example", "*.example", "*.test"] as const;

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
type Listener = typeof listener extends fc.Arbitrary<infer T> ? T : never;

interface Listeners {
  readonly name: string;
  readonly defaultScope: string | undefined;
  readonly listeners: readonly Listener[];
}

const gateway = fc.record({
  name: fc.constantFrom("g", "g", "h"),
  defaultScope: maybe(fc.constant("All")),
  listeners: fc.array(listener, { minLength: 2, maxLength: 3 }),
});
/** Most changes are of one listener of the Gateway that is there. */
const oneListener = fc.record({ name: fc.constantFrom("g", "h"), at: fc.nat(2), listener });

function gatewayOf({ name, listeners, ...spec }: Listeners): Manifest {
  return {
    ...{ apiVersion: `${GROUP}/v1`, kind: "Gateway", metadata: { name, namespace: "a" } },
    spec: {
      ...{ gatewayClassName: "albc", ...given(spec) },
      listeners: listeners.map(({ from, kinds, ...own }, i) => ({
        ...{ name: ["one", "two", "three"][i], protocol: "HTTP", ...given(own) },
        allowedRoutes: { namespaces: { from }, ...given({ kinds }) },
      })),
    },
  };
}

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

function changed(
  gateways: Map<string, Listeners>,
  step: Listeners | { readonly name: string; readonly at: number; readonly listener: Listener },
): Listeners {
  const known = gateways.get(step.name);
  if ("listeners" in step || known === undefined) {
    if (!("listeners" in step)) throw new Error(`no Gateway ${step.name}`);
    gateways.set(step.name, step);
    return step;
  }
  const at = step.at % known.listeners.length;
  const next = { ...known, listeners: known.listeners.with(at, step.listener) };
  gateways.set(step.name, next);
  return next;
}

test(
  "routes of changing listeners compile as from scratch after every change",
  () => {
    let recalled = 0;
    fc.assert(
      fc.property(
        fc.tuple(gateway, gateway),
        fc.array(route, { minLength: 4, maxLength: 8 }),
        fc.array(fc.oneof(oneListener, oneListener, oneListener, gateway, route), {
          minLength: 4,
          maxLength: 12,
        }),
        ([g, h], routes, steps) => {
          const gateways = new Map(
            [
              { ...h, name: "h" },
              { ...g, name: "g" },
            ].map((each) => [each.name, each]),
          );
          const cluster = new ChangingCluster();
          for (const object of [...OBJECTS, ...[...gateways.values()].map(gatewayOf), ...routes])
            cluster.put(object);
          const compiler = new Compiler();
          let before = compiler.compile(cluster.live.snapshot().resources, DEFAULT_OPTIONS);
          for (const step of steps) {
            const object = "kind" in step ? step : gatewayOf(changed(gateways, step));
            cluster.put(object);
            const now = compiler.compile(cluster.live.snapshot().resources, DEFAULT_OPTIONS);
            expect(plain(now)).toEqual(plain(cluster.fresh(DEFAULT_OPTIONS)));
            const isSame = now.config.routes.some((each) => before.config.routes.includes(each));
            recalled += Number(object.kind === "Gateway" && isSame);
            before = now;
          }
        },
      ),
      runs(80),
    );
    // It would be no test of a memory that is never used.
    expect(recalled).toBeGreaterThan(10);
  },
  timeoutOf(60_000),
);
