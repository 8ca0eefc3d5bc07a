import { DiagnosticSink } from "../../../../../src/diagnostics/sink.js";
import { RouteProblems } from "../../../../../src/translate/gateway/route-problems.js";
import { grpcMatches } from "../../../../../src/translate/gateway/routes/grpc-matches.js";

const place = {
  resource: { apiVersion: "v1", kind: "GRPCRoute", namespace: "default", name: "rpc" },
  field: ["spec", "rules", 0, "matches"],
} as const;

describe("expressions of a GRPCRoute", () => {
  it.each([
    ["a.b", "c|d", []],
    ["(?<=a+)b", "c", ["spec.rules[0].matches[0].method.service"]],
    ["a", "(c", ["spec.rules[0].matches[0].method.method"]],
    // Each is fine, but they are tried as one.
    ["(?<n>a)", "(?<n>b)", ["spec.rules[0].matches[0].method"]],
    ["(?:abc){300}", "(?:abc){300}", ["spec.rules[0].matches[0].method"]],
  ])("%s and %s", (service, method, refused) => {
    const problems = new RouteProblems(new DiagnosticSink());
    grpcMatches([{ method: { type: "RegularExpression", service, method } }], place, problems);

    expect(problems.refused.map(({ field }) => field)).toEqual(refused);
  });
});
