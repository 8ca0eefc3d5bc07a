/**
 * `make bench`: measures the product against bare nginx and its peers, prints tables and writes docs/benchmarks.md.
 * `--quick`: fewer and shorter rounds, nothing written. `--only TITLE`: suites whose title begins so, nothing written.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeTempFolder, removeFolder } from "../harness/temp-folder.js";
import { Scene } from "../harness/scene.js";
import { measureChanges } from "./change-latency.js";
import { measureCompile } from "./compile-cost.js";
import { makeLogin } from "./credentials.js";
import { measureFlood } from "./flood.js";
import { goals } from "./goals.js";
import { describeMachine } from "./machine.js";
import { page } from "./page.js";
import { fetchPeer } from "./peers/fetch-peer.js";
import {
  type Table,
  aligned,
  changeTable,
  compileTable,
  floodTable,
  goalTable,
  suiteTable,
} from "./report.js";
import { REPOSITORY } from "./repository.js";
import { type Measurement, type Plan, measure } from "./rounds.js";
import { nginxBinary } from "./static-nginx.js";
import { SUITES, type Suite, type Surroundings } from "./suites.js";
import { writeRequests } from "./traffic.js";
import { startUpstreams } from "./upstreams.js";

const quick = process.argv.includes("--quick");
const only = process.argv.includes("--only") ? process.argv.at(-1) : undefined;
const plan: Plan = quick
  ? { rounds: 2, seconds: 1, extraRounds: 0 }
  : { rounds: 5, seconds: 2, extraRounds: 2 };

process.env["ALBC_TEST_NGINX"] ??= nginxBinary();

const scene = new Scene();
const folder = await makeTempFolder();
try {
  const requests = new Map<number, string>();
  for (const count of [10, 1000, 10_000]) requests.set(count, await writeRequests(folder, count));
  const upstreams = await scene.use(startUpstreams());
  const login = await makeLogin();
  const peers = { haproxy: await fetchPeer("haproxy"), envoy: await fetchPeer("envoy") };
  const around: Surroundings = {
    upstreams,
    login,
    ...("command" in peers.haproxy && { haproxy: peers.haproxy.command }),
    ...("command" in peers.envoy && { envoy: peers.envoy.command }),
  };
  const suites: (readonly Measurement[])[] = [];
  for (const suite of SUITES.filter(({ title }) => only === undefined || title.startsWith(only))) {
    const measured = await runSuite(suite, around, requests);
    suites.push(measured);
    print(suite.title, suiteTable(measured));
  }
  if (only === undefined) await rest(around, peers, suites);
} finally {
  await scene.close();
  await removeFolder(folder);
}

async function runSuite(
  suite: Suite,
  around: Surroundings,
  requests: ReadonlyMap<number, string>,
): Promise<Measurement[]> {
  const own = new Scene();
  try {
    const subjects = [];
    for (const start of suite.subjects(around)) subjects.push(await own.use(start()));
    return await measure(subjects, requests, plan);
  } finally {
    await own.close();
  }
}

async function rest(
  around: Surroundings,
  peers: Readonly<Record<string, { readonly command: string } | { readonly absent: string }>>,
  suites: readonly (readonly Measurement[])[],
): Promise<void> {
  const { upstreams, login } = around;
  const flood = await measureFlood(upstreams, login, plan);
  print("A flood of wrong logins", floodTable(flood));
  const compile = [];
  for (const kind of ["Ingress", "HTTPRoute"] as const) {
    for (const count of [10, 1000, 10_000]) {
      compile.push(await measureCompile(kind, count, quick ? 1 : 3));
    }
  }
  print("albc render, cold", compileTable(compile));
  const changes = await measureChanges(upstreams, login, quick ? 5 : 21);
  print("From a changed manifest to the first answer", changeTable(changes));
  const results = { suites, flood, compile, changes };
  print("Goals", goalTable(goals(results)));
  if (quick) return;
  const commands = Object.values(peers).flatMap((peer) =>
    "command" in peer ? [peer.command] : [],
  );
  const absences = Object.entries(peers).flatMap(([name, peer]) =>
    "absent" in peer ? [`${name}: ${peer.absent}`] : [],
  );
  const text = page({
    results,
    titles: SUITES.map(({ title }) => title),
    machine: await describeMachine(["wrk", ...commands]),
    absences,
    date: new Date(),
    plan,
  });
  await writeFile(join(REPOSITORY, "docs/benchmarks.md"), text);
}

function print(title: string, table: Table): void {
  console.log(`\n${title}\n${aligned(table)}`);
}
