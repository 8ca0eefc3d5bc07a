import type { Predicate } from "../../../src/model/route.js";
import { exampleValue, excludeEachOther, follows } from "../../../src/diff/conditions.js";

const header = (...any: Predicate["any"]): Predicate => ({ of: "header", key: "x", any });
const client = (...any: Predicate["any"]): Predicate => ({ of: "sourceIp", any });

test.each<[string, Predicate, Predicate, boolean]>([
  ["itself", header(["eq", "a"]), header(["eq", "a"]), true],
  ["one of its values", header(["in", "a", "b"]), header(["eq", "a"]), true],
  ["more values", header(["eq", "a"]), header(["in", "a", "b"]), false],
  ["any value", header(["exists"]), header(["regex", "a"]), true],
  ["another header", { ...header(["exists"]), key: "y" }, header(["eq", "a"]), false],
  ["a part of its tests", header(["regex", "a"], ["regex", "b"]), header(["regex", "b"]), true],
])("a condition follows from %s: %#", (_, condition, given, expected) => {
  expect(follows(condition, [given])).toBe(expected);
});

test.each<[string, Predicate, Predicate, boolean]>([
  ["two values", header(["eq", "a"]), header(["eq", "b"]), true],
  ["a value and its start", header(["eq", "ab"]), header(["start", "a"]), false],
  ["two starts", header(["start", "a"]), header(["start", "b"]), true],
  ["expressions with other starts", header(["regex", "^a"]), header(["regex", "^b"]), true],
  ["expressions without a start", header(["regex", "a"]), header(["regex", "b"]), false],
  ["networks side by side", client(["cidr", "10.0.0.0/8"]), client(["cidr", "11.0.0.0/8"]), true],
  ["a network in another", client(["cidr", "10.0.0.0/8"]), client(["cidr", "10.1.0.0/16"]), false],
])("conditions exclude each other or not: %s", (_, one, other, expected) => {
  expect(excludeEachOther([one, other])).toBe(expected);
});

test("an example meets all conditions", () => {
  expect(exampleValue([header(["start", "a"]), header(["end", "ab"])])).toBe("ab");
  expect(exampleValue([header(["regex", "^v[0-9]+$"])], ["v2"])).toBe("v2");
  expect(exampleValue([header(["regex", "^v[0-9]+$"])])).toBe("v1");
  expect(exampleValue([header(["regex", "^[a-f]{32}$"])])).toBeUndefined();
});
