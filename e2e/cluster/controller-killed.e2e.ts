/**
 * The controller is killed in the middle of what it does, again and again: at the moment when a file of an apply appears, and after
 * random times. nginx serves on without a failed request, and the next controller puts everything right.
 */
import { watch } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../harness/free-port.js";
import { apr1, basic } from "../harness/htpasswd.js";
import { Load, only200 } from "../harness/load.js";
import { Scene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { Cluster } from "./cluster.js";
import { echoServer } from "./echo-server.js";
import { gatewayClass, gatewayOf, httpRoute, ingressOf } from "./objects.js";
import { Pod } from "./pod.js";
import { randomNumbers } from "./random-numbers.js";

const scene = new Scene();
const AUTH = {
  "nginx.ingress.kubernetes.io/auth-type": "basic",
  "nginx.ingress.kubernetes.io/auth-secret": "users",
};
let cluster: Cluster;
let pod: Pod;
let load: Load;
let ports: readonly [number, number];
beforeAll(async () => {
  cluster = await scene.use(Cluster.open());
  const { namespace } = cluster;
  ports = [await freePort(), await freePort()];
  await cluster.apply(gatewayClass(namespace));
  for (const object of echoServer(namespace, "echo", 2)) await cluster.apply(object);
  await cluster.apply(await users());
  await cluster.apply(ingressOf(named("plain"), "plain.example", "echo"));
  await cluster.apply(
    ingressOf({ ...named("closed"), annotations: AUTH }, "closed.example", "echo"),
  );
  await cluster.apply(httpRoute(named("app"), "edge", "echo"));
  await apply(0);
  pod = await scene.use(Pod.start({ namespace }));
  await pod.until("pods answer", { host: "plain.example" }, ({ status }) => status === 200);
  load = new Load({
    target: { port: pod.port },
    requests: [
      { host: "plain.example" },
      { host: "closed.example", headers: [["Authorization", basic("jane", "secret")]] },
    ],
    connections: 2,
    pause: 10,
    check: only200,
  });
}, 90_000);
afterAll(async () => {
  await load.close();
  await cluster.remove(gatewayClass(cluster.namespace));
  await scene.close();
}, 60_000);

function named(name: string) {
  return { name, namespace: cluster.namespace };
}

async function users() {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: named("users"),
    stringData: { auth: `jane:${await apr1("secret")}\n` },
  };
}

/** What is changed in each turn: a host, which is swapped, and in every other turn a port, which needs a reload. */
const portOf = (turn: number) => ports[Math.floor(turn / 2) % 2 === 0 ? 0 : 1];
const hostOf = (turn: number) => `turn-${String(turn)}.example`;

async function apply(turn: number): Promise<void> {
  await cluster.apply(gatewayOf(named("edge"), [portOf(turn)]));
  await cluster.apply(ingressOf(named("moving"), hostOf(turn), "echo"));
}

async function isRefused(port: number): Promise<boolean> {
  return pod.send({ host: "any.example" }, port).then(
    () => false,
    () => true,
  );
}

/** All that a turn has changed is served, and what it replaced is not. */
async function putRight(turn: number): Promise<void> {
  const port = portOf(turn);
  const other = ports.find((each) => each !== port) ?? 0;
  const ok = ({ status }: { readonly status: number }) => status === 200;
  await pod.until(`turn ${String(turn)}: the host is served`, { host: hostOf(turn) }, ok);
  await pod.until(`turn ${String(turn)}: the port is served`, { host: "any.example", port }, ok);
  await waitFor(`turn ${String(turn)}: the old port is closed`, () => isRefused(other));
  const before = { host: hostOf(turn - 1) };
  await pod.until("the old host is gone", before, ({ status }) => status === 404);
  await waitFor("every worker serves the same", async () => {
    const { workers, version } = await pod.status();
    return workers.every((worker) => worker.version === version);
  });
}

/** How many changes the controller that runs has finished. */
function applied(): number {
  return pod.controller.lines.filter(({ msg }) => msg === "change applied").length;
}

/** Changes that were under way when the controller was killed; with fewer the tests have shown nothing. */
const ENOUGH = 5;
let turn = 0;
let interrupted = 0;

/** Changes everything and kills the controller when `moment` comes; then starts the next one. */
async function killedAt(moment: (folder: string) => Promise<void>): Promise<void> {
  turn += 1;
  const before = applied();
  const killed = moment(pod.runFolder).then(() => pod.killController());
  await apply(turn);
  await killed;
  if (applied() === before) interrupted += 1;
  // Nobody is there to bring the rest of the change.
  expect((await pod.send({ host: "plain.example" })).status).toBe(200);
  pod.startController();
  await pod.ready();
  await putRight(turn);
}

/** When a file or folder with this name is made, renamed or written in `folder`. */
function appears(name: string): (folder: string) => Promise<void> {
  return (folder) =>
    new Promise((resolve) => {
      const watcher = watch(folder, (_, file) => {
        if (file !== name) return;
        watcher.close();
        resolve();
      });
    });
}

test.each([
  ["before anything is written", "stage"],
  ["while nginx.conf is being written", "nginx.conf.albc-new"],
  ["when nginx.conf is written, policy.json is not", "nginx.conf"],
  ["while policy.json is being written", "policy.json.albc-new"],
  ["when all is written and nothing is told", "policy.json"],
])(
  "%s",
  async (_, name) => {
    // Both kinds of change: one turn with the port that is there, one with the other.
    turn += (turn + 1) % 2;
    await apply(turn);
    await putRight(turn);
    await killedAt(appears(name));
  },
  60_000,
);

test("while nginx reloads", async () => {
  turn += (turn + 1) % 2;
  await apply(turn);
  await putRight(turn);
  const before = (await pod.status()).workers.map(({ pid }) => pid);
  await killedAt(async () => {
    await waitFor(
      "a new worker is there",
      async () => {
        const { workers } = await pod.status();
        return workers.some(({ pid }) => !before.includes(pid));
      },
      { every: 1 },
    );
  });
}, 60_000);

test("at any time", async () => {
  const random = randomNumbers(20_261_121);
  // How long a change takes depends on the machine: who came too late comes sooner the next time.
  let latest = 400;
  for (let i = 0; i < 10 || (interrupted <= ENOUGH && i < 30); i += 1) {
    const wait = 20 + random() * latest;
    const known = interrupted;
    await killedAt(() => delay(wait));
    latest = interrupted > known ? Math.min(400, latest * 1.5) : latest / 2;
  }
}, 240_000);

test("not one request has failed", async () => {
  await load.more(50);
  const report = await load.stop();
  expect(report.failures).toEqual([]);
  expect(report.completed).toBeGreaterThan(200);
  expect(interrupted).toBeGreaterThan(ENOUGH);
});
