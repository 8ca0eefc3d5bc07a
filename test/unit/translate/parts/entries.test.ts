/** A change of one Ingress or Rule reaches others by what they read of its hosts. */
import { load } from "js-yaml";
import type { KindName } from "../../../../src/api/kinds.js";
import { DiagnosticSink } from "../../../../src/diagnostics/sink.js";
import { LiveObjects } from "../../../../src/input/object-store.js";
import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import { type Routing, TranslationMemory, translateRouting } from "../../../../src/translate.js";
import { ingress, own, rules, service } from "../../../support/translated.js";

interface Manifest {
  readonly kind: KindName;
  readonly metadata: { readonly namespace?: string; readonly name: string };
}

/** Objects that change, translated with a memory. */
class World {
  readonly #live = new LiveObjects({ albGroup: DEFAULT_OPTIONS.domains.group });
  readonly #memory = new TranslationMemory();

  put(...texts: readonly string[]): this {
    for (const text of texts
      .flatMap((each) => each.split("\n---\n"))
      .filter((each) => each.trim())) {
      const manifest = load(text) as Manifest;
      const { kind, metadata } = manifest;
      this.#live.put(kind, metadata.namespace ?? "", metadata.name, manifest);
    }
    return this;
  }

  delete(kind: KindName, namespace: string, name: string): this {
    this.#live.delete(kind, namespace, name);
    return this;
  }

  get routing(): Routing {
    const { resources } = this.#live.snapshot();
    return translateRouting(resources, DEFAULT_OPTIONS, new DiagnosticSink(), this.#memory);
  }

  /** Routes in the order in which their bindings are tried. */
  get tried(): readonly string[] {
    return [...new Set(this.routing.config.bindings.map(({ route }) => route))];
  }
}

function at(namespace: string, year: number, paths: readonly string[]): string {
  const created = `${String(year)}-01-01T00:00:00Z`;
  return ingress("web", { namespace, created, spec: rules({ "a.example": paths }) });
}

test("an Ingress that stays the same keeps its routes, as the very same objects", () => {
  const world = new World().put(service("web", "a"), at("a", 2001, ["/"]), at("b", 2002, ["/b"]));
  const before = world.routing.config.routes;
  const after = world.put(at("b", 2002, ["/c"])).routing.config.routes;
  const kept = after.filter((route) => before.includes(route));
  expect(kept.map(({ id }) => id)).toEqual(["ingress/a/web/0-0"]);
});

test("a host goes to the next owner when its owner goes, and comes back with it", () => {
  const [old, young] = ["ingress/a/web/0-0", "ingress/b/web/0-0"];
  const world = new World().put(at("a", 2001, ["/"]), at("b", 2002, ["/b"]));
  expect(world.tried).toEqual([old, young]);
  expect(world.delete("Ingress", "a", "web").tried).toEqual([young]);
  expect(world.put(at("a", 2003, ["/"])).tried).toEqual([young, old]);
});

test("what an Ingress adds is gone with it: routes, upstreams and auth", () => {
  const annotations = own({ "auth-url": "https://auth.example/" });
  const protectedOne = ingress("web", { annotations, spec: rules({ "a.example": ["/"] }) });
  const world = new World().put(service("web"), protectedOne);
  const sizes = ({ config, upstreams }: Routing): readonly number[] => [
    config.routes.length,
    upstreams.length,
    config.auths.length,
  ];
  expect(sizes(world.routing)[0]).toBe(1);
  expect(sizes(world.delete("Ingress", "default", "web").routing)).toEqual([0, 0, 0]);
});

test("another load balancer has all entries translated again", () => {
  const world = new World().put(service("web", "a"), at("a", 2001, ["/"]));
  expect(world.routing.config.listeners.map(({ id }) => id)).toEqual(["ingress/443", "ingress/80"]);
  const alb = `{ apiVersion: crd.alauda.io/v2beta1, kind: ALB2, metadata: { name: alb, namespace: ns }, spec: { config: { projects: [ALL_ALL] } } }`;
  const { config } = world.put(alb).routing;
  expect(
    new Set(config.bindings.flatMap(({ at: places }) => places.flatMap((p) => p.listeners))),
  ).toEqual(new Set(config.listeners.map(({ id }) => id)));
});
