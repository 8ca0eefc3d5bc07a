/** What is asked of a controller with 10,000 routes and 50,000 endpoints, and where we stand. */
import type { Goal } from "../goals.js";
import { maximum, median, percentile } from "../statistics.js";
import type { During, ScaleResult } from "./measure.js";

export const MIB = 2 ** 20;
/** Milliseconds that a worker may leave all its clients waiting. */
export const LONGEST_BUSY = 5;

export function goals({ memory, live, gaps, replacedWorkers }: ScaleResult): Goal[] {
  const peak = memory.withStatuses.peak / MIB;
  const endpoints = live.endpointSlice;
  const milliseconds = { limit: 100, unit: "ms" };
  const busy = (during: During, what: string): Goal => {
    const name = `longest that a worker is busy while ${what} change`;
    return {
      name,
      limit: LONGEST_BUSY,
      measured: maximum(gaps[during].map(({ ran }) => ran)),
      unit: "ms",
    };
  };
  return [
    {
      name: "peak of memory until all statuses are written",
      limit: 300,
      measured: peak,
      unit: "MiB",
    },
    {
      name: "changed EndpointSlice live on all workers, median",
      measured: median(endpoints),
      ...milliseconds,
    },
    {
      name: "changed EndpointSlice live on all workers, 9 of 10",
      measured: percentile(endpoints, 0.9),
      ...milliseconds,
    },
    busy("endpointSlice", "endpoints"),
    busy("route", "routes"),
    { name: "workers replaced by reloads", limit: 0, measured: replacedWorkers, unit: "" },
  ];
}
