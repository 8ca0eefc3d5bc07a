import { findUnclosed } from "../../../src/input/yaml-errors.js";

it.each([
  ["a: 1", undefined],
  ['a: {b: [1, \'x]\', "y}\\""]}', undefined],
  ['a: it\'s "fine" [here', undefined],
  ["a: |\n  it's [\n\n   {\nb: 1", undefined],
  ["- |-\n  '\n- 2", undefined],
  ["a: x # don't [\nb: 1", undefined],
  ["a: x#'[\nb: 1", undefined],
  ["a: &x !t 'y'", undefined],
  ["a: http://x/[1]", undefined],
  ["a: {b: http://x/y}", undefined],
  ["a: }", undefined],
  ["a: '''", 3],
  ["a: 'it''s", 3],
  ['a: "\\"', 3],
  ["{a: {b: 1}", 0],
  ["a: [[1], [2", 9],
  ["- 'x", 2],
  ["? [a", 2],
])("in %j it is at %j", (text, offset) => {
  expect(findUnclosed(text, text.length)?.offset).toBe(offset);
});

it("looks no further than it is told", () => {
  expect(findUnclosed("a: [1]", 5)).toEqual({ character: "[", offset: 3 });
});
