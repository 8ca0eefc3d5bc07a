/** What is asked of a controller with 10,000 routes and 50,000 endpoints, and where we stand. */
import { type Goal, longestBusy } from "../goals.js";
import { percentile } from "../statistics.js";
import type { Changed, During, ScaleResult } from "./measure.js";

export const MIB = 2 ** 20;

export function goals({
  untilServing,
  untilStatuses,
  memory,
  live,
  gaps,
  replacedWorkers,
}: ScaleResult): Goal[] {
  const seconds = (name: string, limit: number, milliseconds: number): Goal => ({
    ...{ name, limit, unit: "s" },
    measured: milliseconds / 1000,
  });
  const changed = (kind: Changed, what: string, limit: number): Goal => ({
    ...{ name: `changed ${what} live on all workers, 9 of 10`, limit, unit: "ms" },
    measured: percentile(live[kind], 0.9),
  });
  const busy = (during: During, what: string): Goal => longestBusy(what, gaps[during]);
  return [
    seconds("from start until it serves", 3, untilServing),
    seconds("from then until all statuses are written", 20, untilStatuses),
    {
      ...{ name: "peak of memory until all changes are made", limit: 300, unit: "MiB" },
      measured: memory.afterChanges.peak / MIB,
    },
    changed("endpointSlice", "EndpointSlice", 50),
    changed("route", "HTTPRoute", 100),
    changed("secret", "Secret", 100),
    busy("endpointSlice", "endpoints change"),
    busy("route", "routes change"),
    busy("nothing", "nothing changes"),
    { name: "workers replaced by reloads", limit: 0, measured: replacedWorkers, unit: "" },
  ];
}
