import type { Predicate } from "../../../../src/model/route.js";
import { hostKey } from "../../../../src/model/values.js";
import { meantOperator, parseHostRow, parseRow } from "../../../../src/translate/alb/dslx-row.js";

type Of = Predicate["of"];

/** The tests of a row, or what is wrong with it. */
function read(of: Of, ...row: readonly string[]): unknown {
  const result = parseRow(row, of);
  return result.ok ? result.value.tests : result.problem;
}

test("a row has its operator and its arguments as they are written", () => {
  expect(parseRow(["IN", "A.example", "b.example"], "host")).toEqual({
    ok: true,
    value: {
      ...{ operator: "IN", args: ["A.example", "b.example"] },
      tests: [["in", "a.example", "b.example"]],
    },
  });
});

describe("the number of arguments", () => {
  it.each([
    [["EQ"], "EQ takes 1 argument, not 0"],
    [["EQ", "a", "b"], "EQ takes 1 argument, not 2"],
    [["IN"], "IN takes at least 1 argument, not 0"],
    [["STARTS_WITH", "a", "b"], "STARTS_WITH takes 1 argument, not 2"],
    [["ENDS_WITH"], "ENDS_WITH takes 1 argument, not 0"],
    [["REGEX", "a", "b"], "REGEX takes 1 argument, not 2"],
    [["RANGE", "1"], "RANGE takes 2 arguments, not 1"],
    [["RANGE", "1", "2", "3"], "RANGE takes 2 arguments, not 3"],
    [["EXIST", "a"], "EXIST takes 0 arguments, not 1"],
  ])("of %j is wrong", (row, problem) => {
    expect(read("query", ...row)).toBe(problem);
  });

  it.each([
    [
      ["IN", "a"],
      ["eq", "a"],
    ],
    [
      ["IN", "a", "b"],
      ["in", "a", "b"],
    ],
    [["EXIST"], ["exists"]],
    [
      ["EQ", ""],
      ["eq", ""],
    ],
  ])("of %j is right", (row, test) => {
    expect(read("query", ...row)).toEqual([test]);
  });
});

describe("an operator", () => {
  const known = "EQ, IN, STARTS_WITH, ENDS_WITH, REGEX, RANGE, EXIST";

  it.each(["IS", "eq", "", "toString"])("%j is unknown", (name) => {
    expect(read("path", name, "/")).toBe(
      `the operator ${JSON.stringify(name)} is none of ${known}`,
    );
  });

  it("is unknown in an empty row", () => {
    expect(read("path")).toBe(`the operator "" is none of ${known}`);
  });

  it.each([
    ["EQ", "EQ"],
    ["REGEX", "REGEX"],
    ["REGEXP", "REGEX"],
    ["STARTSWITH", "STARTS_WITH"],
    ["EXISTS", "EXIST"],
    ["CONTAINS", "EQ"],
    ["", "EQ"],
    ["constructor", "EQ"],
  ])("%j probably means %s", (name, meant) => {
    expect(meantOperator(name)).toBe(meant);
  });
});

describe("a path", () => {
  it.each([
    ["EQ", "a"],
    ["EQ", ""],
    ["IN", "/a", "b"],
    ["STARTS_WITH", "a"],
    ["REGEX", "^a"],
  ])("is never like %s %s", (...row) => {
    expect(read("path", ...row)).toBe(
      `no path is like ${JSON.stringify(row.at(-1))}: all begin with a slash`,
    );
  });

  it.each([
    [
      ["STARTS_WITH", ""],
      ["start", ""],
    ],
    [
      ["ENDS_WITH", ".js"],
      ["end", ".js"],
    ],
    [
      ["REGEX", "a.*b$"],
      ["regex", "a.*b$"],
    ],
    [
      ["REGEX", "^a?/"],
      ["regex", "^a?/"],
    ],
    [
      ["REGEX", "^a|/b"],
      ["regex", "^a|/b"],
    ],
    [
      ["IN", "/a", "/b"],
      ["in", "/a", "/b"],
    ],
  ])("may be like %j", (row, test) => {
    expect(read("path", ...row)).toEqual([test]);
  });
});

describe("a client address", () => {
  it.each([
    [["EQ", "10.0.0.1"], [["cidr", "10.0.0.1/32"]]],
    [
      ["IN", "10.0.0.1", "FD00::1"],
      [
        ["cidr", "10.0.0.1/32"],
        ["cidr", "FD00::1/128"],
      ],
    ],
    [["RANGE", "10.0.0.1", "10.0.0.9"], [["range", "10.0.0.1", "10.0.0.9"]]],
    [["RANGE", "fd00::1", "fd00::9"], [["range", "fd00::1", "fd00::9"]]],
  ])("may be %j", (row, tests) => {
    expect(read("sourceIp", ...row)).toEqual(tests);
  });

  it.each([
    [["EQ", "10.0.0"], '"10.0.0" is not an IP address'],
    [["EQ", "10.0.0.0/8"], '"10.0.0.0/8" is not an IP address'],
    [["IN", "10.0.0.1", "a"], '"a" is not an IP address'],
    [["RANGE", "1", "9"], '"1" and "9" are no range'],
    [["RANGE", "10.0.0.1", "fd00::1"], '"10.0.0.1" and "fd00::1" are no range'],
  ])("is never %j", (row, problem) => {
    expect(read("sourceIp", ...row)).toBe(problem);
  });
});

test.each([
  ["1", "10"],
  ["-1.5", "1e3"],
  ["10.0.0.1", "10.0.0.9"],
])("a parameter may be between %s and %s", (low, high) => {
  expect(read("query", "RANGE", low, high)).toEqual([["range", low, high]]);
});

test.each([
  ["a", "b"],
  ["1", ""],
  [" ", "1"],
  ["1", "Infinity"],
  ["1", "10.0.0.1"],
])("%j and %j are no range", (low, high) => {
  expect(read("query", "RANGE", low, high)).toBe(
    `${JSON.stringify(low)} and ${JSON.stringify(high)} are no range`,
  );
});

describe("patterns that only PCRE knows", () => {
  it.each(["(?i)/a", "/a++", "(?>a)", "\\Aa", "[[:digit:]]+", "(?P<n>a)"])(
    "such as %s pass",
    (pattern) => {
      expect(read("path", "REGEX", pattern)).toEqual([["regex", pattern]]);
    },
  );

  it.each(["(a", "a)", "[a", "*a", "a\0b", "(?<=a+)b", "(*UTF)a", "((a{1,200}){1,200}){1,200}"])(
    "unlike %j, which it refuses",
    (pattern) => {
      expect(read("path", "REGEX", pattern)).toMatch(/^".*" is not a regular expression: /);
    },
  );
});

describe("a host", () => {
  /** The hosts that the row names, by which it can be looked up. */
  function hosts(...row: readonly string[]): readonly string[] | undefined {
    const result = parseRow(row, "host");
    if (!result.ok) throw new Error(result.problem);
    return parseHostRow(result.value)?.map(hostKey);
  }

  it.each([
    ["A.Example", "a.example"],
    ["a.example.", "a.example"],
    ["Bücher.example", "xn--bcher-kva.example"],
    ["127.0.0.1", "127.0.0.1"],
    ["2001:0DB8:0::1", "[2001:db8::1]"],
    ["[::ffff:192.0.2.1]", "192.0.2.1"],
    ["*.a.example", "*.a.example"],
  ])("%s is named as requests do", (text, host) => {
    expect(hosts("EQ", text)).toEqual([host]);
  });

  it.each([
    [
      ["IN", "a.example", "*.b.example"],
      ["a.example", "*.b.example"],
    ],
    [
      ["IN", "*.b.example", "a.example"],
      ["a.example", "*.b.example"],
    ],
    [["ENDS_WITH", "*.example"], ["*.example"]],
    [["ENDS_WITH", ".example"], ["*.example"]],
    [["ENDS_WITH", "example"], undefined],
    [["STARTS_WITH", "a."], undefined],
    [["REGEX", "^a"], undefined],
    [["RANGE", "1", "9"], undefined],
    [["EXIST"], undefined],
  ])("by %j is one of %j", (row, expected) => {
    expect(hosts(...row)).toEqual(expected);
  });

  it("below *.example has one label more", () => {
    expect(read("host", "ENDS_WITH", ".example")).toEqual([["oneLabel", "example"]]);
    expect(parseHostRow({ operator: "EQ", args: [], tests: [["oneLabel", "example"]] })).toEqual([
      { kind: "wildcard", suffix: "example", labels: "one" },
    ]);
  });

  it.each([
    [
      ["ENDS_WITH", "Xample."],
      ["end", "xample"],
    ],
    [
      ["STARTS_WITH", "A.B"],
      ["start", "a.b"],
    ],
    [
      ["STARTS_WITH", "[fd00:"],
      ["start", "[fd00:"],
    ],
  ])("is compared with %j without case", (row, test) => {
    expect(read("host", ...row)).toEqual([test]);
  });

  it.each([
    ["EQ", "a.example:80"],
    ["EQ", "http://a.example"],
    ["EQ", "*"],
    ["EQ", ""],
    ["EQ", "127.1"],
    ["IN", "a.example", "*.a,example"],
    ["ENDS_WITH", ".a_example:80"],
    ["ENDS_WITH", "example/"],
    ["STARTS_WITH", "https://a"],
  ])("is never %s %s", (...row) => {
    const said = /^no host is like ".*": write a DNS name or an address, without a port$/;
    expect(read("host", ...row)).toMatch(said);
  });
});
