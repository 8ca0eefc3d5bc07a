import { SharedMap } from "../../../src/support/shared-map.js";
import { fc } from "../../support/fast-check.js";

const key = fc.nat({ max: 300 }).map(String);
const change = fc.tuple(key, fc.option(fc.nat({ max: 3 }), { nil: undefined }));
const batches = fc.array(fc.array(change, { maxLength: 120 }), { maxLength: 8 });

test("it has what a Map has, and every version stays as it was", () => {
  fc.assert(
    fc.property(batches, (all) => {
      const plain = new Map<string, number>();
      const versions = [{ map: SharedMap.of<number>(), entries: [...plain] }];
      for (const changes of all) {
        for (const [name, value] of changes) {
          if (value === undefined) plain.delete(name);
          else plain.set(name, value);
        }
        const map = versions.at(-1)?.map.with(changes) ?? SharedMap.of<number>();
        versions.push({ map, entries: [...plain] });
      }
      for (const { map, entries } of versions) {
        expect(new Map(map.entries())).toEqual(new Map(entries));
        expect(map.size).toBe(entries.length);
        expect([...map.values()].sort()).toEqual(entries.map(([, value]) => value).sort());
        for (const [name, value] of entries) expect(map.get(name)).toBe(value);
      }
      const [first, last] = [versions.at(-2), versions.at(-1)];
      if (first === undefined || last === undefined) return;
      const [before, now] = [new Map(first.entries), new Map(last.entries)];
      const names = [...new Set([...before.keys(), ...now.keys()])];
      const differing = names.filter((name) => before.get(name) !== now.get(name));
      expect([...first.map.differences(last.map)].sort()).toEqual(differing.sort());
    }),
  );
});
