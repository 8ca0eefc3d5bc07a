import { literalStart, pathStart } from "../../../src/support/literal-start.js";

test.each([
  ["^/a/b", "", "/a/b", false],
  ["^/a\\.b/", "i", "/a.b/", true],
  ["(?i)^/a(/|$)(.*)", "", "/a", true],
  ["^/ab?", "", "/a", false],
  ["^/a+", "", "/a", false],
  ["^/a|/b", "", "", false],
  ["^/(?:a|b)", "", "/", false],
  ["/a", "", "", false],
  ["^/a\\d", "", "/a", false],
  ["\\A/a[|]", "", "/a", false],
])("matches of %s with flags %j start with %j", (pattern, flags, text, insensitive) => {
  expect(literalStart(pattern, flags)).toEqual({ text, insensitive });
});

test.each([
  ["^/a/b", "/a/b"],
  ["^/a/b+c", "/a/b"],
  ["^/a/b.c", "/a/b"],
  ["^/a|/b", "/"],
  ["/a/b", "/"],
  ["^/*", "/"],
])("every path that %s matches starts with %s", (pattern, start) => {
  expect(pathStart(pattern)).toBe(start);
});
