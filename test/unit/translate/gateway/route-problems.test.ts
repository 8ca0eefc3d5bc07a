import { DiagnosticSink } from "../../../../src/diagnostics/sink.js";
import { RouteProblems } from "../../../../src/translate/gateway/route-problems.js";

const resource = { apiVersion: "v1", kind: "HTTPRoute", namespace: "n", name: "r" };
const place = { resource, field: ["spec", "rules", 0] } as const;

function problems() {
  const sink = new DiagnosticSink();
  return { sink, own: new RouteProblems(sink) };
}

test("a problem is reported, and kept once for the conditions, with its field", () => {
  const { sink, own } = problems();
  own.unsupported("first", place);
  own.unsupported("first", place);
  own.incompatible("second", place);
  expect(own.refused).toEqual([
    { reason: "UnsupportedValue", field: "spec.rules[0]", message: "spec.rules[0]: first" },
    { reason: "IncompatibleFilters", field: "spec.rules[0]", message: "spec.rules[0]: second" },
  ]);
  expect(own.unresolved).toEqual([]);
  expect(new Set(sink.reports.map(({ code }) => code))).toEqual(
    new Set(["ROUTE_VALUE_UNSUPPORTED", "ROUTE_FILTERS_INCOMPATIBLE"]),
  );
});

test("a reference that can't be resolved refuses nothing", () => {
  const { sink, own } = problems();
  own.unresolvable("BackendNotFound", "gone", place);
  own.reported("InvalidKind", "odd", place);
  expect(own.refused).toEqual([]);
  expect(own.unresolved.map(({ reason }) => reason)).toEqual(["BackendNotFound", "InvalidKind"]);
  expect(sink.reports.map(({ code }) => code)).toEqual(["ROUTE_BACKEND_NOT_FOUND"]);
});

test("a value is one of the choices, or unsupported", () => {
  const { own } = problems();
  expect(own.choice("a", ["a", "b"], place)).toBe("a");
  expect(own.choice("c", ["a", "b"], place)).toBeUndefined();
  expect(own.choice("c", ["a"], place)).toBeUndefined();
  expect(own.refused.map(({ message }) => message)).toEqual([
    'spec.rules[0]: "c" is none of a, b',
    'spec.rules[0]: "c" is not a',
  ]);
});
