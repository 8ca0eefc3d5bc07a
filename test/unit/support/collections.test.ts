import { jest } from "@jest/globals";
import {
  addTo,
  commonEnds,
  compareBy,
  compareIds,
  compareStrings,
  connected,
  getOrInsert,
  groupBy,
  listDifferences,
  memoized,
  memoizedText,
  patched,
  sameElements,
} from "../../../src/support/collections.js";

interface Entry {
  readonly id: string;
}

const entry = (id: string): Entry => ({ id });

test("texts are ordered by their units, whatever the locale", () => {
  const texts = ["é", "b", "B", "a", "", "10", "9"];
  expect(texts.sort(compareStrings)).toEqual(["", "10", "9", "B", "a", "b", "é"]);
  expect(compareStrings("a", "a")).toBe(0);
});

test("later comparisons decide ties only", () => {
  const order = compareBy<readonly [number, string]>(
    ([a], [b]) => a - b,
    ([, a], [, b]) => compareStrings(b, a),
  );
  const pairs: (readonly [number, string])[] = [
    [2, "z"],
    [1, "a"],
    [1, "b"],
  ];
  expect(pairs.sort(order).map((pair) => pair.join(""))).toEqual(["1b", "1a", "2z"]);
  expect(order([1, "a"], [1, "a"])).toBe(0);
});

test("a value is made only if the key has none; 0 and an empty text are values", () => {
  const store = new Map<string, unknown>([
    ["zero", 0],
    ["empty", ""],
  ]);
  const make = jest.fn(() => "made");
  expect(["zero", "empty", "new", "new"].map((key) => getOrInsert(store, key, make))).toEqual([
    ...[0, ""],
    ...["made", "made"],
  ]);
  expect(make).toHaveBeenCalledTimes(1);
});

test("groups and their entries keep the order in which they came", () => {
  const groups = groupBy(["b1", "a1", "b2"], (text) => text.charAt(0));
  expect([...groups]).toEqual([
    ["b", ["b1", "b2"]],
    ["a", ["a1"]],
  ]);
  addTo(groups, "a", "a2");
  addTo(groups, "c", "c1");
  expect([groups.get("a"), groups.get("c")]).toEqual([["a1", "a2"], ["c1"]]);
});

describe("a memoized function", () => {
  it("is called once for each object, even if it returns undefined", () => {
    const compute = jest.fn((): string | undefined => undefined);
    const known = memoized(compute);
    const [one, equal] = [{}, {}];
    expect([known(one), known(one), known(equal)]).toEqual([undefined, undefined, undefined]);
    expect(compute).toHaveBeenCalledTimes(2);
  });

  it("of texts is called once for each, and forgets all before they fill the memory", () => {
    const compute = jest.fn((text: string) => text.length);
    const known = memoizedText(compute);
    expect([known("abc"), known("abc")]).toEqual([3, 3]);
    expect(compute).toHaveBeenCalledTimes(1);
    for (let i = 0; i < 10_000; i++) known(String(i));
    known("abc");
    expect(compute).toHaveBeenCalledTimes(10_002);
  });
});

test.each([
  [[], []],
  [[[]], []],
  [[["a"]], [["a"]]],
  [
    [["a", "b"], ["c", "d"], ["e"]],
    [["a", "b"], ["c", "d"], ["e"]],
  ],
  [
    [
      ["a", "b"],
      ["c", "d"],
      ["d", "a"],
    ],
    [["a", "b", "c", "d"]],
  ],
  [[["a", "a"], ["b", "c", "d"], ["a"], ["d", "a"]], [["a", "b", "c", "d"]]],
])("%j are connected as %j", (groups, parts) => {
  expect(connected(groups)).toEqual(parts);
});

test.each([
  ["", "", 0, 0],
  ["abc", "abc", 3, 0],
  ["abc", "axc", 1, 1],
  ["abc", "abxc", 2, 1],
  ["abc", "xyz", 0, 0],
  ["aa", "a", 1, 0],
  ["aba", "aa", 1, 1],
  ["", "abc", 0, 0],
])("%j and %j begin with %i and end with %i identical elements", (a, b, start, end) => {
  expect(commonEnds(Array.from(a), Array.from(b))).toEqual({ start, end });
});

test("a list has as many identical elements as it is long, all at the start", () => {
  const list = ["a", "b"];
  expect(commonEnds(list, list)).toEqual({ start: 2, end: 0 });
});

test.each([
  ["", "", true],
  ["ab", "ab", true],
  ["ab", "ba", false],
  ["ab", "a", false],
  ["a", "ab", false],
])("whether %j and %j have the same elements: %s", (a, b, same) => {
  expect(sameElements(Array.from(a), Array.from(b))).toBe(same);
});

test("equal objects are not the same elements", () => {
  expect(sameElements([entry("a")], [entry("a")])).toBe(false);
});

describe("the differences of two sorted lists", () => {
  const [a, b, c, d] = [entry("a"), entry("b"), entry("c"), entry("d")];
  const newB = entry("b");

  it("are what was removed, added and replaced, in order", () => {
    expect(listDifferences([a, b, c], [newB, c, d], compareIds)).toEqual([
      { before: a },
      { before: b, now: newB },
      { now: d },
    ]);
  });

  it("are none between lists of the same objects", () => {
    expect(listDifferences([a, b], [a, b], compareIds)).toEqual([]);
  });

  /** All lists of up to four ids, each with one of two objects. */
  const lists = ["a", "b", "c", "d"].reduce<readonly (readonly Entry[])[]>(
    (shorter, id) => {
      const [one, other] = [entry(id), entry(id)];
      return shorter.flatMap((list) => [list, [...list, one], [...list, other]]);
    },
    [[]],
  );

  it("turn one list into the other, and are the fewest that do", () => {
    expect(lists).toHaveLength(81);
    for (const before of lists) {
      for (const now of lists) {
        const changes = listDifferences(before, now, compareIds);
        expect(sameElements(patched(before, changes, compareIds), now)).toBe(true);
        const ids = new Set([...before, ...now].map(({ id }) => id));
        const same = before.filter((each) => now.includes(each));
        expect(changes).toHaveLength(ids.size - same.length);
      }
    }
  });
});

describe("a patched list", () => {
  const [b1, b2, b3] = [entry("b"), entry("b"), entry("b")];
  const [a, c] = [entry("a"), entry("c")];
  const list = [a, b1, b2, c];

  it("is the same list if nothing changes", () => {
    expect(patched(list, [], compareIds)).toBe(list);
    expect(patched(list, [{}], compareIds)).toBe(list);
  });

  it("loses the object itself, not one that is equal to it", () => {
    expect(sameElements(patched(list, [{ before: b2 }], compareIds), [a, b1, c])).toBe(true);
    expect(sameElements(patched(list, [{ before: b1 }], compareIds), [a, b2, c])).toBe(true);
  });

  it("gets new objects behind equal ones", () => {
    const now = patched(list, [{ now: b3 }], compareIds);
    expect(sameElements(now, [a, b1, b2, b3, c])).toBe(true);
  });

  it("can have an object replaced by an equal one, and one that it does not have removed", () => {
    const changes = [{ before: b1, now: b3 }, { before: entry("b") }, { before: entry("z") }];
    const now = patched(list, changes, compareIds);
    expect(sameElements(now, [a, b2, b3, c])).toBe(true);
  });

  it("can lose an object and get one at its place", () => {
    const now = patched(list, [{ before: a }, { now: entry("a") }], compareIds);
    expect(now.map(({ id }) => id)).toEqual(["a", "b", "b", "c"]);
    expect(now).not.toContain(a);
  });

  it("takes thousands of changes at once", () => {
    const many = Array.from({ length: 5000 }, (_, i) => entry(String(10_000 + 2 * i)));
    const added = Array.from({ length: 5000 }, (_, i) => entry(String(10_001 + 2 * i)));
    const changes = [
      ...many.slice(0, 2500).map((before) => ({ before })),
      ...added.map((now) => ({ now })),
    ];
    const wanted = [...many.slice(2500), ...added].sort(compareIds);
    expect(sameElements(patched(many, changes, compareIds), wanted)).toBe(true);
  });

  it("may be empty before or afterwards, and the old list stays as it was", () => {
    expect(patched([], [{ now: c }, { now: a }], compareIds)).toEqual([a, c]);
    const all = list.map((before) => ({ before }));
    expect(patched(list, all, compareIds)).toEqual([]);
    expect(list).toEqual([a, b1, b2, c]);
  });
});
