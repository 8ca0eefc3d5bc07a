/** What we aim at, and where we stand. */
import type { ChangeLatency, Changed } from "./change-latency.js";
import type { CompileCost } from "./compile-cost.js";
import type { FloodResult } from "./flood.js";
import type { IdleCost } from "./idle-connections.js";
import type { Gap } from "./pauses.js";
import { type Measured, type Measurement, cpuOf, isLike, overBare } from "./slices.js";
import { type Estimate, difference, maximum, percentile, ratio } from "./statistics.js";
import type { Suite } from "./suites.js";
import { FEW, HUGE, MANY, MOST } from "./traffic.js";

export interface Goal {
  readonly name: string;
  readonly limit: number;
  readonly measured: number;
  /** Standard error of `measured`, where it is known. */
  readonly error?: number;
  readonly unit: string;
}

export interface SuiteResult extends Measured, Pick<Suite, "title" | "figure" | "isShared"> {}

export interface Results {
  readonly suites: readonly SuiteResult[];
  readonly flood: FloodResult;
  readonly compile: readonly CompileCost[];
  readonly changes: readonly ChangeLatency[];
  readonly idle: readonly IdleCost[];
}

const MIB = 2 ** 20;

/** Even where the measurement is off by its error, it is within the limit. What was not measured is not met. */
export function isMet({ limit, measured, error = 0 }: Goal): boolean {
  return measured + error <= limit;
}

export function goals(results: Results): Goal[] {
  return [
    ...cpuGoals(results.suites),
    ...results.suites.filter(({ figure }) => figure !== "latency").flatMap(aheadOfHaproxy),
    memoryGoal(results.suites),
    idleGoal(results.idle),
    floodGoal(results.flood),
    ...results.compile.filter(({ routes }) => routes === HUGE).flatMap(compileGoals),
    ...results.changes.flatMap(changeGoals),
  ];
}

/** CPU time of Ingresses over that of bare nginx in the same suite: beginning of its title, load, rules, limit. */
const CPU_LIMITS = [
  ["Plain route", "HTTP/1.1", FEW, 1.08],
  ["Plain route", "HTTP/1.1", HUGE, 1.16],
  ["Basic auth", "HTTP/1.1", FEW, 1.13],
  ["Basic auth", "HTTP/1.1", MANY, 1.2],
  ["Forward auth", "HTTP/1.1", FEW, 1.72],
  ["Forward auth", "HTTP/1.1", MANY, 1.85],
  ["TLS", "HTTP/2, 10 streams", FEW, 1.24],
  ["TLS", "HTTP/2, 1 stream", FEW, 1.12],
] as const;

function cpuGoals(suites: readonly SuiteResult[]): Goal[] {
  const find = (
    title: string,
    wanted: Pick<Measurement, "name" | "rules" | "load">,
  ): Estimate | undefined => {
    const suite = suites.find((one) => one.title.startsWith(title));
    const row = suite?.rows.find((one) => isLike(one, wanted) && one.name === wanted.name);
    return suite && row && overBare(suite, row);
  };
  const limits = CPU_LIMITS.map(([title, load, rules, limit]) => ({
    name: `${title}, ${load === "HTTP/1.1" ? "" : `${load}, `}${count(rules)} Ingresses`,
    ...goal(find(title, { name: "albc, Ingress", rules, load }), limit, "× bare"),
  }));
  const plain = { rules: FEW, load: "HTTP/1.1" };
  const log = find("Plain route", { ...plain, name: "albc, Ingress, access log" });
  const none = find("Plain route", { ...plain, name: "albc, Ingress" });
  return [
    ...limits,
    {
      name: "access log, on top",
      ...goal(log && none && difference(log, none), 0.06, "× bare"),
    },
  ];
}

/** Wherever HAProxy does the same work: as many rules, the same load. */
function aheadOfHaproxy({ title, rows }: SuiteResult): Goal[] {
  const hasLoads = rows.some(({ load }) => load !== rows[0]?.load);
  return rows
    .filter(({ name }) => name.startsWith("HAProxy"))
    .flatMap((peer) => {
      const isOwn = (row: Measurement): boolean =>
        row.name === "albc, Ingress" && isLike(row, peer);
      return rows.filter(isOwn).map((own) => ({
        name: `${title}, ${hasLoads ? `${own.load}, ` : ""}${count(peer.rules)} Ingresses, against HAProxy`,
        ...goal(ratio(cpuOf(own), cpuOf(peer)), 1, "× HAProxy"),
      }));
    });
}

function idleGoal(costs: readonly IdleCost[]): Goal {
  const found = costs.find(({ name, kind }) => name.startsWith("albc") && kind === "WebSocket");
  const inKib = found && { value: found.memory.value / 1024, error: found.memory.error / 1024 };
  return { name: "memory of an idle WebSocket", ...goal(inKib, 22, "KiB") };
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

/** Milliseconds that a worker may leave all its clients waiting. */
export const LONGEST_BUSY = 5;

export function longestBusy(during: string, gaps: readonly Gap[]): Goal {
  return {
    ...{ name: `longest that a worker is busy while ${during}`, limit: LONGEST_BUSY, unit: "ms" },
    measured: maximum(gaps.map(({ ran }) => ran)),
  };
}

/** Milliseconds, and MiB, by the number of routes. */
const CHANGE_LIMITS: Readonly<Record<number, { endpoint: number; other: number; memory: number }>> =
  {
    [HUGE]: { endpoint: 50, other: 100, memory: 300 },
    [MOST]: { endpoint: 100, other: 250, memory: 2048 },
  };

function changeGoals({ kind, rules, live, memory, block, stillGaps, gaps }: ChangeLatency): Goal[] {
  const limits = CHANGE_LIMITS[rules];
  if (limits === undefined) return [];
  const among = `${count(rules)} ${plural(kind)}`;
  const changed = ["endpoint", "secret", "route", "routeAmongAll"] as const;
  return [
    ...changed.map((what) => ({
      name: `${CHANGED[what]} is live, 9 of 10 changes, ${among}`,
      limit: what === "endpoint" ? limits.endpoint : limits.other,
      measured: percentile(live[what], 0.9),
      unit: "ms",
    })),
    {
      name: `longest block of albc's event loop, ${among}`,
      limit: 50,
      measured: block,
      unit: "ms",
    },
    longestBusy(`endpoints and routes change, ${among}`, gaps),
    longestBusy(`nothing changes, ${among}`, stillGaps),
    {
      name: `peak memory of albc, ${among}`,
      limit: limits.memory,
      measured: memory / MIB,
      unit: "MiB",
    },
  ];
}

const UNKNOWN: Estimate = { value: NaN, error: NaN };

function goal({ value, error } = UNKNOWN, limit: number, unit: string): Omit<Goal, "name"> {
  return { limit, measured: value, error, unit };
}

export function plural(kind: string): string {
  return `${kind}${kind.endsWith("s") ? "es" : "s"}`;
}

function count(value: number): string {
  return value.toLocaleString("en-GB");
}
