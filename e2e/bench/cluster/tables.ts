/** The results as tables. */
import { LONGEST_BUSY } from "../goals.js";
import { type Table, count } from "../report.js";
import { maximum, median, percentile } from "../statistics.js";
import type { Memory } from "./controller.js";
import { MIB } from "./goals.js";
import type { Changed, During, ScaleResult } from "./measure.js";
import { ENDPOINTS } from "./site.js";

const CHANGED = {
  endpointSlice: "an EndpointSlice",
  route: "an HTTPRoute",
  secret: "a Secret of basic auth",
} as const satisfies Record<Changed, string>;

const DURING = {
  nothing: "nothing changes",
  endpointSlice: "endpoints change",
  route: "routes change",
} as const satisfies Record<During, string>;

export function startTable(results: readonly ScaleResult[]): Table {
  const row = (name: string, cell: (result: ScaleResult) => string): string[] => [
    name,
    ...results.map(cell),
  ];
  const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1);
  const resident = ({ resident, peak }: Memory): string =>
    `${count(resident / MIB)} (${count(peak / MIB)})`;
  return [
    row("HTTPRoutes", ({ routes }) => count(routes)),
    row("endpoints", ({ routes }) => count(routes * ENDPOINTS)),
    row("EndpointSlices that albc watches", ({ watched }) => count(watched)),
    row("from start until it serves, s", ({ untilServing }) => seconds(untilServing)),
    row("from then until all statuses are written, s", ({ untilStatuses }) =>
      seconds(untilStatuses),
    ),
    row("memory when it serves, MiB (peak)", ({ memory }) => resident(memory.serving)),
    row("memory when all statuses are written, MiB (peak)", ({ memory }) =>
      resident(memory.withStatuses),
    ),
    row("memory after all changes, MiB (peak)", ({ memory }) => resident(memory.afterChanges)),
    row("workers replaced by reloads", ({ replacedWorkers }) => count(replacedWorkers)),
  ];
}

export function liveTable(results: readonly ScaleResult[]): Table {
  const kinds = ["endpointSlice", "route", "secret"] as const;
  return [
    ["changed", "HTTPRoutes", "changes", "median, ms", "9 of 10, ms", "longest, ms"],
    ...kinds.flatMap((kind) =>
      results.map(({ routes, live }) => [
        CHANGED[kind],
        count(routes),
        count(live[kind].length),
        count(median(live[kind])),
        count(percentile(live[kind], 0.9)),
        count(maximum(live[kind])),
      ]),
    ),
  ];
}

export function gapTable(results: readonly ScaleResult[]): Table {
  const kinds = ["nothing", "endpointSlice", "route"] as const;
  return [
    [
      ...["while", "HTTPRoutes", "answers", "999 of 1,000 gaps, ms", "longest gap, ms"],
      ...[
        "longest CPU time of a worker in a gap, ms",
        `gaps with more than ${LONGEST_BUSY} ms of it`,
      ],
    ],
    ...kinds.flatMap((kind) =>
      results.map(({ routes, gaps }) => {
        const lengths = gaps[kind].map(({ length }) => length);
        return [
          DURING[kind],
          count(routes),
          count(lengths.length),
          percentile(lengths, 0.999).toFixed(1),
          maximum(lengths).toFixed(1),
          maximum(gaps[kind].map(({ ran }) => ran)).toFixed(1),
          count(gaps[kind].filter(({ ran }) => ran > LONGEST_BUSY).length),
        ];
      }),
    ),
  ];
}
