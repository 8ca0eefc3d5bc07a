/** A bug of ours costs one object: reading one of its fields throws, as a bug in its translation does. */
import { type Compilation, compile } from "../../../src/compile.js";
import type { Ingress } from "../../../src/api/wire.js";
import type { KindName } from "../../../src/api/kinds.js";
import { advance, initialInput } from "../../../src/input/load.js";
import type { Resources } from "../../../src/input/resources.js";
import { DEFAULT_INPUT_OPTIONS } from "../../../src/input/kind-table.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import type { Route } from "../../../src/model/route.js";
import { withoutFaulty } from "../../../src/translate/faulty-objects.js";
import { closedObject } from "../../../src/input/closed-form.js";
import { own } from "../../../src/support/json-object.js";
import { SCENES } from "../../support/protected-scenes.js";

const SIZE = "nginx.ingress.kubernetes.io/proxy-body-size";

function throwing<T extends object>(holder: T, field: string): T {
  return Object.defineProperty(holder, field, {
    enumerable: true,
    get: () => {
      throw new Error("a bug");
    },
  });
}

/** The object of that kind and name, with a field whose reading throws. */
function withFault(resources: Resources, kind: KindName, path: readonly string[]): Resources {
  const [protectedObject] = resources.list(kind);
  if (protectedObject === undefined) throw new Error(`no ${kind}`);
  const copy = structuredClone(protectedObject);
  const field = path.at(-1) ?? "";
  const holder = path
    .slice(0, -1)
    .reduce<object>((inner, step) => Reflect.get(inner, step) as object, copy);
  throwing(holder, field);
  const replaced = <T>(object: T): T => (object === protectedObject ? (copy as T) : object);
  return {
    ...resources,
    list: (of) => resources.list(of).map(replaced),
    get: (of, namespace, name) => replaced(resources.get(of, namespace, name)),
  };
}

/** The routes of each place: host and path of a listener. */
function places({ config }: Compilation): ReadonlyMap<string, Route | undefined> {
  const routes = new Map(config.routes.map((route) => [route.id, route]));
  return new Map(
    config.bindings.map(({ at, path, route }) => [JSON.stringify([at, path]), routes.get(route)]),
  );
}

const STREAMS = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: streams, namespace: shop }
spec:
  gatewayClassName: albc
  allowedListeners: { namespaces: { from: All } }
  listeners:
    - { name: tls, port: 9443, protocol: TLS, tls: { mode: Passthrough } }
    - { name: tcp, port: 9000, protocol: TCP }
    - { name: udp, port: 9000, protocol: UDP }
---
apiVersion: gateway.networking.k8s.io/v1
kind: ListenerSet
metadata: { name: more, namespace: shop }
spec:
  parentRef: { name: streams }
  listeners: [{ name: more, port: 8081, protocol: HTTP }]
---
apiVersion: gateway.networking.k8s.io/v1
kind: TLSRoute
metadata: { name: tls, namespace: shop }
spec:
  parentRefs: [{ name: streams }]
  hostnames: [a.example]
  rules: [{ backendRefs: [{ name: web, port: 80 }] }]
---
apiVersion: gateway.networking.k8s.io/v1alpha2
kind: TCPRoute
metadata: { name: tcp, namespace: shop }
spec: { parentRefs: [{ name: streams }], rules: [{ backendRefs: [{ name: web, port: 80 }] }] }
---
apiVersion: gateway.networking.k8s.io/v1alpha2
kind: UDPRoute
metadata: { name: udp, namespace: shop }
spec: { parentRefs: [{ name: streams }], rules: [{ backendRefs: [{ name: web, port: 80 }] }] }
---
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: { name: tls, namespace: shop }
spec:
  targetRefs: [{ group: "", kind: Service, name: web }]
  validation: { hostname: web.example, wellKnownCACertificates: System }
`;

function read(texts: readonly string[]) {
  const sources = texts.map((text, i) => ({ path: `${String(i)}.yaml`, text }));
  return advance(initialInput(DEFAULT_INPUT_OPTIONS), sources);
}

test.each<[KindName, string, readonly string[]]>([
  [
    "Ingress",
    "an Ingress with forward auth",
    ["spec", "rules", "0", "http", "paths", "0", "backend"],
  ],
  ["Rule", "a Rule with auth", ["spec", "config"]],
  ["Frontend", "a Frontend with auth for its Ingresses", ["spec", "config"]],
  ["ALB2", "an ALB2 with auth for its Ingresses", ["spec", "config", "auth"]],
  ["HTTPRoute", "an HTTPRoute with an auth filter", ["spec", "rules", "0", "filters"]],
  ["GRPCRoute", "a GRPCRoute with an auth filter", ["spec", "rules", "0", "backendRefs"]],
  ["AuthPolicy", "an AuthPolicy for a Gateway", ["spec", "forward"]],
  ["Gateway", "an AuthPolicy for a Gateway", ["spec", "listeners", "0", "allowedRoutes"]],
  ["ListenerSet", "an AuthPolicy for a Gateway", ["spec", "listeners", "0", "hostname"]],
  ["TLSRoute", "an AuthPolicy for a Gateway", ["spec", "rules", "0", "backendRefs"]],
  ["TCPRoute", "an AuthPolicy for a Gateway", ["spec", "rules", "0", "backendRefs"]],
  ["UDPRoute", "an AuthPolicy for a Gateway", ["spec", "rules", "0", "backendRefs"]],
  ["BackendTLSPolicy", "an AuthPolicy for a Gateway", ["spec", "validation"]],
])("%s: %s, %j", (kind, name, path) => {
  const scene = SCENES.find((each) => each.name === name);
  const { resources } = read([scene?.text ?? "", scene?.others ?? "", STREAMS]);
  const before = places(compile(resources, DEFAULT_OPTIONS));
  const compilation = compile(withFault(resources, kind, path), DEFAULT_OPTIONS);
  const internal = compilation.diagnostics.filter(({ code }) => code === "INTERNAL_ERROR");
  expect(internal.map(({ resource }) => resource?.kind)).toEqual([kind]);
  const after = places(compilation);
  for (const [place, route] of before) {
    const now = after.get(place);
    if (now === undefined || isShut(now)) continue;
    // What the object has nothing to do with is as it was.
    expect(now.auth).toEqual(route?.auth);
    expect(now.backends).toEqual(route?.backends);
  }
});

const INGRESSES = Array.from(
  { length: 1000 },
  (_, i) => `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: i${String(i)}, namespace: shop, annotations: { ${SIZE}: 1m } }
spec:
  ingressClassName: nginx
  rules:
    - host: h${String(i)}.example
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
`,
).join("---");

test.each<[string, (ingress: Ingress) => boolean]>([
  ["many objects", ({ closed }) => closed === undefined],
  ["closed forms, too", ({ metadata }) => own(metadata.annotations, SIZE) !== undefined],
])("%s that fail are closed together", (_, fails) => {
  const { resources } = read([INGRESSES]);
  let cost = 0;
  const translated = withoutFaulty(
    resources,
    { close: closedObject, refused: [] },
    (part, faults) => {
      const ingresses = part.list("Ingress");
      cost += ingresses.length / 1000;
      const faulty = ingresses.find((each) => each.metadata.name.endsWith("7") && fails(each));
      if (faulty !== undefined) throw new Error("a bug");
      return { ingresses, faults };
    },
  );
  expect(translated.faults).toHaveLength(100);
  expect(translated.ingresses).toHaveLength(1000);
  const closed = translated.ingresses.filter((each) => each.closed !== undefined);
  expect(closed.map(({ metadata }) => metadata.name.at(-1))).toEqual(Array(100).fill("7"));
  expect(closed.map(({ spec }) => spec?.rules?.[0]?.host)).not.toContain(undefined);
  // Times one translation of them all.
  expect(cost).toBeLessThan(50);
});

test("a Service whose endpoints can't be looked up", () => {
  const [scene] = SCENES;
  const { resources } = read([scene?.text ?? "", scene?.others ?? "", STREAMS]);
  const slices: Resources["slices"] = {
    get: (namespace, service) => {
      const own = resources.slices.get(namespace, service);
      return namespace === "shop" ? own?.map((slice) => throwing({ ...slice }, "endpoints")) : own;
    },
    differences: () => [],
  };
  const { diagnostics, config } = compile({ ...resources, slices }, DEFAULT_OPTIONS);
  expect(diagnostics.filter(({ code }) => code === "INTERNAL_ERROR")).toMatchObject([
    { resource: { kind: "Service", namespace: "shop", name: "web" } },
  ]);
  expect(config.upstreams.flatMap(({ endpoints }) => endpoints)).toEqual([]);
});

function isShut({ refuse, backends = [] }: Route): boolean {
  return refuse?.[0] === 503 || backends.every((backend) => backend.refuse !== undefined);
}
