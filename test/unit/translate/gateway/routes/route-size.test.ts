import { DiagnosticSink } from "../../../../../src/diagnostics/sink.js";
import { closedMatches } from "../../../../../src/translate/gateway/routes/route-size.js";
import { RouteProblems } from "../../../../../src/translate/gateway/route-problems.js";
import { grpcMatches } from "../../../../../src/translate/gateway/routes/grpc-matches.js";
import { httpMatches } from "../../../../../src/translate/gateway/routes/http-matches.js";
import type { RuleMatch, RulePlan } from "../../../../../src/translate/gateway/model.js";
import type { HttpRoute, HttpRouteMatch } from "../../../../../src/api/gateway.js";

const ROUTE: HttpRoute = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "HTTPRoute",
  metadata: { namespace: "default", name: "web" },
  spec: {},
};
const place = {
  resource: { apiVersion: "v1", kind: "HTTPRoute", namespace: "default", name: "web" },
  field: ["spec", "rules", 0],
} as const;

function plan(index: number, ...branches: readonly (readonly HttpRouteMatch[])[]): RulePlan {
  return planOf(
    index,
    branches.map((matches) => httpMatches(matches, place, new RouteProblems(new DiagnosticSink()))),
  );
}

function planOf(index: number, branches: readonly (readonly RuleMatch[])[]): RulePlan {
  const content = { timeouts: { connect: 1, send: 1, read: 1 }, backends: [] };
  return {
    index,
    place,
    closers: [],
    branches: branches.map((matches, i) => ({
      id: `${String(index)}-${String(i)}`,
      matches,
      content,
    })),
    problems: new RouteProblems(new DiagnosticSink()),
  };
}

/** Rule, match, path, and the number of conditions of each match that closes. */
function closed(plans: readonly RulePlan[], pairs: number): readonly unknown[] {
  return closedMatches(plans, ROUTE, pairs).flatMap(({ index, branches }) =>
    branches.flatMap(({ matches }) =>
      matches.map((match) => [
        index,
        match.index,
        match.path?.slice(0, 2).join(" ") ?? "any",
        match.when.length,
      ]),
    ),
  );
}

test("the narrowest match of each path stands for all of them, without its conditions", () => {
  const header = { name: "x", value: "1" };
  const plans = [
    plan(0, [{ path: { value: "/a" } }, { path: { value: "/b", type: "Exact" } }]),
    plan(1, [{ path: { value: "/a" }, headers: [header] }]),
  ];
  expect(closed(plans, 1)).toEqual([
    [0, 1, "exact /b", 0],
    [1, 0, "prefix /a", 0],
  ]);
});

test("as many path elements are kept as fit", () => {
  const paths = ["/a/b/1", "/a/b/2", "/a/c", "/d"].map((value) => ({ path: { value } }));
  const regex = { path: { type: "RegularExpression" as const, value: "^/e/f+g" } };
  const plans = [plan(0, [...paths, regex])];
  const [four, three, one] = [4, 3, 1].map((count) => closed(plans, Math.floor(16_384 / count)));
  expect(four).toEqual(
    [
      [0, 2, "prefix /a/c", 0],
      [0, 3, "prefix /d", 0],
      [0, 4, "start /e/f", 0],
      [0, 0, "prefix /a/b", 0],
    ].sort(),
  );
  expect(three).toHaveLength(3);
  expect(one).toEqual([[0, 4, "any", 0]]);
});

test("what has no place closes its hosts, however many there are", () => {
  expect(closed([plan(0, [{ path: { value: "/a" } }])], 20_000)).toEqual([[0, 0, "any", 0]]);
});

test.each([8, 4, 3, 2, 1])("%i path elements are tried", (depth) => {
  const start = Array.from({ length: depth }, (_, i) => `/e${String(i)}`).join("");
  const ends = ["/x/y/z/1/2/3/4/5", "/y/y/z/1/2/3/4/5"];
  const plans = [
    plan(
      0,
      ends.map((end) => ({ path: { value: `${start}${end}` } })),
    ),
  ];
  expect(closed(plans, 16_384)).toEqual([[0, 0, `prefix ${start}`, 0]]);
});

test("a path that fits is closed as it is written, however long it is", () => {
  const value = "/1/2/3/4/5/6/7/8/9/10";
  const matches = ["1", "2"].map((x) => ({
    path: { value, type: "Exact" as const },
    headers: [{ name: "x", value: x }],
  }));
  expect(closed([plan(0, matches)], 16_384)).toEqual([[0, 0, `exact ${value}`, 0]]);
});

test.each([
  ["paths", "PathPrefix", "/"],
  ["patterns", "RegularExpression", "^/"],
] as const)("%s that are too long together are closed by fewer elements", (_what, type, start) => {
  const value = (i: number): string => `${start}a/b/c/${String(i)}/${"x".repeat(1000)}/y/z/1/2`;
  const plans = [
    plan(
      0,
      [0, 1, 2, 3].map((i) => ({ path: { type, value: value(i) } })),
    ),
  ];
  expect(closed(plans, 1000)).toHaveLength(4);
  expect(closed(plans, 2000)).toHaveLength(4);
  expect(closed(plans, 2000)).toContainEqual([0, 0, "prefix /a/b/c/0", 0]);
});

test("a rule's branches are all closed, by its first one", () => {
  const plans = [plan(0, [{ path: { value: "/a" } }], [{ path: { value: "/b" } }])];
  expect(closed(plans, 1)).toEqual([
    [0, 0, "prefix /a", 0],
    [0, 0, "prefix /b", 0],
  ]);
  expect(closedMatches(plans, ROUTE, 1).map(({ branches }) => branches.length)).toEqual([1]);
});

test("a GRPCRoute closes gRPC's requests only", () => {
  const matches = grpcMatches(
    [{ method: { service: "s" }, headers: [{ name: "x", value: "1" }] }],
    place,
    new RouteProblems(new DiagnosticSink()),
  );
  expect(closed([planOf(0, [matches])], 1)).toEqual([[0, 0, "prefix /s", 1]]);
});

test("empty path elements at the end of what is kept do not count", () => {
  const pattern = (end: string): HttpRouteMatch => ({
    path: { type: "RegularExpression", value: `^/a//${end}/c/d+` },
  });
  expect(closed([plan(0, [pattern("x"), pattern("y")])], 16_384)).toEqual([[0, 0, "prefix /a", 0]]);
});

test("a pattern without case has no literal start", () => {
  const [match] = httpMatches(
    [{ path: { type: "RegularExpression", value: "^/a/b*" } }],
    place,
    new RouteProblems(new DiagnosticSink()),
  );
  if (match?.path?.[0] !== "regex") throw new Error("no pattern");
  const [, text] = match.path;
  const without: RuleMatch = { ...match, path: ["regex", text, "i"] };
  const other: RuleMatch = { ...match, path: ["regex", "^/a/c*", ""] };
  expect(closed([planOf(0, [[match, other]])], 16_384)).toEqual([[0, 0, "start /a/", 0]]);
  expect(closed([planOf(0, [[match, without]])], 16_384)).toEqual([[0, 0, "any", 0]]);
});
