import type { DslxTerm } from "../../../../src/api/alb.js";
import { hostKey } from "../../../../src/model/values.js";
import { type DslxMatch, parseDslx } from "../../../../src/translate/alb/dslx.js";

function term(type: string, rows: readonly (readonly string[])[], key?: string): DslxTerm {
  return { type, values: rows, ...(key !== undefined && { key }) };
}

function matchOf(...terms: readonly DslxTerm[]): DslxMatch {
  const { match, problems } = parseDslx(terms);
  expect(problems).toEqual([]);
  if (match === undefined) throw new Error("no match");
  return match;
}

function hostsOf(...rows: readonly (readonly string[])[]): readonly string[] {
  return matchOf(term("HOST", rows)).hosts.map(hostKey);
}

describe("HOST terms", () => {
  it("are looked up by name where they can be", () => {
    expect(hostsOf(["EQ", "A.Example"])).toEqual(["a.example"]);
    expect(hostsOf(["IN", "a.example", "*.b.example", "a.example"])).toEqual([
      "a.example",
      "*.b.example",
    ]);
    expect(hostsOf(["ENDS_WITH", "*.example"])).toEqual(["*.example"]);
    expect(hostsOf(["ENDS_WITH", ".example"])).toEqual(["*.example"]);
    expect(hostsOf(["EQ", "a.example"], ["EQ", "b.example"])).toEqual(["a.example", "b.example"]);
  });

  it.each([
    ["a.example.", "a.example"],
    ["Bücher.example", "xn--bcher-kva.example"],
    ["127.0.0.1", "127.0.0.1"],
    ["2001:0DB8:0::1", "[2001:db8::1]"],
    ["[::ffff:192.0.2.1]", "192.0.2.1"],
  ])("are for the host that %s names", (text, host) => {
    expect(hostsOf(["EQ", text])).toEqual([host]);
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
  ])("that no request fulfils are refused: %s %s", (...row) => {
    const { problems } = parseDslx([term("HOST", [row])]);
    expect(problems).toEqual([expect.objectContaining({ term: 0, row: 0 })]);
    expect(problems[0]?.problem).toMatch(/^no host is like ".*": write a DNS name or an address/);
  });

  it("are tried where a name does not say it all", () => {
    const rows = [
      ["REGEX", "^a"],
      ["EQ", "B.example"],
      ["ENDS_WITH", "xample"],
    ];
    const { hosts, when } = matchOf(term("HOST", rows));
    expect(hosts.map(hostKey)).toEqual([""]);
    expect(when).toEqual([
      {
        of: "host",
        any: [
          ["regex", "^a"],
          ["eq", "b.example"],
          ["end", "xample"],
        ],
      },
    ]);
  });

  it("after the first narrow it further", () => {
    const { hosts, when } = matchOf(
      term("HOST", [["ENDS_WITH", "*.example"]]),
      term("HOST", [["IN", "a.example", "*.b.example"]]),
    );
    expect(hosts.map(hostKey)).toEqual(["*.example"]);
    expect(when).toEqual([
      {
        of: "host",
        any: [
          ["eq", "a.example"],
          ["oneLabel", "b.example"],
        ],
      },
    ]);
  });
});

describe("URL terms", () => {
  it.each([
    [
      ["EQ", "/a"],
      ["exact", "/a"],
    ],
    [
      ["STARTS_WITH", "/a"],
      ["start", "/a"],
    ],
    [
      ["REGEX", "a.*b$"],
      ["regex", "a.*b$", ""],
    ],
  ])("%j is a path", (row, path) => {
    expect(matchOf(term("URL", [row])).path).toEqual(path);
  });

  it("with alternatives are tried", () => {
    const { path, when } = matchOf(
      term("URL", [
        ["EQ", "/a"],
        ["IN", "/b", "/c"],
        ["ENDS_WITH", ".js"],
      ]),
    );
    expect(path).toBeUndefined();
    expect(when).toEqual([
      {
        of: "path",
        any: [
          ["eq", "/a"],
          ["in", "/b", "/c"],
          ["end", ".js"],
        ],
      },
    ]);
  });
});

describe("other terms", () => {
  it.each([
    [term("METHOD", [["IN", "GET", "POST"]]), { of: "method", any: [["in", "GET", "POST"]] }],
    [
      term("HEADER", [["EQ", "a"]], "X-Request-Kind"),
      { of: "header", key: "x-request-kind", any: [["eq", "a"]] },
    ],
    [term("PARAM", [["EXIST"]], "Q"), { of: "query", key: "Q", any: [["exists"]] }],
    [
      term("COOKIE", [["STARTS_WITH", "v"]], "sid"),
      { of: "cookie", key: "sid", any: [["start", "v"]] },
    ],
    [
      term("SRC_IP", [["IN", "10.0.0.1", "fd00::1"]]),
      {
        of: "sourceIp",
        any: [
          ["cidr", "10.0.0.1/32"],
          ["cidr", "fd00::1/128"],
        ],
      },
    ],
    [
      term("SRC_IP", [["RANGE", "10.0.0.1", "10.0.0.9"]]),
      { of: "sourceIp", any: [["range", "10.0.0.1", "10.0.0.9"]] },
    ],
    [
      term("PARAM", [["RANGE", "1", "10"]], "page"),
      { of: "query", key: "page", any: [["range", "1", "10"]] },
    ],
    // The origin can't have EXIST among alternatives.
    [
      term("HEADER", [["EXIST"], ["EQ", "a"]], "x"),
      { of: "header", key: "x", any: [["exists"], ["eq", "a"]] },
    ],
  ])("%j are conditions", (dslx, predicate) => {
    expect(matchOf(dslx).when).toEqual([predicate]);
  });

  it("without rows don't count", () => {
    expect(parseDslx([term("METHOD", [])])).toEqual({ match: undefined, terms: [], problems: [] });
  });
});

describe("a term that is wrong", () => {
  const good = term("URL", [["EQ", "/a"]]);

  it.each<[DslxTerm, object]>([
    [
      term("PATH", [["EQ", "/"]]),
      { term: 1, problem: expect.stringContaining('"PATH"') as string },
    ],
    [
      term("URL", [["IS", "/"]]),
      { term: 1, row: 0, problem: expect.stringContaining('"IS"') as string },
    ],
    [
      term("URL", [["EQ", "/"], ["EQ"]]),
      { term: 1, row: 1, problem: "EQ takes 1 argument, not 0" },
    ],
    [term("URL", [["EQ", "/", "/b"]]), { term: 1, row: 0, problem: "EQ takes 1 argument, not 2" }],
    [term("URL", [[]]), { term: 1, row: 0, problem: expect.stringContaining('""') as string }],
    [term("URL", [["IN"]]), { term: 1, row: 0, problem: "IN takes at least 1 argument, not 0" }],
    [
      term("PARAM", [["RANGE", "1"]], "a"),
      { term: 1, row: 0, problem: "RANGE takes 2 arguments, not 1" },
    ],
    [
      term("PARAM", [["EXIST", "a"]], "a"),
      { term: 1, row: 0, problem: "EXIST takes 0 arguments, not 1" },
    ],
    [
      term("URL", [["REGEX", "(a"]]),
      { term: 1, row: 0, problem: '"(a" is not a regular expression: a group is not closed' },
    ],
    [
      term("SRC_IP", [["EQ", "10.0.0"]]),
      { term: 1, row: 0, problem: '"10.0.0" is not an IP address' },
    ],
    [
      term("SRC_IP", [["RANGE", "1", "9"]]),
      { term: 1, row: 0, problem: '"1" and "9" are no range' },
    ],
    [
      term("SRC_IP", [["RANGE", "10.0.0.1", "fd00::1"]]),
      { term: 1, row: 0, problem: '"10.0.0.1" and "fd00::1" are no range' },
    ],
    [term("HEADER", [["EQ", "a"]]), { term: 1, problem: "a term of type HEADER needs a key" }],
    [term("HEADER", [["EQ", "a"]], "x y"), { term: 1, problem: 'the key "x y" is not a name' }],
  ])("%j leaves the others", (bad, problem) => {
    const parsed = parseDslx([good, bad]);
    expect(parsed.problems).toEqual([problem]);
    expect(parsed.terms).toHaveLength(2);
    expect(parsed.match?.path).toEqual(["exact", "/a"]);
  });
});

describe("patterns that only PCRE knows", () => {
  it.each(["(?i)/a", "/a++", "(?>a)", "\\Aa", "[[:digit:]]+", "(?P<n>a)"])(
    "such as %s pass",
    (pattern) => {
      expect(parseDslx([term("URL", [["REGEX", pattern]])]).problems).toEqual([]);
    },
  );

  it.each(["(a", "a)", "[a", "*a", "a\0b", "(?<=a+)b", "(*UTF)a", "((a{1,200}){1,200}){1,200}"])(
    "unlike %j, which it refuses",
    (pattern) => {
      expect(parseDslx([term("URL", [["REGEX", pattern]])]).problems).toHaveLength(1);
    },
  );
});
