import {
  AlwaysOnSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  RandomIdGenerator,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { parseReport } from "../../../src/tracing/report.js";
import { fc } from "../../support/fast-check.js";
import { ChosenIds, recordSpans, spanCount } from "../../../src/tracing/spans.js";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const FIELDS: Readonly<Record<string, string>> = {
  context: `00-${TRACE}-00f067aa0ba902b7-01`,
  ...{ parent: "00f067aa0ba902b8", end: "1800000000.500", duration: "0.300" },
  ...{ method: "GET", route: "r", status: "200", auth: "1800000000.210 0.040 200 auth.example:80" },
  ...{ addr: "10.0.0.1:80, 10.0.0.2:80", upstream_status: "502, 200", upstream_time: "0.1, 0.2" },
};

/** The spans of a report with these fields, and how many were foretold. */
function spansOf(fields: object) {
  const memory = new InMemorySpanExporter();
  const ids = new ChosenIds(new RandomIdGenerator());
  const provider = new BasicTracerProvider({
    ...{ idGenerator: ids, sampler: new AlwaysOnSampler() },
    spanProcessors: [new SimpleSpanProcessor(memory)],
  });
  const report = parseReport(Buffer.from(`<190> albc: ${JSON.stringify(fields)}`));
  if (report !== undefined) recordSpans(report, provider.getTracer("test"), ids);
  return { spans: memory.getFinishedSpans(), count: report === undefined ? 0 : spanCount(report) };
}

test("tries and the question to the auth service are children of the request", () => {
  const { spans, count } = spansOf(FIELDS);
  expect(spans.map(({ name }) => name)).toEqual(["auth", "backend", "backend", "GET r"]);
  expect(count).toBe(4);
  expect(spans.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([
    ...["00f067aa0ba902b7", "00f067aa0ba902b7", "00f067aa0ba902b7", "00f067aa0ba902b8"],
  ]);
  expect(new Set(spans.map((span) => span.spanContext().traceId))).toEqual(new Set([TRACE]));
  expect(spans.map(({ startTime: [s, ns] }) => s * 1000 + Math.round(ns / 1e6))).toEqual([
    ...[210, 200, 300, 200].map((ms) => 1_800_000_000_000 + ms),
  ]);
});

test.each([
  ["PURGE", "HTTP r", "_OTHER"],
  ["PATCH", "PATCH r", "PATCH"],
])("clients that send the method %s name the span %s", (method, name, attribute) => {
  const span = spansOf({ ...FIELDS, method }).spans.at(-1);
  expect(span?.name).toBe(name);
  expect(span?.attributes["http.request.method"]).toBe(attribute);
});

test("whatever a datagram holds, its spans are as many as foretold and have times", () => {
  const value = fc.oneof(
    ...[fc.string({ unit: "binary" }), fc.integer(), fc.constant(null)],
    ...[fc.float().map(String), fc.bigInt().map(String), fc.constantFrom(...Object.values(FIELDS))],
  );
  const fields = fc.record(Object.fromEntries(Object.keys(FIELDS).map((name) => [name, value])), {
    requiredKeys: [],
  });
  fc.assert(
    fc.property(fields, (changed) => {
      const { spans, count } = spansOf({ ...FIELDS, ...changed });
      expect(spans).toHaveLength(count);
      for (const { startTime, endTime, duration } of spans) {
        const parts = [...startTime, ...endTime, ...duration];
        expect(parts.every((part) => part >= 0 && part < 2 ** 34)).toBe(true);
      }
    }),
  );
});
