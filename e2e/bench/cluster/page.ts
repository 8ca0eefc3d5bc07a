/** docs/scale.md. */
import { count, goalTable, markdown } from "../report.js";
import { goals } from "./goals.js";
import type { ScaleResult } from "./measure.js";
import { gapTable, liveTable, startTable } from "./tables.js";

export interface PageOptions {
  /** Smallest first. */
  readonly results: readonly ScaleResult[];
  readonly machine: readonly string[];
  readonly date: Date;
  /** See partByHand. */
  readonly byHand: string;
}

/** HTTPRoutes for which there are goals. */
const MOST = 10_000;
/** Where the part begins that is written by hand; it stays when the page is written again. */
const BY_HAND = "## Shards\n";

export function partByHand(text: string): string {
  const start = text.indexOf(BY_HAND);
  return start < 0 ? "" : text.slice(start);
}

export function page({ results, machine, date, byHand }: PageOptions): string {
  const largest = results.findLast(({ routes }) => routes <= MOST) ?? results[0];
  if (largest === undefined) throw new Error("nothing was measured");
  return `# Scale

Written by \`make bench-cluster\` on ${date.toISOString().slice(0, 10)}; run it to get the figures of your machine.

${machine.map((line) => `- ${line}`).join("\n")}
- etcd, API server, albc, nginx and the measuring programs all ran on this machine

## Goals

With ${count(largest.routes)} HTTPRoutes:

${markdown(goalTable(goals(largest)))}

## Start and memory

\`albc run --kubernetes\` for all namespaces, on an API server with no other objects, with two nginx workers,
as a service account. With 20,000 HTTPRoutes it is a shard ([below](#shards)): another 2,000 belong to another one. Each HTTPRoute has a Service, and an EndpointSlice of five endpoints as Kubernetes' own controller writes it.
Memory is albc's resident memory (VmRSS; in brackets VmHWM, the peak since its start). Statuses are those of the first start: one write
per HTTPRoute.

${markdown(startTable(results))}

## A change becomes live

The time from the API call until the control socket reports that every worker serves the change. Changes are made one at a time, at
random moments. The times include the API server's, and the time that albc waits for more changes.

${markdown(liveTable(results))}

## Pauses of the workers

A probe sends requests to each worker on one connection, each 1 ms after the last answer, for a route that nginx answers itself. A gap
is the time from one answer to the next, so it is at least 1 ms. The workers have priority over everything else on the machine
(SCHED_FIFO) and the probe has priority over them, so gaps show what the workers do and not who else uses their processors. Gaps still
include pauses of the probe and of a virtual machine; the rows without changes show how long those are. The last two columns show the
CPU time that a worker used within a gap, for any purpose; a virtual machine's pauses can count as CPU time, too.

${markdown(gapTable(results))}

${byHand}`;
}
