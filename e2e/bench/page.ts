/** docs/benchmarks.md. */
import type { Results } from "./goals.js";
import { goals } from "./goals.js";
import {
  changeTable,
  compileTable,
  floodTable,
  foreignShare,
  goalTable,
  markdown,
  suiteTable,
} from "./report.js";
import type { Plan } from "./rounds.js";

export interface PageOptions {
  readonly results: Results;
  /** Of the suites. */
  readonly titles: readonly string[];
  readonly machine: readonly string[];
  /** Peers that could not be had, and why. */
  readonly absences: readonly string[];
  readonly date: Date;
  readonly plan: Plan;
}

export function page(options: PageOptions): string {
  const { results, plan, absences } = options;
  const suites = results.suites.map(
    (suite, i) => `### ${options.titles[i] ?? ""}\n\n${markdown(suiteTable(suite))}\n`,
  );
  return `# Benchmarks

Written by \`make bench\` on ${options.date.toISOString().slice(0, 10)}; run it to get the figures of your machine.

${options.machine.map((line) => `- ${line}`).join("\n")}
- other processes had ${foreignShare(results.suites.flat())} of the proxy's processor (median of the rounds)
${absences.map((line) => `- not measured, because it could not be had: ${line}\n`).join("")}
## Goals

${markdown(goalTable(goals(results)))}

## CPU and latency of a request

What is measured has a processor for itself (one worker, one thread); wrk with 32 connections, the backend and the auth
service share another. Requests are spread evenly over the rules (ten paths on each host, a Service for each) and carry
what a browser sends; answers have 100 bytes. All of a table ran in ${plan.rounds} or more interleaved rounds of ${plan.seconds} s.

**CPU** is the time that the proxy's threads spent on a processor (\`/proc/PID/task/*/schedstat\`), user and system, over the
requests. The minimum is what repeats from run to run; differences under 3 % are noise. The proxies are saturated, so
latencies are mostly queueing: 32 divided by the rate.

\`bare proxy_pass\` is the same nginx with one location, kept connections and no header work. albc ran as \`albc run\` with the
manifests. It sets X-Real-IP, X-Forwarded-For, -Proto, -Host and -Port, X-Scheme, X-Original-URI and X-Request-ID, and drops
Proxy and look-alikes of those; HAProxy and Envoy were configured for the same headers and the same routing by host and path
prefix. HAProxy has no auth requests without a Lua script of somebody else; Envoy's basic auth knows SHA-1 hashes only, its
router no more than what it is given here. Their configurations are ours (\`e2e/bench/peers\`) and not tuned by their experts.

${suites.join("\n")}
## A flood of wrong logins

A second wrk tries a password that was never tried before in every request, on one route; the first asks another route in the
same worker, paced, so that the latency is the gateway's and not a queue's.

${markdown(floodTable(results.flood))}

## Compiling

\`albc render\` as a process of its own, from YAML to the written run folder. Each Ingress or HTTPRoute has a Service and an EndpointSlice.

${markdown(compileTable(results.compile))}

## A change becomes live

\`albc run\` with ${results.changes.rules.toLocaleString("en-GB")} Ingresses: from the rename of the changed file to the first answer that shows it.
This includes the moment that albc waits for more changes.

${markdown(changeTable(results.changes))}
`;
}
