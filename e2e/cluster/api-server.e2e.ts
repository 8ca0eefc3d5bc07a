/** The API server dies, hangs, forgets, and comes back with other contents: requests never notice, and no change is lost. */
import type { EchoBackend } from "../harness/echo-backend.js";
import type { Health } from "../harness/health.js";
import { Load, only200 } from "../harness/load.js";
import { Scene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { Cluster } from "./cluster.js";
import { ControlPlane } from "./control-plane.js";
import { endpointSlice, localBackend, serviceOf } from "./local-backends.js";
import { gatewayClass, ingressOf } from "./objects.js";
import { Pod } from "./pod.js";

/** Milliseconds: a watch that was lost is begun again after a quarter of that at the latest. */
const PATIENCE = { deadline: 60_000 };
const scene = new Scene();
let plane: ControlPlane;
let cluster: Cluster;
let backend: EchoBackend;
let pod: Pod;
let load: Load;
beforeAll(async () => {
  plane = await scene.use(ControlPlane.start());
  plane.kubectl("apply", "--server-side", "-f", `${process.env["CLUSTER_BIN"] ?? ""}/crd/standard`);
  cluster = await Cluster.open(plane.config);
  const { client } = cluster;
  await scene.use(Promise.resolve({ close: async () => client.close() }));
  const { namespace } = cluster;
  backend = await scene.use(localBackend("web"));
  await cluster.apply(gatewayClass(namespace));
  await cluster.apply(serviceOf(named("web")));
  await cluster.apply(endpointSlice(named("web"), [backend.address]));
  await cluster.apply(site("steady"));
  pod = await scene.use(Pod.start({ namespace, kubeconfig: plane.kubeconfig }));
}, 120_000);
afterAll(() => scene.close(), 60_000);

beforeEach(async () => {
  load = new Load({
    target: { port: pod.port },
    requests: [{ host: "steady.example" }],
    connections: 2,
    pause: 10,
    check: only200,
  });
  await load.more(20);
});
afterEach(() => load.close());

function named(name: string) {
  return { name, namespace: cluster.namespace };
}

/** An Ingress for NAME.example. */
function site(name: string) {
  return ingressOf(named(name), `${name}.example`, "web");
}

async function served(name: string): Promise<void> {
  const host = `${name}.example`;
  await waitFor(
    `${name} is served`,
    async () => (await pod.send({ host })).status === 200,
    PATIENCE,
  );
}

async function gone(name: string): Promise<void> {
  const host = `${name}.example`;
  await waitFor(`${name} is gone`, async () => (await pod.send({ host })).status === 404, PATIENCE);
}

async function untroubled(): Promise<void> {
  await load.more(50);
  expect((await load.stop()).failures).toEqual([]);
}

async function watchErrors(health: Health): Promise<number> {
  const metrics = [...(await health.metrics())];
  return metrics
    .filter(([name]) => name.startsWith("albc_watch_errors_total"))
    .reduce((sum, [, value]) => sum + value, 0);
}

test("killed and back: what is served stays, what comes later is served", async () => {
  await plane.apiServer.kill();
  await waitFor("it is noticed", async () => (await watchErrors(pod.health)) > 0);
  expect(pod.hasLogged(/a watch was lost/)).toBe(true);
  expect(await pod.health.ask("/readyz")).toBe("200 ok");
  await load.more(50);
  await plane.apiServer.start();
  await cluster.apply(site("later"));
  await served("later");
  await untroubled();
}, 120_000);

test("away while everything changed, with no history left: nothing is lost, and what was deleted goes", async () => {
  await cluster.apply(site("deleted"));
  await cluster.apply(site("changed"));
  await served("deleted");
  await served("changed");
  await plane.apiServer.kill();
  const door = await scene.use(plane.otherDoor());
  const other = await Cluster.open(door.config);
  await other.remove(site("deleted"));
  await other.apply(ingressOf(named("changed"), "renamed.example", "web"));
  await other.apply(site("new"));
  other.client.close();
  await door.close();
  await plane.compact();
  expect((await pod.send({ host: "deleted.example" })).status).toBe(200);

  await plane.apiServer.start();
  await served("new");
  await served("renamed");
  await gone("deleted");
  await gone("changed");
  await untroubled();
}, 120_000);

test("a history that is forgotten while it runs", async () => {
  await plane.compact();
  await cluster.apply(site("after-compaction"));
  await served("after-compaction");
  await untroubled();
});

test("it hangs, and goes on", async () => {
  plane.apiServer.signal("SIGSTOP");
  await load.more(100);
  expect(await pod.health.ask("/healthz")).toBe("200 ok");
  plane.apiServer.signal("SIGCONT");
  await cluster.apply(site("after-hanging"));
  await served("after-hanging");
  await untroubled();
}, 120_000);

test("put back to an older state: that is served, and what comes later", async () => {
  await plane.apiServer.kill();
  await plane.etcd.kill();
  plane.backUp();
  await plane.etcd.start();
  await plane.apiServer.start();
  await cluster.apply(site("since-then"));
  await served("since-then");
  // The versions that were seen are far ahead of those in the backup.
  for (let i = 0; i < 50; i += 1)
    await cluster.apply(endpointSlice(named("noise"), [`10.246.0.${String(i + 1)}`]));

  await plane.apiServer.kill();
  await plane.etcd.kill();
  plane.restore();
  await plane.etcd.start();
  await plane.apiServer.start();
  await gone("since-then");
  await cluster.apply(site("after-the-restore"));
  await served("after-the-restore");
  await untroubled();
}, 180_000);

test("started without it, albc says so once and asks again; nginx serves on, and all is right when it is back", async () => {
  const said = "the API server can't be asked what it serves";
  await plane.apiServer.kill();
  await pod.killController();
  pod.startController();
  const isUnready = async () => (await pod.health.ask("/readyz")).includes(said);
  await waitFor("it says why it is not ready", isUnready, PATIENCE);
  await waitFor("it has asked again", async () => (await watchErrors(pod.health)) > 2);
  expect(pod.controller.lines.filter(({ text }) => text.includes(said))).toHaveLength(1);
  await load.more(50);
  await plane.apiServer.start();
  await pod.ready();
  await cluster.apply(site("at-last"));
  await served("at-last");
  await untroubled();
}, 120_000);
