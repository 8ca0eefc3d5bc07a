import { formatExplanation } from "../../../src/explain/format.js";
import type { PolicyBinding } from "../../../src/model/policy.js";
import type { Predicate } from "../../../src/model/route.js";
import { ask, askAs, policy, routeOf } from "../../support/explained.js";

describe("candidates", () => {
  it("of all matching hosts are tried in byte order", () => {
    const document = policy({
      "http|a.b.example": [
        { order: "30", route: "exact", path: ["prefix", "/x"] },
        { order: "50", route: "late" },
      ],
      "http|*.b.example": [{ order: "20", route: "one", path: ["exact", "/one"] }],
      "http|**.example": [{ order: "40", route: "many" }],
      "http|": [{ order: "10", route: "any", path: ["start", "/st"] }],
      "http|other.example": [{ order: "05", route: "other" }],
    });
    expect(routeOf(document, "http://a.b.example/x/y")).toBe("exact");
    expect(routeOf(document, "http://a.b.example/one")).toBe("one");
    expect(routeOf(document, "http://a.b.example/start")).toBe("any");
    expect(routeOf(document, "http://a.b.example/")).toBe("many");
    expect(routeOf(document, "http://elsewhere/")).toBeUndefined();
    const { candidates } = ask(document, "http://a.b.example/x/y");
    expect(candidates.map(({ route, outcome }) => [route, outcome.kind])).toEqual([
      ["any", "path"],
      ["one", "path"],
      ["exact", "chosen"],
      ["many", "order"],
      ["late", "order"],
    ]);
  });

  it("names the nearest hosts where nothing names the host", () => {
    const named = ["a.exmple", "*.example", "b.test", "**.x.example", "aa.example", "c.test"];
    const rule = [{ order: "1", route: "r" }];
    const tables = Object.fromEntries(named.map((host) => [`http|${host}`, rule]));
    const any = { "http|": [{ order: "1", route: "any", path: ["exact", "/x"] as const }] };
    const near = (hosts: Parameters<typeof policy>[0], url: string) =>
      ask(policy(hosts), url).nearestHosts;
    const { "http|*.example": _, ...rest } = tables;
    expect(near({ ...rest, ...any }, "http://a.example/")).toEqual([
      ...["a.exmple", "aa.example", "**.x.example", "b.test", "c.test"],
    ]);
    expect(near(tables, "http://a.exampel/")?.[0]).toBe("*.example");
    expect(near({ ...rest, ...any }, "http://a.example/x")).toBeUndefined();
    expect(near(tables, "http://b.example/")).toBeUndefined();
  });

  it.each([
    ["exact", "/a", ["/a", "/%61"], ["/", "/a/", "/a/b", "/A"]],
    ["prefix", "/a", ["/a", "/a/", "/a/b", "/a%2Fb", "//a/./b"], ["/ab", "/b/a", "/"]],
    ["prefix", "", ["/", "/a", "/a/"], []],
    ["start", "/a", ["/a", "/ab", "/a/b"], ["/b", "/A"]],
    ["prefix", "/é", ["/é/x", "/%C3%A9"], ["/e"]],
  ] as const)("%s path %j", (kind, value, matching, others) => {
    const document = policy({ "http|": [{ order: "1", route: "r", path: [kind, value] }] });
    for (const path of matching) expect(routeOf(document, `http://a${path}`)).toBe("r");
    for (const path of others) expect(routeOf(document, `http://a${path}`)).toBeUndefined();
  });

  it("with a regular expression match where it stands", () => {
    const document = policy({
      "http|": [
        { order: "1", route: "case", path: ["regex", "^/v\\d+$", ""] },
        { order: "2", route: "nocase", path: ["regex", "/ABC", "i"] },
      ],
    });
    expect(routeOf(document, "http://a/v1")).toBe("case");
    expect(routeOf(document, "http://a/x/abc/y")).toBe("nocase");
    expect(routeOf(document, "http://a/v1/x")).toBeUndefined();
  });

  it("on a long path, where the data plane may give up, make the answer uncertain", () => {
    const document = policy({ "http|": [{ order: "1", route: "r", path: ["regex", "a$", ""] }] });
    const at = (length: number) => ask(document, `http://a/${"a".repeat(length)}`);
    expect([at(1023).route?.id, at(1023).certain]).toEqual(["r", true]);
    expect([at(1024).route?.id, at(1024).certain]).toEqual([undefined, false]);
  });

  it("that only PCRE can try make the answer uncertain, unless they come later", () => {
    const odd: PolicyBinding = { order: "1", route: "odd", path: ["regex", "a++", ""] };
    const plain: PolicyBinding = { order: "2", route: "plain" };
    const first = ask(policy({ "http|": [odd, plain] }), "http://a/");
    expect([first.route?.id, first.certain]).toEqual(["plain", false]);
    expect(formatExplanation(first)).toContain("not certain");
    const later = ask(policy({ "http|": [{ ...plain, order: "0" }, odd] }), "http://a/");
    expect([later.route?.id, later.certain]).toEqual(["plain", true]);
  });
});

describe("conditions", () => {
  const cases: readonly (readonly [Predicate, string, readonly string[], boolean])[] = [
    [{ of: "method", any: [["eq", "GET"]] }, "/", [], true],
    [{ of: "method", any: [["in", "POST", "PUT"]] }, "/", [], false],
    [{ of: "path", any: [["end", ".png"]] }, "/a%2epng", [], true],
    [{ of: "host", any: [["oneLabel", "example"]] }, "/", [], true],
    [{ of: "host", any: [["oneLabel", "a.example"]] }, "/", [], false],
    [{ of: "header", key: "x-a", any: [["eq", "1,2"]] }, "/", ["X-A: 1", "x-a: 2"], true],
    [{ of: "header", key: "x-a", any: [["exists"]] }, "/", ["X-A:"], true],
    [{ of: "header", key: "x-a", any: [["exists"]] }, "/", ["X_A: 1"], false],
    [{ of: "query", key: "q", any: [["eq", "a b"]] }, "/?q=a+b&q=c", [], true],
    [{ of: "query", key: "é", any: [["eq", "ü"]] }, "/?%C3%A9=%C3%BC", [], true],
    [{ of: "cookie", key: "c", any: [["start", "ab"]] }, "/", ["Cookie: x=1; c=abc"], true],
    [{ of: "sourceIp", any: [["cidr", "192.0.2.0/24"]] }, "/", [], true],
    [{ of: "sourceIp", any: [["cidr", "192.0.2.128/25"]] }, "/", [], false],
    [{ of: "sourceIp", any: [["range", "192.0.1.200", "192.0.2.1"]] }, "/", [], true],
    [{ of: "sourceIp", any: [["range", "192.0.2.10", "192.0.2.20"]] }, "/", [], false],
    [{ of: "sourceIp", any: [["range", "2001:db8::", "2001:db8::ff"]] }, "/", [], false],
    [{ of: "query", key: "n", any: [["range", "5", "10"]] }, "/?n=9", [], true],
    [{ of: "query", key: "n", any: [["range", "5", "10"]] }, "/?n=", [], false],
    [{ of: "query", key: "n", any: [["range", "0", "10"]] }, "/?n=x", [], false],
    [{ of: "header", key: "x-a", any: [["regex", "^v[12]$"]] }, "/", ["X-A: v2"], true],
    [
      {
        of: "header",
        key: "x-a",
        any: [
          ["eq", "1"],
          ["start", "2"],
        ],
      },
      "/",
      ["X-A: 23"],
      true,
    ],
  ];

  it.each(cases)("%j on %s %j: %s", (predicate, target, headers, holds) => {
    const document = policy({ "http|": [{ order: "1", route: "r", when: [predicate] }] });
    expect(routeOf(document, `http://b.example${target}`, ...headers)).toBe(
      holds ? "r" : undefined,
    );
  });

  it("must all hold; the first that does not is named with the request's value", () => {
    const when: Predicate[] = [
      { of: "method", any: [["eq", "GET"]] },
      { of: "header", key: "x-a", any: [["eq", "1"]] },
      { of: "header", key: "x-b", any: [["exists"]] },
    ];
    const document = policy({ "http|": [{ order: "1", route: "r", when }] });
    expect(ask(document, "http://a/", "X-A: 2").candidates[0]?.outcome).toEqual({
      kind: "predicate",
      predicate: when[1],
      value: "2",
    });
    expect(ask(document, "http://a/", "X-A: 1").candidates[0]?.outcome).toEqual({
      kind: "predicate",
      predicate: when[2],
    });
  });

  it("take an IPv4-mapped client for its IPv4 address", () => {
    const when: Predicate[] = [{ of: "sourceIp", any: [["cidr", "192.0.2.0/24"]] }];
    const document = policy({ "http|": [{ order: "1", route: "r", when }] });
    const written = { method: "GET", url: "http://a/", headers: [], client: "::ffff:192.0.2.9" };
    expect(askAs(document, written).route?.id).toBe("r");
  });
});
