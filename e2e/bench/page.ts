/** docs/benchmarks.md. */
import { type Results, goals } from "./goals.js";
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
- other processes used ${foreignShare(results.suites.flat())} of the proxy's processor (median of the rounds)
${absences.map((line) => `- not measured, because it is not available: ${line}\n`).join("")}
## Goals

${markdown(goalTable(goals(results)))}

## CPU and latency of a request

The measured proxy has a processor to itself (one worker, one thread). wrk with 32 connections, the backend and the auth service share
another one. Requests are spread evenly over the rules (ten paths per host, one Service per path) and have a browser's headers; answers
have 100 bytes. The rows of a table ran in ${plan.rounds} or more interleaved rounds of ${plan.seconds} s.

**CPU** is the user and system time of the proxy's threads (\`/proc/PID/task/*/schedstat\`) divided by the number of requests. Compare
the minima, which vary least between runs; differences under 3 % are noise. The proxies are saturated, so latencies are mostly
queueing: 32 divided by the rate.

\`bare proxy_pass\` is the same nginx with one location, keepalive connections and no changes of headers. albc ran as \`albc run\` with
the manifests. It sets X-Real-IP, X-Forwarded-For, -Proto, -Host and -Port, X-Scheme, X-Original-URI and X-Request-ID, and drops Proxy
and other spellings of these names. HAProxy and Envoy set the same headers and route by the same hosts and path prefixes. HAProxy needs
a third-party Lua script for auth requests, so it is not in that table; Envoy's basic auth supports only SHA-1 hashes. The
configurations of both are in \`e2e/bench/peers\`; they were not tuned by experts.

${suites.join("\n")}
## A flood of wrong logins

One wrk sends a new wrong password in every request to one route. Another wrk sends requests to another route of the same worker at a
fixed rate, so its latency shows the gateway and not a queue.

${markdown(floodTable(results.flood))}

## Compiling

Each row is a process of \`albc render\`, from YAML to the written run folder. Each Ingress or HTTPRoute has a Service and an EndpointSlice.

${markdown(compileTable(results.compile))}

## A change becomes live

\`albc run\` with ${results.changes.rules.toLocaleString("en-GB")} Ingresses: the time from the rename of the changed file to the first answer that shows
the change. It includes the time that albc waits for more changes.

${markdown(changeTable(results.changes))}
`;
}
