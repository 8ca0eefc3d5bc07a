/** What we aim at, and where we stand. */
import type { ChangeLatency, Changed } from "./change-latency.js";
import type { CompileCost } from "./compile-cost.js";
import type { FloodResult } from "./flood.js";
import { type Measured, type Measurement, cpuOf } from "./slices.js";
import { type Estimate, difference, percentile, ratio } from "./statistics.js";
import { FEW, HUGE, MANY } from "./traffic.js";

export interface Goal {
  readonly name: string;
  readonly limit: number;
  readonly measured: number;
  /** Standard error of `measured`, where it is known. */
  readonly error?: number;
  readonly unit: string;
}

export interface SuiteResult extends Measured {
  readonly title: string;
}

export interface Results {
  readonly suites: readonly SuiteResult[];
  readonly flood: FloodResult;
  readonly compile: readonly CompileCost[];
  readonly changes: readonly ChangeLatency[];
}

const MIB = 2 ** 20;

/** Even where the measurement is off by its error, it is within the limit. What was not measured is not met. */
export function isMet({ limit, measured, error = 0 }: Goal): boolean {
  return measured + error <= limit;
}

export function goals(results: Results): Goal[] {
  return [
    ...cpuGoals(results.suites),
    ...results.suites.flatMap(aheadOfHaproxy),
    memoryGoal(results.suites),
    floodGoal(results.flood),
    ...results.compile.filter(({ routes }) => routes === HUGE).flatMap(compileGoals),
    ...results.changes.flatMap(changeGoals),
  ];
}

/** CPU time over that of bare nginx in the same suite: suite, row, rules, limit. */
const CPU_LIMITS = [
  ["Plain route", "albc, Ingress", FEW, 1.08],
  ["Plain route", "albc, Ingress", HUGE, 1.16],
  ["Basic auth", "albc, Ingress", FEW, 1.13],
  ["Basic auth", "albc, Ingress", MANY, 1.2],
  ["Forward auth", "albc, Ingress", FEW, 1.72],
  ["Forward auth", "albc, Ingress", MANY, 1.85],
] as const;

function cpuGoals(suites: readonly SuiteResult[]): Goal[] {
  const overBare = (suite: SuiteResult | undefined, name: string, rules: number): Estimate => {
    const [bare] = suite?.rows ?? [];
    const row = suite?.rows.find((one) => one.name === name && one.rules === rules);
    return bare && row ? ratio(cpuOf(row), cpuOf(bare)) : UNKNOWN;
  };
  const suiteOf = (title: string): SuiteResult | undefined =>
    suites.find((suite) => suite.title.startsWith(title));
  const plain = suiteOf("Plain route");
  const log = overBare(plain, "albc, Ingress, access log", FEW);
  return [
    ...CPU_LIMITS.map(([title, name, rules, limit]) => ({
      name: `${title.toLowerCase()}, ${count(rules)} Ingresses`,
      ...goal(overBare(suiteOf(title), name, rules), limit, "× bare"),
    })),
    {
      name: "access log, on top",
      ...goal(difference(log, overBare(plain, "albc, Ingress", FEW)), 0.06, "× bare"),
    },
  ];
}

/** Wherever HAProxy does the same work: as many rules, the same load. */
function aheadOfHaproxy({ title, rows }: SuiteResult): Goal[] {
  return rows
    .filter(({ name }) => name.startsWith("HAProxy"))
    .flatMap((peer) => {
      const isAlike = (row: Measurement): boolean =>
        row.name === "albc, Ingress" && row.rules === peer.rules && row.load === peer.load;
      return rows.filter(isAlike).map((own) => ({
        name: `${title}, ${count(peer.rules)} Ingresses, against HAProxy`,
        ...goal(ratio(cpuOf(own), cpuOf(peer)), 1, "× HAProxy"),
      }));
    });
}

function memoryGoal(suites: readonly SuiteResult[]): Goal {
  const row = suites
    .flatMap(({ rows }) => rows)
    .find(({ name, rules }) => name === "albc, Ingress" && rules === HUGE);
  return {
    name: `memory of a worker, ${count(HUGE)} Ingresses`,
    limit: 64,
    measured: (row?.memory ?? NaN) / MIB,
    unit: "MiB",
  };
}

function floodGoal({ p99During, p99Before }: FloodResult): Goal {
  return {
    name: "p99 of another route in a flood of wrong logins",
    ...goal(ratio(p99During, p99Before), 2, "× without"),
  };
}

function compileGoals({ kind, routes, wall, memory }: CompileCost): Goal[] {
  const what = `compile ${count(routes)} ${plural(kind)}, cold`;
  const inMib = { value: memory.value / MIB, error: memory.error / MIB };
  return [
    { name: what, ...goal(wall, 2.5, "s") },
    { name: "memory of that", ...goal(inMib, 300, "MiB") },
  ];
}

export const CHANGED = {
  endpoint: "an EndpointSlice",
  secret: "a Secret with a password",
  route: "a route in a file of its own",
  routeAmongAll: "a route in the file with all others",
} as const satisfies Record<Changed, string>;

function changeGoals({ kind, rules, live, memory }: ChangeLatency): Goal[] {
  const among = `${count(rules)} ${plural(kind)}`;
  const changed = ["endpoint", "secret", "route", "routeAmongAll"] as const;
  return [
    ...changed.map((what) => ({
      name: `${CHANGED[what]} is live, 9 of 10 changes, ${among}`,
      limit: what === "endpoint" ? 50 : 100,
      measured: percentile(live[what], 0.9),
      unit: "ms",
    })),
    {
      name: `peak memory of albc, ${among}`,
      limit: 300,
      measured: memory / MIB,
      unit: "MiB",
    },
  ];
}

const UNKNOWN: Estimate = { value: NaN, error: NaN };

function goal({ value, error }: Estimate, limit: number, unit: string): Omit<Goal, "name"> {
  return { limit, measured: value, error, unit };
}

export function plural(kind: string): string {
  return `${kind}${kind.endsWith("s") ? "es" : "s"}`;
}

function count(value: number): string {
  return value.toLocaleString("en-GB");
}
