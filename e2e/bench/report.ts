/** The measurements as tables. */
import type { ChangeLatency } from "./change-latency.js";
import type { CompileCost } from "./compile-cost.js";
import type { FloodResult } from "./flood.js";
import { CHANGED, type Goal, type SuiteResult, isMet, plural } from "./goals.js";
import type { IdleCost } from "./idle-connections.js";
import { type Measurement, type Sample, cpuOf, isLike, overBare } from "./slices.js";
import { type Estimate, lowMean, maximum, mean, median, percentile, ratio } from "./statistics.js";

/** A table: names of the columns, then rows. */
export type Table = readonly (readonly string[])[];

export function suiteTable(result: SuiteResult): Table {
  return result.figure === "latency" ? latencyTable(result) : cpuTable(result, result.figure);
}

function cpuTable(result: SuiteResult, unit: string): Table {
  return [
    [...names(result, "", "rules"), `CPU µs per ${unit}`, "× bare", `${unit}s/s`, "memory, MiB"],
    ...result.rows.map((row) => [
      ...names(result, row.name, count(row.rules), row.load),
      estimate(cpuOf(row), 2),
      estimate(overBare(result, row), 3),
      count(1e6 / lowMean(row.samples.map(({ interval }) => interval)).value),
      count(row.memory / MIB),
    ]),
  ];
}

function latencyTable(result: SuiteResult): Table {
  const middle = ({ samples }: Measurement, key: "p50" | "p99"): string =>
    count(median(samples.map((sample) => sample[key])));
  return [
    [...names(result, "", "rules"), "p50 µs", "p99 µs", "CPU µs per request"],
    ...result.rows.map((row) => [
      ...names(result, row.name, count(row.rules), row.load),
      ...[middle(row, "p50"), middle(row, "p99")],
      estimate(cpuOf(row), 2),
    ]),
  ];
}

/** The first cells of a row; the load only if there are several. */
function names({ rows }: SuiteResult, name: string, rules: string, load = "load"): string[] {
  const hasLoads = rows.some((row) => row.load !== rows[0]?.load);
  return [name, rules, ...(hasLoads ? [load] : [])];
}

/** Name of the other checkout's row. */
export function thatOf(name: string): string {
  return `${name}, there`;
}

/** Of the product here and in another checkout. */
export function againstTable(result: SuiteResult): Table {
  return [
    [...names(result, "", "rules"), "here, × bare", "there, × bare", "here / there"],
    ...result.rows.flatMap((here) => {
      const there = result.rows.find((row) => row.name === thatOf(here.name) && isLike(row, here));
      if (there === undefined) return [];
      const ratios = [
        ...[overBare(result, here), overBare(result, there)],
        ratio(cpuOf(here), cpuOf(there)),
      ];
      return [
        [
          ...names(result, here.name, count(here.rules), here.load),
          ...ratios.map((one) => estimate(one, 3)),
        ],
      ];
    }),
  ];
}

/** What else went on while the suite was measured. */
export function surroundings({ rows, first, last, isShared }: SuiteResult): string {
  const of = (samples: readonly Sample[]): string =>
    `${estimate(lowMean(samples.map(({ cpu }) => cpu)), 2)} µs`;
  const samples = rows.flatMap((row) => row.samples);
  const share = (key: "foreign" | "stolen"): string =>
    percent(mean(samples.map((sample) => sample[key])).value);
  return [
    `Bare nginx before all others ${of(first)}, after them ${of(last)}.`,
    ...(isShared ? [] : [`Other processes had ${share("foreign")} of the proxy's processor.`]),
    `Other virtual machines had ${share("stolen")} of it.`,
  ].join(" ");
}

export function floodTable(flood: FloodResult): Table {
  return [
    ["", ""],
    ["wrong logins a second", count(flood.rate.value)],
    ["p99 of another route before, µs", estimate(flood.p99Before, 0)],
    ["p99 of another route during the flood, µs", estimate(flood.p99During, 0)],
    ["the worker's share of its processor during the flood", percent(flood.load.value)],
    ["CPU of one wrong password that is computed, µs", estimate(flood.wrongPassword, 0)],
  ];
}

export function compileTable(costs: readonly CompileCost[]): Table {
  return [
    ["", "routes", "objects", "seconds", "CPU seconds", "memory, MiB"],
    ...costs.map((cost) => [
      cost.kind,
      count(cost.routes),
      count(cost.objects),
      estimate(cost.wall, 2),
      estimate(cost.cpu, 2),
      count(cost.memory.value / MIB),
    ]),
  ];
}

export function changeTable(changes: readonly ChangeLatency[]): Table {
  const changed = ["endpoint", "secret", "route", "routeAmongAll"] as const;
  return [
    ["changed", "among", "changes", "median, ms", "9 of 10, ms", "longest, ms"],
    ...changes.flatMap(({ kind, rules, live }) =>
      changed.map((what) => [
        CHANGED[what],
        `${count(rules)} ${plural(kind)}`,
        count(live[what].length),
        count(median(live[what])),
        count(percentile(live[what], 0.9)),
        count(maximum(live[what])),
      ]),
    ),
  ];
}

export function idleTable(costs: readonly IdleCost[]): Table {
  return [
    ["", "connection", "KiB"],
    ...costs.map(({ name, kind, memory: { value, error } }) => [
      ...[name, kind],
      estimate({ value: value / 1024, error: error / 1024 }, 1),
    ]),
  ];
}

export function goalTable(goals: readonly Goal[]): Table {
  return [
    ["goal", "at most", "measured", ""],
    ...goals.map((goal) => {
      const { name, limit, measured, error, unit } = goal;
      const digits = digitsFor(limit);
      const value =
        error === undefined
          ? measured.toFixed(digits)
          : estimate({ value: measured, error }, digits);
      return [
        name,
        `${limit} ${unit}`.trim(),
        `${value} ${unit}`.trim(),
        isMet(goal) ? "met" : "missed",
      ];
    }),
  ];
}

/** Enough to see on which side of the limit it is. */
function digitsFor(limit: number): number {
  if (limit > 0 && limit < 2) return 3;
  return limit > 0 && limit < 10 ? 2 : 0;
}

export function markdown(table: Table): string {
  const [head = [], ...rows] = table;
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** The same with columns in line, for a terminal. */
export function aligned(table: Table): string {
  const widths = (table[0] ?? []).map((_, i) => maximum(table.map((row) => (row[i] ?? "").length)));
  return table
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function count(value: number): string {
  return Math.round(value).toLocaleString("en-GB");
}

export function estimate({ value, error }: Estimate, digits: number): string {
  return error === 0 ? String(value) : `${value.toFixed(digits)} ± ${error.toFixed(digits)}`;
}

function percent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}

const MIB = 2 ** 20;
