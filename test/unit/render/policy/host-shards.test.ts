import { type BindingPlaces, type RouteBinding, onePlace } from "../../../../src/model/route.js";
import { HostShards } from "../../../../src/render/policy/host-shards.js";

const BINDING = { path: undefined, when: [] } as const;

function binding(host: string, route: string): RouteBinding {
  return { ...BINDING, at: onePlace("l", { kind: "exact", host }), order: route, route };
}

/** Bindings of one object, in the same places. */
function bindings(at: readonly BindingPlaces[], ...routes: readonly string[]): RouteBinding[] {
  return routes.map((route) => ({ ...BINDING, at, order: route, route }));
}

function places(listeners: readonly string[], ...hosts: readonly string[]): BindingPlaces {
  return {
    listeners,
    hosts: hosts.map((host) => ({ host: { kind: "exact", host }, rank: `${host} ` })),
  };
}

test("a host follows its bindings: another one, one less, and a host that is gone", () => {
  const shards = new HostShards();
  const [a, b, other] = [binding("h", "a"), binding("h", "b"), binding("other", "a")];
  const routesOf = (made: readonly RouteBinding[], host: string): unknown =>
    (
      JSON.parse(shards.render(made).hosts.shards.get(`l|${host}`) ?? "[]") as { route: string }[]
    ).map(({ route }) => route);
  expect(routesOf([b, a, other], "h")).toEqual(["a", "b"]);
  expect(routesOf([a, other], "h")).toEqual(["a"]);
  expect(routesOf([a, { ...b, route: "c" }], "h")).toEqual(["a", "c"]);
  expect(routesOf([a], "other")).toEqual([]);
  expect(routesOf([b, a, other], "h")).toEqual(["a", "b"]);
});

test("what several listeners and hosts have is written once", () => {
  const both = bindings([places(["l", "m"], "a", "b")], "1", "2");
  const own = bindings([places(["m"], "a")], "3");
  const { hosts, matches, tables } = new HostShards().render([...both, ...own]);
  const [shared = ""] = tables.sharedBy("l");
  expect(tables.sharedBy("m")).toEqual([shared]);
  expect([...hosts.shards.keys()].sort()).toEqual([`${shared}|a`, `${shared}|b`, "m|a"]);
  expect(JSON.parse(hosts.shards.get(`${shared}|a`) ?? "")).toEqual([
    { order: "a ", matches: "l 1" },
  ]);
  expect([...matches.shards.keys()]).toEqual(["l 1"]);
  expect(JSON.parse(hosts.shards.get("m|a") ?? "")).toEqual([{ order: "a 3", route: "3" }]);
});

test("a listener shares few tables, and has the rest in its own", () => {
  const sets = Array.from({ length: 9 }, (_, i) =>
    bindings([places(["l", `m${String(i)}`], "a")], ...(i === 0 ? ["x"] : ["x", "y"])),
  );
  const { hosts, tables } = new HostShards().render(sets.flat());
  expect(tables.sharedBy("l")).toHaveLength(8);
  expect(tables.sharedBy("m0")).toHaveLength(1);
  expect(hosts.shards.get("l|a")).toContain('"x"');
});
