/**
 * `make bench`: measures the product against bare nginx and its peers, prints tables and writes docs/benchmarks.md.
 *   --quick          fewer slices
 *   --only TITLE     the suites whose title begins so, and nothing else
 *   --rows PATTERN   of the suites, the rows `name, rules` that the regular expression matches, and bare nginx
 *   --slices N       slices of each row
 *   --against DIR    only the product, and the one built in another checkout, in one shuffle
 * With any of them nothing is written.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { selfSigned } from "../harness/certificates.js";
import { Scene } from "../harness/scene.js";
import { measureChanges } from "./change-latency.js";
import { measureCompile } from "./compile-cost.js";
import { makeLogin } from "./credentials.js";
import { measureFlood } from "./flood.js";
import { type SuiteResult, goals } from "./goals.js";
import { type IdleCost, measureIdle } from "./idle-connections.js";
import { describeMachine } from "./machine.js";
import { runSection, withRun } from "./page.js";
import { fetchPeer } from "./peers/fetch-peer.js";
import { showProgress } from "./progress.js";
import type { Table } from "./report.js";
import * as report from "./report.js";
import { REPOSITORY } from "./repository.js";
import type { RouteKind } from "./site.js";
import { type Entry, type Plan, measure } from "./slices.js";
import { nginxBinary } from "./static-nginx.js";
import { IDLE_ROWS, type Row, SUITES, type Suite, type Surroundings } from "./suites.js";
import { FEW, HUGE, MANY, MOST, Traffic } from "./traffic.js";
import { startUpstreams } from "./upstreams.js";

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    rows: { type: "string" },
    slices: { type: "string" },
    against: { type: "string" },
  },
});
const { quick, only, rows: pattern = "", against } = options;
const isPart = [only, options.rows, against].some((value) => value !== undefined);
const isWhole = !isPart && !quick && options.slices === undefined;
/** Of each row. */
const slices = Number(options.slices ?? (quick ? 4 : 24));
const KINDS: readonly RouteKind[] = ["Ingress", "HTTPRoute", "Rule"];

// An end at once would leave stopped processes behind.
const end = new AbortController();
const { signal } = end;
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    end.abort(new Error(`ended by ${name}`));
  });
}

process.env["ALBC_TEST_NGINX"] ??= nginxBinary();

const wanted = SUITES.filter(({ title }) => title.startsWith(only ?? ""));
if (wanted.length === 0)
  throw new Error(`no suite begins so; there are ${SUITES.map(({ title }) => title).join(", ")}`);

const scene = new Scene();
try {
  const traffic = await scene.use(Traffic.write());
  const peers = { haproxy: await fetchPeer("haproxy"), envoy: await fetchPeer("envoy") };
  const around: Surroundings = {
    upstreams: await scene.use(startUpstreams()),
    login: await makeLogin(),
    tls: await selfSigned("*.bench.example"),
    ...("command" in peers.haproxy && { haproxy: peers.haproxy.command }),
    ...("command" in peers.envoy && { envoy: peers.envoy.command }),
  };
  const suites: SuiteResult[] = [];
  for (const suite of wanted) {
    const result = await runSuite(suite, around, traffic);
    suites.push(result);
    const table = against === undefined ? report.suiteTable : report.againstTable;
    print(suite.title, table(result));
    console.log(report.surroundings(result));
  }
  if (!isPart) await rest(around, peers, suites);
} finally {
  await scene.close();
}

async function runSuite(suite: Suite, usual: Surroundings, traffic: Traffic): Promise<SuiteResult> {
  const { backend = "backend", rows, loads, share = 1 } = suite;
  const around = behind(usual, backend);
  const own = new Scene();
  const entries: Entry[] = [];
  const add = async ({ name, rules, start }: Row, main?: string): Promise<void> => {
    const started = start(around, main);
    if (started === undefined) return;
    const subject = await own.use(started);
    entries.push({ name: main === undefined ? name : report.thatOf(name), rules, subject });
  };
  try {
    for (const row of chosen(rows)) {
      signal.throwIfAborted();
      await add(row);
      if (row.isOwn && against !== undefined) {
        await add(row, join(resolve(against), "dist/cli/main.js"));
      }
    }
    return {
      ...suite,
      ...(await measure(entries, loads, {
        ...{ plan: planFor(share), traffic, signal },
        onRound: (done) => {
          showProgress(`${suite.title}: ${String(Math.round(100 * done))} %`);
        },
      })),
    };
  } finally {
    await own.close();
  }
}

function behind(around: Surroundings, backend: "backend" | "streams"): Surroundings {
  const { upstreams } = around;
  return { ...around, upstreams: { ...upstreams, backend: upstreams[backend] } };
}

/** Each on a subject of its own, because memory that was freed is used again. */
async function idleCosts(usual: Surroundings): Promise<IdleCost[]> {
  const costs: IdleCost[] = [];
  for (const kind of ["WebSocket", "server-sent events"] as const) {
    for (const { name, start } of IDLE_ROWS) {
      const subject = await start(behind(usual, "streams"));
      if (subject === undefined) continue;
      try {
        showProgress(`memory of idle connections: ${name}, ${kind}`);
        costs.push({ name, kind, memory: await measureIdle(subject, kind) });
      } finally {
        await subject.close();
      }
    }
  }
  return costs;
}

function planFor(share: number): Plan {
  const own = Math.ceil(share * slices);
  return { slices: own, seconds: 0.5, edge: Math.max(2, Math.ceil(own / 4)) };
}

function chosen([bare, ...others]: readonly Row[]): Row[] {
  const rows = others
    .filter(({ isOwn }) => isOwn ?? against === undefined)
    .filter(({ name, rules }) => new RegExp(pattern).test(`${name}, ${rules}`));
  return [...(bare ? [bare] : []), ...rows];
}

async function rest(
  around: Surroundings,
  peers: Readonly<Record<string, { readonly command: string } | { readonly absent: string }>>,
  suites: readonly SuiteResult[],
): Promise<void> {
  showProgress("a flood of wrong logins");
  const flood = await measureFlood(around.upstreams, around.login, {
    rounds: quick ? 2 : 5,
    seconds: 2,
  });
  print("A flood of wrong logins", report.floodTable(flood));
  const compile = [];
  for (const kind of KINDS.filter((one) => one !== "Rule")) {
    for (const count of [FEW, MANY, HUGE]) {
      signal.throwIfAborted();
      showProgress(`albc render of ${String(count)} of ${kind}`);
      compile.push(await measureCompile(kind, count, quick ? 2 : 5));
    }
  }
  print("albc render, cold", report.compileTable(compile));
  const changes = [];
  for (const [kind, count] of [
    ...KINDS.map((one) => [one, HUGE] as const),
    ...(quick ? [] : [["HTTPRoute", MOST] as const]),
  ]) {
    signal.throwIfAborted();
    showProgress(`changes of ${kind} beside ${String(count)} others`);
    changes.push(await measureChanges({ kind, count, changes: quick ? 3 : 20 }, around));
  }
  print("From a changed manifest to the first answer", report.changeTable(changes));
  const idle = await idleCosts(around);
  print("Memory of idle connections", report.idleTable(idle));
  const results = { suites, flood, compile, changes, idle };
  print("Goals", report.goalTable(goals(results)));
  if (!isWhole) return;
  const commands = Object.values(peers).flatMap((peer) =>
    "command" in peer ? [peer.command] : [],
  );
  const absences = Object.entries(peers).flatMap(([name, peer]) =>
    "absent" in peer ? [`${name}: ${peer.absent}`] : [],
  );
  const machine = await describeMachine(["wrk", "h2load", ...commands]);
  const path = join(REPOSITORY, "docs/benchmarks.md");
  const run = runSection({ date: new Date(), machine, absences, results });
  await writeFile(path, withRun(await readFile(path, "utf8"), run));
}

function print(title: string, table: Table): void {
  showProgress("");
  console.log(`\n${title}\n${report.aligned(table)}`);
}
