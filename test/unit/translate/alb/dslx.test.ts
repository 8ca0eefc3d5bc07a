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
      term("URL", [["EQ", "/"], ["EQ"]]),
      { term: 1, row: 1, problem: "EQ takes 1 argument, not 0" },
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
