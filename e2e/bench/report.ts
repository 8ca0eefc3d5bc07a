/** The measurements as Markdown. */
import type { ChangeLatency } from "./change-latency.js";
import type { CompileCost } from "./compile-cost.js";
import type { FloodResult } from "./flood.js";
import type { Goal } from "./goals.js";
import type { Measurement } from "./rounds.js";
import { column, cpuOf } from "./measurement.js";
import { maximum, median, minimum } from "./statistics.js";

/** A table: names of the columns, then rows. */
export type Table = readonly (readonly string[])[];

export function suiteTable(measurements: readonly Measurement[]): Table {
  const base = measurements[0];
  if (!base) return [];
  const limit = cpuOf(base, minimum);
  const middle = cpuOf(base, median);
  return [
    [
      ...["", "rules", "CPU µs: minimum", "median (range)", "× bare: minima", "× bare: medians"],
      ...["requests/s", "p50 µs", "p99 µs"],
    ],
    ...measurements.map((one) => [
      one.name,
      count(one.rules),
      cpuOf(one, minimum).toFixed(2),
      `${cpuOf(one, median).toFixed(2)} (${cpuOf(one, minimum).toFixed(1)}–${cpuOf(one, maximum).toFixed(1)})`,
      (cpuOf(one, minimum) / limit).toFixed(2),
      (cpuOf(one, median) / middle).toFixed(2),
      count(maximum(column(one, "rate"))),
      count(median(column(one, "p50"))),
      count(median(column(one, "p99"))),
    ]),
  ];
}

export function floodTable(flood: FloodResult): Table {
  return [
    ["", ""],
    ["wrong logins a second", count(flood.rate)],
    ["p99 of another route before, µs", count(flood.p99Before)],
    ["p99 of another route during the flood, µs", count(flood.p99During)],
    ["the worker's share of its processor during the flood", percent(flood.load)],
    ["CPU of one wrong password that is computed, µs", count(flood.wrongPassword)],
  ];
}

export function compileTable(costs: readonly CompileCost[]): Table {
  return [
    ["", "routes", "objects", "seconds: best", "median", "CPU seconds", "memory, MiB"],
    ...costs.map((cost) => [
      cost.kind,
      count(cost.routes),
      count(cost.objects),
      cost.wall.toFixed(2),
      cost.medianWall.toFixed(2),
      cost.cpu.toFixed(2),
      count(cost.memory / 2 ** 20),
    ]),
  ];
}

export function changeTable(changes: ChangeLatency): Table {
  return [
    ["changed", "median, ms", "worst, ms"],
    ["an EndpointSlice", count(changes.endpoint.median), count(changes.endpoint.worst)],
    ["a secret with a password", count(changes.secret.median), count(changes.secret.worst)],
  ];
}

export function goalTable(goals: readonly Goal[]): Table {
  return [
    ["goal", "at most", "measured", ""],
    ...goals.map(({ name, limit, measured, unit }) => [
      name,
      `${limit} ${unit}`.trim(),
      `${measured.toFixed(digitsFor(limit))} ${unit}`.trim(),
      measured <= limit ? "met" : "missed",
    ]),
  ];
}

/** Enough to see on which side of the limit it is. */
function digitsFor(limit: number): number {
  if (!Number.isInteger(limit)) return 2;
  return limit > 0 && limit < 10 ? 1 : 0;
}

/** Share of the proxy's processor that others had, over all rounds. */
export function foreignShare(measurements: readonly Measurement[]): string {
  const shares = measurements.flatMap((one) => column(one, "foreign"));
  return percent(median(shares));
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

function percent(value: number): string {
  return `${(100 * value).toFixed(0)} %`;
}
