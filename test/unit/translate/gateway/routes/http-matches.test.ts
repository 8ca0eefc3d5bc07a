import { DiagnosticSink } from "../../../../../src/diagnostics/sink.js";
import { RouteProblems } from "../../../../../src/translate/gateway/route-problems.js";
import { httpMatches } from "../../../../../src/translate/gateway/routes/http-matches.js";

const place = {
  resource: { apiVersion: "v1", kind: "HTTPRoute", namespace: "default", name: "web" },
  field: ["spec", "rules", 0, "matches"],
} as const;

function matched(path: { readonly type?: string; readonly value?: string }) {
  const problems = new RouteProblems(new DiagnosticSink());
  const [match] = httpMatches([{ path }], place, problems);
  return { path: match?.path, refused: problems.refused.map(({ field }) => field) };
}

test("paths are matched decoded, prefixes without a trailing slash", () => {
  expect(matched({ value: "/a%20b/" }).path).toEqual(["prefix", "/a b"]);
  expect(matched({ type: "Exact", value: "/a%20b/" }).path).toEqual(["exact", "/a b/"]);
});

test.each([
  ["an unknown type", { type: "Glob", value: "/a/*" }, ["start", "/a"], "type"],
  [
    "a lookbehind of unknown length",
    { type: "RegularExpression", value: "^/a(?<=b+)" },
    ["start", "/a"],
    "value",
  ],
  ["a value that is not UTF-8", { value: "/%ff" }, ["prefix", "/%ff"], "value"],
])("%s refuses every path that it could match", (_what, path, wide, field) => {
  const { path: matchedPath, refused } = matched(path);
  expect(matchedPath?.slice(0, 2)).toEqual(wide);
  expect(refused).toEqual([`spec.rules[0].matches[0].path.${field}`]);
});

test("of conditions on one header, ignoring case, the first counts", () => {
  const headers = [
    { name: "X-A", value: "1" },
    { name: "x-a", value: "2" },
  ];
  const [match] = httpMatches([{ headers }], place, new RouteProblems(new DiagnosticSink()));
  expect(match?.when).toEqual([{ of: "header", key: "x-a", any: [["eq", "1"]] }]);
});
