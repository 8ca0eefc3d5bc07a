import { fc } from "../../support/fast-check.js";
import { KnownDiagnostics } from "../../../src/diagnostics/known-diagnostics.js";
import {
  DiagnosticSink,
  type Locate,
  MOST_OF_OBJECT,
  type Report,
} from "../../../src/diagnostics/sink.js";

const nowhere: Locate = () => undefined;

function sinkOf(reports: readonly Report[]): DiagnosticSink {
  const sink = new DiagnosticSink();
  sink.addAll(reports);
  return sink;
}

/** Of few objects and messages, so that some are repeats, and one object has too many. */
const REPORTS: readonly Report[] = Array.from({ length: 150 }, (_, i) => ({
  code: i % 3 === 0 ? "FIELD_INVALID" : "SETTING_UNSUPPORTED",
  message: `m${String(i % 70)}`,
  resource: {
    ...{ apiVersion: "v1", kind: "Service", namespace: "n" },
    name: i < 80 ? "busy" : `s${String(i % 7)}`,
  },
}));

test("a list that follows others is that of a sink of its own", () => {
  fc.assert(
    fc.property(
      fc.array(fc.subarray([...REPORTS]), { minLength: 2, maxLength: 8 }),
      fc.boolean(),
      (lists, hasPlaces) => {
        const locate: Locate = hasPlaces
          ? ({ name }) => ({ file: `${name}.yaml`, line: 1, column: 1 })
          : nowhere;
        const known = new KnownDiagnostics();
        for (const list of lists) {
          expect(known.of(sinkOf(list), locate)).toEqual(sinkOf(list).sorted(locate));
        }
      },
    ),
  );
});

test("what is reported again is the same list, and a new problem leaves the others as they are", () => {
  const known = new KnownDiagnostics();
  const few = REPORTS.slice(0, 10);
  const first = known.of(sinkOf(few), nowhere);
  expect(known.of(sinkOf(few), nowhere)).toBe(first);
  const more = known.of(sinkOf([...few, ...REPORTS.slice(80, 81)]), nowhere);
  expect(more).toHaveLength(11);
  expect(more.filter((each) => first.includes(each))).toHaveLength(10);
});

test("an object that gets too many problems at once lists MOST_OF_OBJECT", () => {
  const known = new KnownDiagnostics();
  known.of(sinkOf(REPORTS.slice(0, 10)), nowhere);
  expect(known.of(sinkOf(REPORTS.slice(0, 70)), nowhere)).toHaveLength(MOST_OF_OBJECT + 1);
});
