/**
 * `make bench-cluster`: measures the product as a controller, prints tables and writes docs/scale.md.
 * With numbers of HTTPRoutes, such as 100,1000: those only, and nothing is written unless `--page` is there.
 */
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Cluster } from "../../cluster/cluster.js";
import { describeMachine } from "../machine.js";
import { type Table, aligned, goalTable } from "../report.js";
import { REPOSITORY } from "../repository.js";
import { nginxBinary } from "../static-nginx.js";
import { goals } from "./goals.js";
import { type ScaleResult, measureScale } from "./measure.js";
import { page, partByHand } from "./page.js";
import { depopulate } from "./population.js";
import { gapTable, liveTable, startTable } from "./tables.js";

const SIZES = [100, 1000, 10_000];
/** Measured with the selectors of a shard. */
const SHARD = 20_000;

const chosen = process.argv.slice(2).find((word) => !word.startsWith("--"));
const isWritten = chosen === undefined || process.argv.includes("--page");
process.env["ALBC_TEST_NGINX"] ??= nginxBinary();

const results: ScaleResult[] = [];
let last: Cluster | undefined;
for (const routes of chosen === undefined ? [...SIZES, SHARD] : sizesIn(chosen)) {
  if (last !== undefined) await depopulate(last);
  const cluster = await Cluster.open();
  const result = await measureScale(cluster, routes, routes === SHARD);
  show(result);
  results.push(result);
  last = cluster;
}
// The cluster goes with what it holds.
last?.client.close();
if (isWritten) {
  const programs = [`Kubernetes ${await kubernetesVersion()}`, `albc ${revision()}`];
  const machine = [...(await describeMachine(["etcd"])), ...programs];
  const path = join(REPOSITORY, "docs/scale.md");
  const before = await readFile(path, "utf8");
  const text = page({ results, machine, date: new Date(), byHand: partByHand(before) });
  await writeFile(path, text);
}

function sizesIn(text: string): number[] {
  const sizes = text.split(",").map(Number);
  if (sizes.every((size) => Number.isInteger(size) && size > 0)) return sizes;
  throw new Error(`not numbers of HTTPRoutes: ${text}`);
}

/** The API server does not know its own: it was built without the flags of Kubernetes' build. */
async function kubernetesVersion(): Promise<string> {
  const text = await readFile(join(REPOSITORY, "e2e/conformance/k8s/go.mod"), "utf8");
  return /^\s*(?:require )?k8s\.io\/kubernetes (\S+)/m.exec(text)?.[1] ?? "of an unknown version";
}

function revision(): string {
  const words = ["describe", "--always", "--dirty"];
  return execFileSync("git", words, { cwd: REPOSITORY, encoding: "utf8" }).trim();
}

function show(result: ScaleResult): void {
  print("Goals", goalTable(goals(result)));
  print("Start and memory", startTable([result]));
  print("A change becomes live", liveTable([result]));
  print("Pauses of the workers", gapTable([result]));
  for (const line of result.complaints) console.log(`albc said: ${line}`);
}

function print(title: string, table: Table): void {
  console.log(`\n${title}\n${aligned(table)}`);
}
