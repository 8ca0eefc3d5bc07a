import { type HostPattern, hostKey } from "../../../../../src/model/values.js";
import {
  type NamedPort,
  namesOfPorts,
} from "../../../../../src/translate/gateway/streams/stream-names.js";
import { StreamPlaces } from "../../../../../src/translate/gateway/streams/stream-places.js";
import { exact, route, streamListener, wildcard } from "../../../../support/streams.js";

/** `<host key> → <kind of target> <pool or class> <certificate>` of each name of a port. */
function shown(ports: readonly NamedPort[], places: StreamPlaces): readonly (readonly string[])[] {
  const names = namesOfPorts(ports, places);
  return ports.map((port) =>
    (names.get(port)?.names ?? []).map(({ host, to }) => {
      const pool = to.kind === "pool" ? ` ${to.pool} ${to.certificate ?? ""}`.trimEnd() : "";
      return `${hostKey(host)} → ${to.kind}${to.kind === "class" ? ` ${to.id}` : pool}`;
    }),
  );
}

function bound(
  ...routes: readonly (readonly [pool: string, host: HostPattern, listeners: readonly string[]])[]
): StreamPlaces {
  const places = new StreamPlaces();
  for (const [pool, host, listeners] of routes) {
    places.bind({
      route: route(pool),
      pool,
      listeners,
      hosts: [{ host, pattern: host, index: 0 }],
    });
  }
  return places;
}

test("a name leads to the route with the most specific hostname", () => {
  const port = { listeners: [streamListener("l", wildcard("example"))], https: [] };
  const places = bound(["wide", wildcard("example"), ["l"]], ["narrow", exact("a.example"), ["l"]]);
  expect(shown([port], places)).toEqual([["**.example → pool wide", "a.example → pool narrow"]]);
});

test("a name of a narrower listener without a route is closed", () => {
  const listeners = [
    streamListener("wide", wildcard("example")),
    streamListener("narrow", exact("a.example")),
  ];
  const places = bound(["pool", wildcard("example"), ["wide"]]);
  expect(shown([{ listeners, https: [] }], places)).toEqual([
    ["**.example → pool pool", "a.example → closed"],
  ]);
});

test("names of HTTPS listeners are theirs", () => {
  const port = { listeners: [streamListener("l", { kind: "any" })], https: [exact("a.example")] };
  const places = bound(["pool", { kind: "any" }, ["l"]]);
  expect(shown([port], places)).toEqual([[" → pool pool", "a.example → https"]]);
});

test("TLS ends with the certificate of the name, or else with the listener's first one", () => {
  const certificates = [
    { id: "first", names: [exact("a.example")] },
    { id: "second", names: [exact("b.example")] },
  ];
  const port = { listeners: [streamListener("l", wildcard("example"), certificates)], https: [] };
  const places = bound(["pool", wildcard("example"), ["l"]]);
  expect(shown([port], places)).toEqual([
    ["**.example → pool pool first", "a.example → pool pool first", "b.example → pool pool second"],
  ]);
});

test("ports that share routes share one list, and classes tell their targets apart", () => {
  const ports = ["x", "y"].map((id) => ({
    listeners: [streamListener(id, wildcard("example"))],
    https: [],
  }));
  const places = bound(
    ["shared", wildcard("example"), ["x", "y"]],
    ["own", exact("a.example"), ["y"]],
  );
  const names = namesOfPorts(ports, places);
  const [x, y] = ports.map((port) => names.get(port));
  expect(x?.names).toBe(y?.names);
  // A port that lacks a class has that of the next wider name, whose id is the class's end.
  expect(shown(ports, places)[0]).toEqual(["**.example → pool shared", "a.example → class c1.c0"]);
  const shared = { id: "c0", to: { kind: "pool", pool: "shared" } };
  expect(x?.classes).toEqual([shared]);
  expect(y?.classes).toEqual([shared, { id: "c1.c0", to: { kind: "pool", pool: "own" } }]);
});
