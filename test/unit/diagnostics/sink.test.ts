import { DIAGNOSTIC_CATALOG } from "../../../src/diagnostics/catalog.js";
import {
  DiagnosticSink,
  diagnosticOf,
  type Locate,
  MOST_OF_OBJECT,
  MOST_PROBLEMS,
  type Report,
  sortDiagnostics,
} from "../../../src/diagnostics/sink.js";

const REF = { apiVersion: "v1", kind: "Service", namespace: "shop", name: "web" };

describe("DiagnosticSink", () => {
  it("takes severity and advice from the catalogue and the place from the input", () => {
    const sink = new DiagnosticSink();
    sink.report({ code: "SETTING_UNSUPPORTED", message: "m", resource: REF, field: ["a", "b"] });
    sink.report({ code: "SETTING_UNSUPPORTED", message: "m", resource: REF, hint: "own" });
    const locate: Locate = (_ref, field) => ({ file: "f", line: field.length, column: 1 });
    expect(sink.sorted(locate)).toMatchObject([
      { severity: "warning", hint: "own", location: { line: 0 } },
      { hint: DIAGNOSTIC_CATALOG.SETTING_UNSUPPORTED.hint, location: { line: 2 } },
    ]);
  });

  it("drops repeats and sorts, whatever the order of the reports", () => {
    const reports = ["b", "a", "b", "c"].map(
      (message) => ({ code: "SETTING_UNSUPPORTED", message }) as const,
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
  sink.report({ code: "SETTING_UNSUPPORTED", message: "m", resource: other });
  for (let i = 0; i < 100_000; i++) {
    const code = i % 10_000 === 9999 ? "FIELD_INVALID" : "SETTING_UNSUPPORTED";
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

const problem = (i: number, resource = REF): Report => ({
  code: "SETTING_UNSUPPORTED",
  message: `m${String(i)}`,
  resource,
});

it("keeps no more of an object than it lists, counts the rest, and one report once, whoever adds it", () => {
  const own = new DiagnosticSink();
  for (let i = 0; i < 5000; i++) own.report(problem(i));
  expect(own.reports).toHaveLength(MOST_OF_OBJECT + 1);

  const sink = new DiagnosticSink();
  for (let reader = 0; reader < 100; reader++) {
    const part = new DiagnosticSink();
    part.addAll(own.reports);
    sink.addAll(part.reports);
  }
  sink.report(problem(-1));
  expect(sink.reports.length).toBeLessThan(2 * MOST_OF_OBJECT);
  expect(sink.sorted().filter(({ code }) => code === "PROBLEMS_NOT_LISTED")).toMatchObject([
    { message: `${String(5001 - MOST_OF_OBJECT)} more problems of this object are not listed` },
  ]);
});

it("lists all problems of a namespace that has few, however many another one has", () => {
  const reports = (namespace: string, objects: number): readonly Report[] =>
    Array.from({ length: 10 * objects }, (_, i) =>
      problem(i, { ...REF, namespace, name: String(i % objects) }),
    );
  const all = [...reports("shop", 100), ...reports("noisy", 3000)];
  const sink = new DiagnosticSink();
  sink.addAll(all);
  const listed = sink.sorted();

  expect(listed.length).toBeLessThanOrEqual(MOST_PROBLEMS + 1);
  expect(listed.filter(({ resource }) => resource?.namespace === "shop")).toHaveLength(1000);
  expect(listed.filter(({ code }) => code === "PROBLEMS_NOT_LISTED")).toMatchObject([
    { message: "21000 problems of 2100 objects of namespace noisy are not listed" },
  ]);
  const input = all.map((each) => ({ ...each, severity: "warning" as const }));
  expect(sortDiagnostics(input)).toHaveLength(listed.length);
});

test("a value that is nearly one of those that its field takes has a hint, wherever it is shown", () => {
  const message = '"Prefix" is none of Exact, PathPrefix';
  expect(diagnosticOf({ code: "ROUTE_VALUE_UNSUPPORTED", message }, undefined).hint).toBe(
    "did you mean PathPrefix?",
  );
});
