/** Ports, Gateways and streams are translated again only when an object that they read has changed. */
import { load } from "js-yaml";
import type { KindName } from "../../../../src/api/kinds.js";
import { type Compilation, Compiler } from "../../../../src/compile.js";
import { LiveObjects } from "../../../../src/input/object-store.js";
import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import type { ObjectStatus } from "../../../../src/status/object-status.js";
import { ingress, rules, service } from "../../../support/translated.js";

interface Manifest {
  readonly kind: KindName;
  readonly metadata: { readonly namespace?: string; readonly name: string };
}

const GROUP = "gateway.networking.k8s.io/v1";

/** A Gateway with two ListenerSets and a route on one of them. */
const WORLD = `
apiVersion: ${GROUP}
kind: GatewayClass
metadata: { name: albc }
spec: { controllerName: ${DEFAULT_OPTIONS.controllerName} }
---
apiVersion: ${GROUP}
kind: Gateway
metadata: { name: gw, namespace: ns }
spec:
  gatewayClassName: albc
  allowedListeners: { namespaces: { from: All } }
  listeners: [{ name: http, port: 8000, protocol: HTTP, hostname: gw.example }]
---
${listenerSet("a")}
---
${listenerSet("b")}
---
${route("/")}
${service("web", "ns")}`;

function listenerSet(name: string): string {
  return `
apiVersion: ${GROUP}
kind: ListenerSet
metadata: { name: ${name}, namespace: ns }
spec:
  parentRef: { name: gw }
  listeners: [{ name: http, port: 8000, protocol: HTTP, hostname: "*.${name}.example" }]`;
}

function route(path: string, set = "a"): string {
  return `
apiVersion: ${GROUP}
kind: HTTPRoute
metadata: { name: web, namespace: ns }
spec:
  parentRefs: [{ kind: ListenerSet, name: ${set} }]
  rules:
    - matches: [{ path: { type: PathPrefix, value: ${path} } }]
      backendRefs: [{ name: web, port: 80 }]`;
}

class World {
  readonly #live = new LiveObjects({ albGroup: DEFAULT_OPTIONS.domains.group });
  readonly #compiler = new Compiler();

  with(text: string): Compilation {
    for (const each of text.split("\n---\n").filter((part) => part.trim() !== "")) {
      const manifest = load(each) as Manifest;
      const { kind, metadata } = manifest;
      this.#live.put(kind, metadata.namespace ?? "", metadata.name, manifest);
    }
    return this.#compiler.compile(this.#live.snapshot().resources, DEFAULT_OPTIONS);
  }
}

function statusOf({ statuses }: Compilation, name: string): ObjectStatus | undefined {
  return statuses.find(({ metadata }) => metadata.name === name);
}

function attached(compilation: Compilation, name: string): unknown {
  const listeners = statusOf(compilation, name)?.status["listeners"];
  return (listeners as { readonly attachedRoutes: number }[]).map((each) => each.attachedRoutes);
}

test("a change of a route leaves listeners and their statuses as the very same objects", () => {
  const world = new World();
  const before = world.with(WORLD);
  const after = world.with(route("/other"));
  expect(after.config.bindings).not.toEqual(before.config.bindings);
  expect(after.config.listeners).toBe(before.config.listeners);
  for (const name of ["gw", "a", "b"]) {
    expect(statusOf(after, name)).toBe(statusOf(before, name));
  }
});

test("a route that moves is counted where it is now", () => {
  const world = new World();
  const before = world.with(WORLD);
  expect([attached(before, "a"), attached(before, "b")]).toEqual([[1], [0]]);
  const after = world.with(route("/", "b"));
  expect([attached(after, "a"), attached(after, "b")]).toEqual([[0], [1]]);
  expect(after.config.listeners).toBe(before.config.listeners);
});

test("a changed listener is served, and so is an older host of an Ingress beside it", () => {
  const world = new World();
  world.with(WORLD);
  const moved = world.with(listenerSet("b").replace("*.b", "*.c"));
  const hosts = moved.config.listeners.map(({ hostname }) => JSON.stringify(hostname));
  expect(hosts.join()).toContain("c.example");
  const created = "2001-01-01T00:00:00Z";
  const older = { namespace: "other", created, spec: rules({ "x.gw.example": ["/"] }) };
  const { config } = world.with(ingress("older", older));
  expect(config.listeners.map(({ id }) => id)).toContain("ingress/80");
});
