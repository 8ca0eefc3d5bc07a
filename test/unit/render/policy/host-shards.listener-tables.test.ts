import { ListenerTables } from "../../../../src/render/policy/host-shards.js";

const HOST = { host: { kind: "exact", host: "a" }, rank: "" } as const;

function places(...listeners: readonly string[]) {
  return { listeners, hosts: [HOST] };
}

test("bindings of one listener are in its own table", () => {
  const tables = new ListenerTables();
  tables.count(places("l"), 5);
  expect(tables.settle()).toBe(false);
  expect(tables.of(places("l"))).toEqual(["l"]);
  expect(tables.sharedBy("l")).toEqual([]);
});

test("listeners share a table as long as it has bindings", () => {
  const tables = new ListenerTables();
  const both = places("l", "m");
  tables.count(both, 2);
  expect(tables.settle()).toBe(true);
  const [shared = ""] = tables.sharedBy("l");
  expect(shared).toMatch(/^l\+[0-9a-f]{16}$/);
  expect(tables.of(both)).toEqual([shared]);

  tables.count(both, -1);
  expect(tables.settle()).toBe(false);
  tables.count(both, -1);
  expect(tables.settle()).toBe(true);
  expect(tables.sharedBy("m")).toEqual([]);
  expect(tables.of(both)).toEqual(["l", "m"]);
});

test("a listener prefers the tables that save most, and uses its own for the others", () => {
  const tables = new ListenerTables();
  const sets = Array.from({ length: 10 }, (_, i) => places("l", `m${String(i)}`));
  for (const [i, set] of sets.entries()) tables.count(set, i + 1);
  tables.settle();
  expect(tables.sharedBy("l")).toHaveLength(8);
  expect(tables.of(places("l", "m0"))).toEqual([tables.sharedBy("m0")[0], "l"]);
  expect(tables.of(places("l", "m9"))).toEqual([tables.sharedBy("l")[0]]);
});
