import { type LiteralPath, PathCells } from "../../../src/diff/path-cells.js";

function cellsOf(...patterns: readonly LiteralPath[]): PathCells {
  const cells = new PathCells();
  for (const pattern of patterns) cells.add(pattern);
  return cells;
}

test("each pattern is a cell without the narrower ones", () => {
  const cells = cellsOf(["prefix", "/a"], ["exact", "/a"], ["start", "/a/any"]);
  expect(cells.all.map(({ pattern, path, within }) => [pattern.join(" "), path, within])).toEqual([
    ["prefix ", "/", ["prefix "]],
    ["prefix /a", "/a/b", ["prefix /a", "prefix "]],
    ["exact /a", "/a", ["exact /a", "prefix /a", "prefix "]],
    ["start /a/any", "/a/any", ["start /a/any", "prefix /a", "prefix "]],
  ]);
});

test("a text belongs to the narrowest cell around it, and to those inside", () => {
  const cells = cellsOf(["prefix", "/a"], ["prefix", "/a/b"]);
  const [root, a, b] = cells.all;
  const where = (text: string): unknown[] =>
    [root, a, b].map((cell) => cell && cells.mayContain(cell, text));
  expect(where("/a/x")).toEqual([false, true, false]);
  expect(where("/a")).toEqual([true, true, true]);
  expect(where("/a/b/")).toEqual([false, false, true]);
  expect(where("/")).toEqual([true, true, true]);
});
