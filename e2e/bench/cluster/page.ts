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
}

export function page({ results, machine, date }: PageOptions): string {
  const largest = results.at(-1);
  if (largest === undefined) throw new Error("nothing was measured");
  return `# Scale

Written by \`make bench-cluster\` on ${date.toISOString().slice(0, 10)}; run it to get the figures of your machine.

${machine.map((line) => `- ${line}`).join("\n")}
- all of it on this machine: etcd, API server, albc, nginx, and what measures them

## Goals

With ${count(largest.routes)} HTTPRoutes:

${markdown(goalTable(goals(largest)))}

## Start and memory

\`albc run --kubernetes\` on an API server that holds nothing else, for all namespaces, with an nginx of two workers and the flag that
\`deploy/Dockerfile\` gives to Node.js. Each HTTPRoute has a Service and an EndpointSlice of five endpoints as Kubernetes' own
controller writes them. Memory is albc's resident one (VmRSS; in brackets VmHWM, the peak since its start). Statuses are those of the
first start, one write for each HTTPRoute.

${markdown(startTable(results))}

## A change becomes live

From the call of the API server until the control socket says that every worker serves the change; one change at a time, at a
random moment when nothing else happens. The API server's own time, and that in which albc waits for more changes, are in it.

${markdown(liveTable(results))}

## Pauses of the workers

Each worker is asked without end on a connection of its own, 1 ms after its last answer, for a route that nginx answers itself. A
gap is the time from one answer to the next, so it is never under 1 ms. During this the workers come before everything else on the
machine (SCHED_FIFO), and what asks comes before them: what is seen is what the workers are busy with, not who else wants their
processors. Its own pauses, and those of a virtual machine, are in the gaps all the same; the first rows show how long they are. The
last columns are about the time that the worker was on a processor in one gap, for whatever reason.

${markdown(gapTable(results))}
`;
}
