import { Script } from "node:vm";
import { jest } from "@jest/globals";
import { forgetLongPatterns, pcreTest } from "../../../src/explain/pcre.js";

describe("pcreTest", () => {
  it.each([
    ["^/a", "/ab", true],
    ["/b", "/a/b", true],
    ["/b$", "/a/b", true],
    ["/b$", "/a/b\n", true],
    ["\\A/b\\z", "/b\n", false],
    ["/b\\Z", "/b\n", true],
    ["^/a.b$", "/a\nb", false],
    ["^/a[.]b$", "/a.b", true],
    ["^\\/v\\d+/", "/v12/x", true],
    ["\\s", "\u00a0", false],
    ["\\S", "\u00a0", true],
    ["[\\s]", "\u00a0", false],
    ["^[[:alpha:]]+$", "abC", true],
    ["^[[:alpha:]_]+$", "a1", false],
    ["[^[:digit:]]", "123", false],
    ["[]a]", "]", true],
    ["[^]a]", "]", false],
    ["[[]", "[", true],
    ["(?i)^/ABC", "/abc", true],
    ["^/(?:a|b)(?=/)", "/b/", true],
    ["(?<name>x)y", "xy", true],
    ["a{2,3}$", "aaa", true],
    ["\\x41", "A", true],
    ["a\\-b\\.c", "a-b.c", true],
    ["", "", true],
  ])("%s on %j: %s", (pattern, text, expected) => {
    expect(pcreTest(pattern, "", text)).toBe(expected);
  });

  it("ignores case by flag, in ASCII only", () => {
    expect(pcreTest("^/abc$", "i", "/ABC")).toBe(true);
    expect(pcreTest("^/abc$", "", "/ABC")).toBe(false);
    expect(pcreTest("\u00e9", "i", "\u00c9")).toBeUndefined();
  });

  it.each([
    "a++",
    "a*+",
    "a{2}+",
    "(?>a)",
    "(?<=a)b",
    "(?P<x>a)",
    "(?i:a)",
    "a(?i)b",
    "(*UTF8)a",
    "\\Qa\\E",
    "\\h",
    "(a)\\1",
    "[[:foo:]]",
    "[[:^alpha:]]",
    "a{,3}",
    "(",
    "[",
    "a**",
    "(?R)",
  ])("says nothing of %s", (pattern) => {
    expect(pcreTest(pattern, "", "aaa")).toBeUndefined();
  });
});

test("a machine that gives no time to a try does not decide", () => {
  const run = jest.spyOn(Script.prototype, "runInContext").mockImplementationOnce(() => {
    throw new Error("Script execution timed out");
  });
  const found = pcreTest("^/.*", "i", "/a");
  expect(run).toHaveBeenCalledTimes(2);
  run.mockRestore();
  expect(found).toBe(true);
});

test("patterns that take long give no answer, and together they don't hold the command", () => {
  const text = `/${"a".repeat(60)}!`;
  expect(pcreTest("^/(a+)+$", "", text)).toBeUndefined();
  const before = process.cpuUsage();
  for (let i = 0; i < 500; i++) pcreTest(`^/(a+)+${String(i)}$`, "", text);
  const { user, system } = process.cpuUsage(before);
  expect(user + system).toBeLessThan(5_000_000);
  expect(pcreTest("^/a", "", text)).toBeUndefined();
  forgetLongPatterns();
  expect(pcreTest("^/a", "", text)).toBe(true);
});
