import type { Closed } from "../../../src/api/wire.js";
import {
  type Route,
  type RouteBinding,
  inBindingOrder,
  onePlace,
} from "../../../src/model/route.js";
import { compareIds, patched } from "../../../src/support/collections.js";
import { ClosedObjects, onListeners } from "../../../src/translate/closed-objects.js";

function host(name: string) {
  return { kind: "exact", host: name } as const;
}

/** An Ingress of the namespace, with one route at one host. */
function bound(
  namespace: string,
  name: string,
  at: string,
): { route: Route; binding: RouteBinding } {
  const id = `${namespace}/${name}`;
  return {
    route: { id, source: ["Ingress", namespace, name, ""], backends: [] },
    binding: { at: onePlace("l", host(at)), path: undefined, when: [], order: id, route: id },
  };
}

const A = bound("n", "a", "a.example");
const B = bound("n", "b", "a.example");
const OTHER = bound("m", "c", "a.example");
/** In their order. */
const ALL = [OTHER, A, B];

function closedParts(
  objects: ClosedObjects,
  parts: readonly { readonly route: Route; readonly binding: RouteBinding }[],
) {
  const routes = parts.map(({ route }) => route);
  const bindings = parts.map(({ binding }) => binding);
  const closing = objects.close({ routes, bindings });
  return {
    routes: patched(routes, closing.routes, compareIds),
    bindings: patched(bindings, closing.bindings, inBindingOrder),
  };
}

/** What each binding leads to: the route, and whether it refuses. */
function closed(extent: Pick<Closed, "hosts">): readonly string[] {
  const objects = new ClosedObjects();
  const metadata = { namespace: "n", name: "a" };
  objects.add({
    apiVersion: "v1",
    kind: "Ingress",
    metadata,
    closed: { what: "it", message: "", ...extent },
  });
  const { routes, bindings } = closedParts(objects, ALL);
  return bindings.map(({ route }) => {
    const refuses = routes.find(({ id }) => id === route)?.refuse !== undefined;
    return `${route}${refuses ? " refuses" : ""}`;
  });
}

test("an object that is closed by its paths loses everything but a refusal", () => {
  expect(closed({})).toEqual(["m/c", "n/a refuses", "n/b"]);
});

test.each<[Closed["hosts"], readonly string[]]>([
  ["all", ["m/c", "n/a refuses", "n/a refuses"]],
  [["a.example"], ["m/c", "n/a refuses", "n/a refuses"]],
  [["b.example"], ["m/c", "n/a refuses", "n/b"]],
])(
  "an object whose paths can't be read closes its hosts %j for its namespace",
  (hosts, expected) => {
    expect(closed(hosts === undefined ? {} : { hosts })).toEqual(expected);
  },
);

test("an object without a host takes requests whose host nothing names", () => {
  const objects = new ClosedObjects();
  const metadata = { namespace: "n", name: "a" };
  const reason = { what: "it", message: "", isHostless: true } as const;
  objects.add({ apiVersion: "v1", kind: "Ingress", metadata, closed: reason });
  const any = { ...A, binding: { ...A.binding, at: onePlace("l", { kind: "any" }) } };
  expect(closedParts(objects, [any]).bindings[0]?.at[0]?.hosts).toEqual([
    { host: { kind: "any" }, rank: "", isUnnamed: true },
  ]);
  // The host is that of a listener.
  expect(closedParts(objects, [A]).bindings).toEqual([]);
});

test("a closed listener refuses every host and path, whatever is bound there", () => {
  const objects = new ClosedObjects();
  objects.addListener({ id: "l", source: ["Gateway", "n", "gw", ""], what: "it" });
  const { routes, bindings } = closedParts(objects, [A]);
  expect(bindings).toMatchObject([{ at: onePlace("l", { kind: "any" }), route: "l/closed" }]);
  expect(routes.find(({ id }) => id === "l/closed")?.refuse).toEqual([
    503,
    "AuthFail : invalid cfg it",
  ]);
});

test("bindings keep only the listeners that are kept", () => {
  const at = [{ listeners: ["l", "m"], hosts: [] }];
  const binding = { ...A.binding, at };
  expect(onListeners([A.binding, binding], (id) => id === "m")).toEqual([
    { ...A.binding, at: [{ listeners: ["m"], hosts: [] }] },
  ]);
  expect(onListeners([binding], () => true)[0]).toBe(binding);
});
