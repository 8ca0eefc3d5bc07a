import { DiagnosticSink } from "../../../../../src/diagnostics/sink.js";
import { closedMatches } from "../../../../../src/translate/gateway/routes/closed-matches.js";
import { Findings } from "../../../../../src/translate/gateway/routes/findings.js";
import { httpMatches } from "../../../../../src/translate/gateway/routes/http-matches.js";
import type { RulePlan } from "../../../../../src/translate/gateway/routes/rule-plan.js";
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

function plan(index: number, matches: readonly HttpRouteMatch[]): RulePlan {
  const findings = new Findings(new DiagnosticSink());
  const content = { timeouts: { connect: 1, send: 1, read: 1 }, backends: [] };
  const branch = { id: String(index), matches: httpMatches(matches, place, findings), content };
  return { index, place, branches: [branch], findings };
}

/** Rule, match, path, and the number of conditions of each match that closes. */
function closed(plans: readonly RulePlan[], pairs: number): readonly unknown[] {
  return closedMatches(plans, ROUTE, pairs).flatMap(({ index, branches }) =>
    branches.flatMap(({ matches }) =>
      matches.map((match) => [
        index,
        match.index,
        "value" in match.path ? `${match.path.kind} ${match.path.value}` : match.path.kind,
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
