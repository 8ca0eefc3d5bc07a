/** docs/benchmarks.md: how it is measured, and the last three runs. */
import { type Results, goals } from "./goals.js";
import {
  type Table,
  changeTable,
  compileTable,
  floodTable,
  goalTable,
  idleTable,
  markdown,
  suiteTable,
  surroundings,
} from "./report.js";

export interface Run {
  readonly date: Date;
  readonly machine: readonly string[];
  /** Peers that could not be had, and why. */
  readonly absences: readonly string[];
  readonly results: Results;
}

/** Runs that the page holds. */
const KEPT = 3;
const RUN = "## Run of ";

/** The page with one run more, the newest first; the oldest goes if there are too many. `text`: the page so far. */
export function withRun(text: string, run: string): string {
  return page([run, ...runsOf(text)].slice(0, KEPT));
}

/** Texts of the runs that a page holds. */
export function runsOf(text: string): string[] {
  const [, ...runs] = text.split(new RegExp(`^(?=${RUN})`, "m"));
  return runs.map((run) => `${run.trimEnd()}\n`);
}

export function runSection({ date, machine, absences, results }: Run): string {
  const section = (title: string, ...parts: readonly string[]): string =>
    [`### ${title}`, ...parts].join("\n\n");
  const table = (title: string, content: Table): string => section(title, markdown(content));
  const minute = date.toISOString().slice(0, 16).replace("T", " ");
  return `${[
    `${RUN}${minute} UTC`,
    [
      ...machine.map((line) => `- ${line}`),
      ...absences.map((line) => `- not measured, because it is not available: ${line}`),
    ].join("\n"),
    table("Goals", goalTable(goals(results))),
    ...results.suites.map((suite) =>
      section(suite.title, markdown(suiteTable(suite)), surroundings(suite)),
    ),
    table("Memory of idle connections", idleTable(results.idle)),
    table("A flood of wrong logins", floodTable(results.flood)),
    table("Compiling", compileTable(results.compile)),
    table("A change becomes live", changeTable(results.changes)),
  ].join("\n\n")}\n`;
}

export function page(runs: readonly string[]): string {
  const shown =
    runs.length === 0 ? ["No run has been published since the method changed.\n"] : runs;
  return `# Benchmarks

Written by \`make bench\`; run it to get the figures of your machine. The last ${KEPT} published runs follow the method.

To repeat some rows, name the suite and the rows, and how many slices each has; this prints a table and writes nothing:

\`\`\`sh
make bench BENCH="--only Plain --rows 'Ingress, 10$' --slices 24"
\`\`\`

## Method

**CPU** is the user and system time of the proxy's threads (\`/proc/PID/task/*/schedstat\`) divided by the number of requests. The
measured proxy has a processor to itself (one worker, one thread). wrk with 32 connections, the backend and the auth service share
another one. Requests are spread evenly over the rules (ten paths per host, one Service per path) and have a browser's headers; answers
have 100 bytes.

- Each row runs in many short slices, and all slices of a table are in random order. Everything that is not measured in a slice is
  stopped (SIGSTOP), because even idle workers and controllers wake many times a second.
- A figure is the **low mean**: the mean of the lowest 40 % of its slices, with its standard error (jackknife). Virtual machines have
  slow and fast periods that differ by up to 17 %; medians and minima of a few long rounds can fall into either.
- Machines differ more than programs: where bare nginx takes 30 µs instead of 11, compiling takes 2.5 times as long, and errors are four
  times as large. Compare figures within a run.
- Ratios are to bare nginx in the same table. A goal is **met** only if the ratio plus its standard error is within the limit.
- Below each table: bare nginx before and after all other slices, which shows drift, and who else used the processor.
- A proxy also pays for waking the load and the backend, which the slower ones find asleep more often: of plain requests, \`perf\` showed about
  1.7 µs for bare nginx and 2.5 µs for albc.

\`bare proxy_pass\` is the same nginx with one location, keepalive connections and no changes of headers. albc ran as \`albc run\`
without an access log, which is a row of its own. HTTPRoutes with auth name an AuthPolicy. albc sets X-Real-IP, X-Forwarded-For, -Proto, -Host and -Port, X-Scheme,
X-Original-URI and X-Request-ID, and drops Proxy and other spellings of these names.

**TLS**: h2load with 8 connections of 10 streams, 32 connections of one stream, and 32 connections of HTTP/1.1. All proxies have the same
ECDSA certificate. The handshakes are not counted.

**Two workers**: on all processors, which wrk and the backend use too, so the rate is that of the whole machine.

**Bodies**: two connections; CPU time is per MiB. Bare nginx writes request bodies to disk first, as is its default.

**Latency**: a client sends requests at random times at a fixed rate. It never waits for an answer before the next request, and a latency
counts from the planned time, so a pause of the proxy shows in every request that it delays (no coordinated omission). The figures are
medians of the slices' p50 and p99; under a factor of two, differences of p99 are noise.

"Three empty Lua handlers" is bare nginx with an access handler, a balancer and a header filter that do nothing but name the backend: the
least that a gateway in Lua costs.

The peers do the same work in their best way:

- nginx with locations: a server per host, two locations per path, the same headers, one upstream. Its \`auth_request\` is at its best with
  an auth service that answers without a body: after an answer with a body, nginx closes the connection to the auth service.
- HAProxy: a map finds the route, all routes share one backend and its connections (\`http-reuse always\`). Auth requests need a
  third-party Lua script, so it is not in that table.
- Envoy: a virtual host per host, a route and a cluster per path. Its basic auth supports only SHA-1 hashes.

The configurations are in \`e2e/bench\`. They follow the documentation of the peers; their experts did not tune them.

**A flood of wrong logins**: one wrk sends a new wrong password in every request to one route. Another wrk sends requests to another
route of the same worker at a fixed rate, so its latency shows the gateway and not a queue.

**What options cost**: a plain route with one option each; runs before 2026-11-26 12:00 lack the table.

**Compiling**: each row is the mean of several processes of \`albc render\`, from YAML to the written run folder. Each route has a Service
and an EndpointSlice.

**A change becomes live**: the time from the rename of the changed file to the first answer that shows the change, in \`albc run\`. Each
change follows the one before at once, so it includes the time that albc waits for more changes: an EndpointSlice that changes after a
rest was live in 27 ms (9 of 10, 10,000 HTTPRoutes). The longest block of its event loop is that of these changes, without the start. Then
endpoints and routes change again, while a probe asks the worker a millisecond after each answer: the longest time that the worker was on a
processor between two answers is the longest that it is busy. A virtual machine's own pauses can count as time on a processor, so the
same time is measured while nothing changes. With 100,000 routes they are HTTPRoutes only. Runs before 2026-11-27 06:00 lack the time
while nothing changes; those before 2026-11-26 21:00 lack the last two, and their times include the writing of the file, 15 ms for
10,000 routes in one file.

**Memory of idle connections**: growth of the workers' resident memory for each further connection, in batches of 300. For WebSockets,
bare nginx has one more location.

${shown.join("\n")}`;
}
