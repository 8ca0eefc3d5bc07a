import type { ChangeLatency } from "../../e2e/bench/change-latency.js";
import { type Goal, type Results, type SuiteResult, goals, isMet } from "../../e2e/bench/goals.js";
import type { Measurement, Sample } from "../../e2e/bench/slices.js";

function row(name: string, rules: number, cpus: readonly number[], load = "HTTP/1.1"): Measurement {
  const rest = { interval: 20, p50: 400, p99: 900, foreign: 0, stolen: 0 };
  const samples = cpus.map((cpu): Sample => ({ cpu, ...rest }));
  return { name, rules, load, samples, memory: 50 * 2 ** 20 };
}

function suite(title: string, rows: readonly Measurement[]): SuiteResult {
  return { title, figure: "request", rows, first: [], last: [] };
}

function verdicts(
  suites: readonly SuiteResult[],
  changes: Results["changes"] = [],
): ReadonlyMap<string, Goal> {
  const [none, one] = [
    { value: NaN, error: NaN },
    { value: 100, error: 1 },
  ];
  const results: Results = {
    suites,
    flood: { rate: one, p99Before: one, p99During: one, load: none, wrongPassword: none },
    compile: [],
    changes,
    idle: [],
  };
  return new Map(goals(results).map((goal) => [goal.name, goal]));
}

const BARE = row("bare proxy_pass", 10, [10, 10, 10, 10, 10]);

test.each([
  { cpus: [10.7, 10.7, 10.7, 10.7, 10.7], met: true, why: "below the limit" },
  { cpus: [10.9, 10.9, 10.9, 10.9, 10.9], met: false, why: "above the limit" },
  { cpus: [10.2, 11.3, 11.4, 11.4, 11.5], met: false, why: "below, but by less than the error" },
])("a ratio is $why: met is $met", ({ cpus, met }) => {
  const found = verdicts([suite("Plain route", [BARE, row("albc, Ingress", 10, cpus)])]);
  const goal = found.get("Plain route, 10 Ingresses");
  expect(goal && isMet(goal)).toBe(met);
});

test("what was not measured is not met", () => {
  const goal = verdicts([]).get("Basic auth, 10 Ingresses");
  expect(goal && isMet(goal)).toBe(false);
});

test("a value without an error is met up to the limit", () => {
  const goal = { name: "", limit: 50, measured: 50, unit: "ms" };
  expect(isMet(goal)).toBe(true);
  expect(isMet({ ...goal, measured: 50.1 })).toBe(false);
});

test("the access log's cost is what it adds to the same route", () => {
  const found = verdicts([
    suite("Plain route", [
      BARE,
      row("albc, Ingress", 10, [10.7, 10.7, 10.7, 10.7, 10.7]),
      row("albc, Ingress, access log", 10, [11.2, 11.2, 11.2, 11.2, 11.2]),
    ]),
  ]);
  expect(found.get("access log, on top")?.measured).toBeCloseTo(0.05, 10);
});

test("each load is compared with bare nginx under the same load", () => {
  const [many, one] = ["HTTP/2, 10 streams", "HTTP/2, 1 stream"];
  const found = verdicts([
    suite("TLS", [
      row("bare proxy_pass", 10, [10, 10, 10, 10, 10], many),
      row("bare proxy_pass", 10, [20, 20, 20, 20, 20], one),
      row("albc, Ingress", 10, [12, 12, 12, 12, 12], many),
      row("albc, Ingress", 10, [22, 22, 22, 22, 22], one),
    ]),
  ]);
  expect(found.get("TLS, HTTP/2, 10 streams, 10 Ingresses")?.measured).toBeCloseTo(1.2, 10);
  expect(found.get("TLS, HTTP/2, 1 stream, 10 Ingresses")?.measured).toBeCloseTo(1.1, 10);
});

test("HAProxy is compared with as many Ingresses", () => {
  const found = verdicts([
    suite("Plain route", [
      BARE,
      row("albc, Ingress", 10, [11, 11, 11, 11, 11]),
      row("albc, Ingress", 1000, [13, 13, 13, 13, 13]),
      row("HAProxy", 10, [12, 12, 12, 12, 12]),
      row("HAProxy", 1000, [12, 12, 12, 12, 12]),
    ]),
  ]);
  const few = found.get("Plain route, 10 Ingresses, against HAProxy");
  const many = found.get("Plain route, 1,000 Ingresses, against HAProxy");
  expect(few?.measured).toBeCloseTo(11 / 12, 10);
  expect(few && isMet(few)).toBe(true);
  expect(many && isMet(many)).toBe(false);
});

const CHANGES = {
  kind: "HTTPRoute",
  rules: 10_000,
  live: { endpoint: [50], secret: [100], route: [100], routeAmongAll: [100] },
  memory: 300 * 2 ** 20,
  block: 50,
  stillGaps: [{ length: 9, ran: 5, waited: 0 }],
  gaps: [{ length: 9, ran: 5, waited: 0 }],
} as const;
const OF_MORE = {
  ...CHANGES,
  rules: 100_000,
  live: { endpoint: [100], secret: [250], route: [250], routeAmongAll: [250] },
  memory: 2 ** 31,
};

test.each([
  ["an endpoint", { live: { ...CHANGES.live, endpoint: [51] } }, CHANGES],
  ["a Secret", { live: { ...CHANGES.live, secret: [101] } }, CHANGES],
  ["memory", { memory: 301 * 2 ** 20 }, CHANGES],
  ["the event loop", { block: 51 }, CHANGES],
  ["a worker", { gaps: [...CHANGES.gaps, { length: 6, ran: 5.1, waited: 0 }] }, CHANGES],
  ["an endpoint among 100,000", { live: { ...OF_MORE.live, endpoint: [101] } }, OF_MORE],
  ["a route among 100,000", { live: { ...OF_MORE.live, routeAmongAll: [251] } }, OF_MORE],
])("changes meet the goals, and miss one with more of %s", (_, more, changes) => {
  const missed = (one: ChangeLatency) =>
    [...verdicts([], [one])].filter(([name, goal]) => name.includes("HTTPRoutes") && !isMet(goal));
  expect(missed(changes)).toEqual([]);
  expect(missed({ ...changes, ...more })).toHaveLength(1);
});
