import { jest } from "@jest/globals";
import { fc, runs } from "../../support/fast-check.js";
import { ShardMap } from "../../../src/render/shard-map.js";

const change = fc.tuple(
  fc.nat(400).map((n) => `key/${String(n)}`),
  fc.option(
    fc.nat(3).map((n) => `{"a":${String(n)}}`),
    { nil: undefined },
  ),
);
const changes = fc.array(fc.array(change, { maxLength: 300 }), { maxLength: 6 });

function textOf(map: ShardMap): string {
  return [...map.chunks()].join("");
}

test("a map that was changed again and again is the one made from what it has", () => {
  fc.assert(
    fc.property(changes, (steps) => {
      let map = ShardMap.EMPTY;
      const plain = new Map<string, string>();
      for (const step of steps) {
        const before = map;
        map = map.with(new Map(step));
        for (const [key, json] of new Map(step)) {
          if (json === undefined) plain.delete(key);
          else plain.set(key, json);
        }
        const whole = ShardMap.of([...plain].reverse());
        expect([map.digest, map.size, textOf(map)]).toEqual([
          whole.digest,
          whole.size,
          textOf(whole),
        ]);
        expect(map.size).toBe(Buffer.byteLength(textOf(map)));
        expect(JSON.parse(textOf(map))).toEqual(
          Object.fromEntries([...plain].map(([key, json]) => [key, JSON.parse(json) as unknown])),
        );
        const replayed = before.with(new Map(map.changesSince(before)));
        expect(replayed.digest).toBe(map.digest);
        expect(map.changesSince(replayed)).toEqual([]);
      }
    }),
    runs(60),
  );
});

test("a map with one other shard shares all but a few with the one before", () => {
  const before = ShardMap.of(Array.from({ length: 5000 }, (_, i) => [`key/${String(i)}`, "1"]));
  const texts = jest.spyOn(JSON, "stringify");
  const after = before.with(new Map([["key/77", "2"]]));
  // Of the keys whose text is made again.
  expect(texts.mock.calls.length).toBeLessThan(500);
  texts.mockRestore();
  expect(after.changesSince(before)).toEqual([["key/77", "2"]]);
  expect(after.digest).not.toBe(before.digest);
});
