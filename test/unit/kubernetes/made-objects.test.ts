import type { Made } from "../../../src/kubernetes/made-objects.js";
import { MadeObjects } from "../../../src/kubernetes/made-objects.js";

const KEY = "Service n/a";
const FOUND = { kind: "Service", namespace: "n", name: "a", uid: "u", version: "2", madeBy: "c" };
const MADE: Made = { text: "t", found: FOUND, versions: new Set(["1", "2"]) };

function made(): MadeObjects {
  const objects = new MadeObjects();
  objects.set(KEY, MADE);
  return objects;
}

test("versions of our own writes are no news, and all others are, until they are looked at", () => {
  const objects = made();
  expect(objects.hear(KEY, "1", 10)).toBe(false);
  expect(objects.hear(KEY, "2", 10)).toBe(false);
  expect(objects.stale).toEqual([]);
  for (const version of ["3", undefined]) {
    expect(objects.hear(KEY, version, 10)).toBe(true);
    expect([objects.isStale(KEY), objects.isDue(KEY, 9), objects.isDue(KEY, 10)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(objects.stale).toEqual([[KEY, 10]]);
    objects.looked(KEY);
    expect([objects.isStale(KEY), objects.isDue(KEY, 10)]).toEqual([false, false]);
  }
});

test("what is told again is due no later for it, and not after our own version came", () => {
  const objects = made();
  objects.hear(KEY, "3", 10);
  objects.hear(KEY, "4", 20);
  expect(objects.stale).toEqual([[KEY, 10]]);
  expect(objects.hear(KEY, "2", 30)).toBe(false);
  objects.hear(KEY, "5", 40);
  expect(objects.stale).toEqual([[KEY, 40]]);
});

test("a write settles the news of it that came before, and no other", () => {
  const objects = made();
  objects.hear(KEY, "3", 10);
  objects.set(KEY, { ...MADE, versions: new Set(["3"]) });
  expect(objects.isStale(KEY)).toBe(false);
  objects.hear(KEY, "4", 10);
  objects.set(KEY, { ...MADE, versions: new Set(["3"]) });
  expect(objects.stale).toEqual([[KEY, 10]]);
});

test("news of what is not made is news, and goes with it", () => {
  const objects = made();
  objects.hear("Service n/b", "1", 10);
  objects.hear(KEY, undefined, 10);
  objects.keepOnly(new Set([KEY]));
  expect(objects.stale).toEqual([[KEY, 10]]);
  objects.delete(KEY);
  expect([objects.get(KEY), objects.stale]).toEqual([undefined, []]);
});

test("what is found takes the place of all that was known", () => {
  const objects = made();
  objects.hear(KEY, "9", 10);
  objects.reset(new Map([["Service n/c", { ...FOUND, name: "c", version: "7" }]]));
  expect(objects.entries.map(([key]) => key)).toEqual(["Service n/c"]);
  expect(objects.stale).toEqual([]);
  expect(objects.hear("Service n/c", "7", 10)).toBe(false);
  expect(objects.hear("Service n/c", "8", 10)).toBe(true);
});
