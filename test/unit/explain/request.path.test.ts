import { normalisePath, toWire } from "../../../src/explain/request.js";

// Each row was asked of a real nginx: its $uri, or that it answers 400.
describe("normalisePath", () => {
  it.each([
    ["/", "/"],
    ["/a?b/../c", "/a"],
    ["/%2F/a", "/a"],
    ["/a%2Fb", "/a/b"],
    ["/a/%2e%2e/b", "/b"],
    ["/a/./b/", "/a/b/"],
    ["/a//b", "/a/b"],
    ["/a/..", "/"],
    ["/a/.", "/a/"],
    ["/a/b/../..", "/"],
    ["/%25%32%35", "/%25"],
    ["/%3F", "/?"],
    ["/%23x", "/#x"],
    ["/a#b", "/a"],
    ["/a+b", "/a+b"],
    ["/é", "/é"],
    ["/%C3%A9", "/é"],
    ["/a/.../b", "/a/.../b"],
    ["/a/..b", "/a/..b"],
    ["/a\\..\\b", "/a\\..\\b"],
    ["//", "/"],
    ["/a/%2E", "/a/"],
    ["/.a", "/.a"],
    ["/a/%252e%252e/b", "/a/%2e%2e/b"],
    ["/a/%2e./b", "/b"],
    ["/a/./..//./b//", "/b/"],
    ["/a/b/..", "/a/"],
    ["/a%0Ab", "/a\nb"],
  ])("makes of %s the path %s", (target, path) => {
    expect(normalisePath(toWire(target))).toBe(toWire(path));
  });

  it.each([
    "/..",
    "/../x",
    "/%2e%2e/x",
    "/a/b/../../..",
    "/a/..%2f..%2f",
    "//..",
    "/a%00",
    "/%zz",
    "/a%",
    "/%",
    "/%4",
    "*",
    "",
    "a",
    "/a b",
    "/a\u0001",
  ])("refuses %j", (target) => {
    expect(normalisePath(toWire(target))).toBeUndefined();
  });
});
