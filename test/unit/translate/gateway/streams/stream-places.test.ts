import { ANY_HOST, type HostPattern } from "../../../../../src/model/values.js";
import { StreamPlaces } from "../../../../../src/translate/gateway/streams/stream-places.js";
import { exact, route, wildcard } from "../../../../support/streams.js";

function hosts(...patterns: readonly HostPattern[]) {
  return patterns.map((host, index) => ({ host, pattern: host, index }));
}

const [A, B] = [exact("a.example"), exact("b.example")];

test("a host stays with the route that was bound first, at each listener by itself", () => {
  const places = new StreamPlaces();
  const old = route("old");
  places.bind({ route: old, pool: "old", listeners: ["x"], hosts: hosts(A) });
  const shadowed = places.bind({
    route: route("young"),
    pool: "young",
    listeners: ["x", "y"],
    hosts: hosts(A, B),
  });
  expect(shadowed).toEqual([{ host: hosts(A)[0], by: old, listeners: ["x"] }]);
  const [place] = places.byHost().get("a.example") ?? [];
  expect([place?.claims.at("x")?.pool, place?.claims.at("y")?.pool]).toEqual(["old", "young"]);
});

test("a route of TCP or UDP gives its listener a pool", () => {
  const places = new StreamPlaces();
  places.bind({ route: route("r"), pool: "r", listeners: ["x"], hosts: hosts(ANY_HOST) });
  expect([places.poolOf("x"), places.poolOf("y")]).toEqual(["r", undefined]);
});

test("listeners are alike as long as they are bound together", () => {
  const places = new StreamPlaces();
  const bind = (name: string, listeners: readonly string[]): void => {
    places.bind({ route: route(name), pool: name, listeners, hosts: hosts(A) });
  };
  bind("first", ["x", "y", "z"]);
  expect(places.likeness("x")).toBe(places.likeness("z"));
  bind("second", ["x", "y"]);
  expect(places.likeness("x")).toBe(places.likeness("y"));
  expect(places.likeness("x")).not.toBe(places.likeness("z"));
});

test("of the places of a host, that of the most specific hostname comes first", () => {
  const places = new StreamPlaces();
  const [wide, narrow] = [wildcard("example"), A];
  for (const [index, pattern] of [wide, narrow].entries()) {
    const name = String(index);
    places.bind({ route: route(name), listeners: [name], hosts: [{ host: A, pattern, index }] });
  }
  expect(
    places
      .byHost()
      .get("a.example")
      ?.map(({ hostname }) => hostname),
  ).toEqual([narrow, wide]);
});
