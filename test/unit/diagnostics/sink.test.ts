import { DIAGNOSTIC_CATALOG } from "../../../src/diagnostics/catalog.js";
import { DiagnosticSink, type Locate, MOST_OF_OBJECT } from "../../../src/diagnostics/sink.js";

const REF = { apiVersion: "v1", kind: "Service", namespace: "shop", name: "web" };

describe("DiagnosticSink", () => {
  it("takes severity and advice from the catalogue and the place from the input", () => {
    const sink = new DiagnosticSink();
    sink.report({ code: "FIELD_UNKNOWN", message: "m", resource: REF, field: ["a", "b"] });
    sink.report({ code: "FIELD_UNKNOWN", message: "m", resource: REF, hint: "own" });
    const locate: Locate = (_ref, field) => ({ file: "f", line: field.length, column: 1 });
    expect(sink.sorted(locate)).toMatchObject([
      { severity: "warning", hint: "own", location: { line: 0 } },
      { hint: DIAGNOSTIC_CATALOG.FIELD_UNKNOWN.hint, location: { line: 2 } },
    ]);
  });

  it("drops repeats and sorts, whatever the order of the reports", () => {
    const reports = ["b", "a", "b", "c"].map(
      (message) => ({ code: "FIELD_UNKNOWN", message }) as const,
    );
    const sorted = (list: typeof reports) => {
      const sink = new DiagnosticSink();
      for (const report of list) sink.report(report);
      return sink.sorted().map(({ message }) => message);
    };
    expect(sorted(reports)).toEqual(["a", "b", "c"]);
    expect(sorted(reports.toReversed())).toEqual(["a", "b", "c"]);
  });
});

it("lists the first problems of an object, errors before all others, and counts the rest", () => {
  const sink = new DiagnosticSink();
  const other = { ...REF, name: "other" };
  sink.report({ code: "FIELD_UNKNOWN", message: "m", resource: other });
  for (let i = 0; i < 100_000; i++) {
    const code = i % 10_000 === 9999 ? "FIELD_INVALID" : "FIELD_UNKNOWN";
    sink.report({ code, message: "m", resource: REF, field: ["spec", i] });
  }
  const sorted = sink.sorted();
  const own = sorted.filter(({ resource }) => resource === REF);

  expect(sorted.length - own.length).toBe(1);
  expect(own).toHaveLength(MOST_OF_OBJECT + 1);
  expect(own.filter(({ severity }) => severity === "error")).toHaveLength(10);
  expect(own.filter(({ code }) => code === "PROBLEMS_NOT_LISTED")).toMatchObject([
    { message: `${String(100_000 - MOST_OF_OBJECT)} more problems of this object are not listed` },
  ]);
});
