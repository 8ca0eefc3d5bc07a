/** nginx is somebody else's: what is said of objects is said when its workers serve them, and not before. */
import { freePort } from "../harness/free-port.js";
import { Load } from "../harness/load.js";
import { Scene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { Cluster, type Manifest } from "./cluster.js";
import { echoServer } from "./echo-server.js";
import { gatewayClass, gatewayOf, httpRoute, ingressOf } from "./objects.js";
import { Pod } from "./pod.js";

const ADDRESS = "192.0.2.9";
const SERVING = /"msg":"serving"/;
const scene = new Scene();
let cluster: Cluster;
let pod: Pod;
let port: number;
beforeAll(async () => {
  cluster = await scene.use(Cluster.open());
  const { namespace } = cluster;
  await cluster.apply(gatewayClass(namespace));
  for (const object of echoServer(namespace, "echo")) await cluster.apply(object);
  port = await freePort();
  await cluster.apply(gatewayOf({ name: "edge", namespace }, [port]));
  await cluster.apply(route());
  await cluster.apply(ingress());
  const flags = ["--publish-address", ADDRESS, "--shutdown-delay", "1s"];
  pod = await scene.use(Pod.create({ namespace, flags }));
}, 60_000);
afterAll(async () => {
  await cluster.remove(gatewayClass(cluster.namespace));
  await scene.close();
}, 60_000);

function ingress() {
  return ingressOf({ name: "plain", namespace: cluster.namespace }, "plain.example", "echo");
}

function route() {
  return httpRoute({ name: "app", namespace: cluster.namespace }, "edge", "echo");
}

function changed(object: Manifest, fields: object): Manifest {
  return { ...object, spec: { ...(object["spec"] as object), ...fields } };
}

async function textOf(object: Parameters<Cluster["get"]>[0]): Promise<string> {
  return JSON.stringify(await cluster.get(object));
}

test("while no nginx is there nothing is ready, and no status says that anything is served", async () => {
  pod.startController();
  await waitFor("it leads", () => pod.hasLogged(/this replica leads/));
  await waitFor("it has written its files", () => pod.hasLogged(/no nginx answers/));
  // A status that was to be written at once would have been: the leader's first write takes milliseconds.
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
  const at = { name: "albc-leader", namespace: cluster.namespace };
  const before = await textOf({ ...lease, metadata: at });
  await waitFor(
    "the leader has renewed its lease",
    async () => (await textOf({ ...lease, metadata: at })) !== before,
  );
  expect(await pod.health.ask("/readyz")).toMatch(/^503 /);
  expect(await textOf(ingress())).not.toContain(ADDRESS);
  expect(await textOf(route())).not.toContain('"Accepted"');
  expect(pod.hasLogged(/waiting for an nginx/)).toBe(true);
  expect(pod.hasLogged(SERVING)).toBe(false);
});

test("when its workers serve, the pod is ready and the statuses say so", async () => {
  await pod.startNginx();
  await pod.ready();
  await waitFor("it is said", () => pod.hasLogged(SERVING));
  await waitFor("the Ingress has its address", async () =>
    (await textOf(ingress())).includes(ADDRESS),
  );
  await waitFor("the route is accepted", async () =>
    (await textOf(route())).includes('"Accepted"'),
  );
  expect((await pod.send({ host: "plain.example" })).status).toBe(200);
  expect((await pod.send({ host: "any.example" }, port)).status).toBe(200);
});

test("what was said of objects that go to another class is taken back", async () => {
  const place = { name: "leaving", namespace: cluster.namespace };
  const own = ingressOf(place, "leaving.example", "echo");
  const gateway = gatewayOf(place, [await freePort()]);
  await cluster.apply(own);
  await cluster.apply(gateway);
  await waitFor("the Ingress has its address", async () => (await textOf(own)).includes(ADDRESS));
  await waitFor("the Gateway has its listeners", async () =>
    (await textOf(gateway)).includes('"attachedRoutes"'),
  );
  await cluster.apply(changed(own, { ingressClassName: "elsewhere" }));
  await cluster.apply(changed(gateway, { gatewayClassName: "elsewhere" }));
  await waitFor("it has none", async () => !(await textOf(own)).includes(ADDRESS));
  await waitFor("it waits for its controller", async () =>
    (await textOf(gateway)).includes("Waiting for controller"),
  );
  expect(await textOf(gateway)).not.toContain('"attachedRoutes"');
  await Promise.all([cluster.remove(own), cluster.remove(gateway)]);
});

test("a port that somebody else of the pod has costs its own listener, whether nginx is there or not", async () => {
  const free = await freePort();
  const { namespace } = cluster;
  const greedy = gatewayOf({ name: "greedy", namespace }, [pod.health.port, free]);
  await cluster.apply(greedy);
  await waitFor("the other listener serves", async () => {
    const { status } = await pod.send({ host: "any.example" }, free);
    return status === 404;
  });
  await waitFor("the condition says why", async () =>
    (await textOf(greedy)).includes("PortUnavailable"),
  );
  await pod.killNginx();
  const late = ingressOf({ name: "meanwhile", namespace }, "meanwhile.example", "echo");
  await cluster.apply(late);
  await pod.startNginx();
  await pod.ready();
  await pod.until("it is served", { host: "meanwhile.example" }, ({ status }) => status === 200);
  await cluster.remove(greedy);
});

test("a change while nginx is away is served, and said, when it is back", async () => {
  const written = () =>
    pod.controller.lines.filter(({ text }) => text.includes('"kind":"written"')).length;
  const before = written();
  await pod.killNginx();
  const other = await freePort();
  const { namespace } = cluster;
  const gateway = gatewayOf({ name: "edge", namespace }, [port, other]);
  await cluster.apply(gateway);
  const late = ingressOf({ name: "late", namespace }, "late.example", "echo");
  await cluster.apply(late);
  await waitFor("it is written", () => written() > before);
  const isProgrammed = async () => {
    const { status } = (await cluster.get(gateway)) as GatewayWithStatus;
    const listener = status?.listeners?.find(({ name }) => name === `p${String(other)}`);
    return listener?.conditions.some(
      (condition) => condition.type === "Programmed" && condition.status === "True",
    );
  };
  expect(await isProgrammed()).toBeFalsy();
  expect(await pod.health.ask("/readyz")).toMatch(/^503 /);

  await pod.startNginx();
  await pod.ready();
  await waitFor("the new listener is programmed", isProgrammed);
  await waitFor("the new Ingress has its address", async () =>
    (await textOf(late)).includes(ADDRESS),
  );
  expect((await pod.send({ host: "any.example" }, other)).status).toBe(200);
  expect((await pod.send({ host: "late.example" })).status).toBe(200);
});

interface GatewayWithStatus {
  readonly status?: {
    readonly listeners?: readonly {
      readonly name: string;
      readonly conditions: readonly { readonly type: string; readonly status: string }[];
    }[];
  };
}

test("a worker that is killed costs what it had in hand, and nothing else", async () => {
  const load = new Load({
    target: { port: pod.port },
    requests: [{ host: "plain.example" }],
    connections: 4,
  });
  await load.more(50);
  const [victim] = (await pod.status()).workers;
  if (victim === undefined) throw new Error("there is no worker");
  process.kill(victim.pid, "SIGKILL");
  await waitFor("it is replaced", async () => {
    const { workers } = await pod.status();
    return workers.length === 2 && !workers.some(({ pid }) => pid === victim.pid);
  });
  await load.more(200);
  const report = await load.stop();
  expect(report.failures.length).toBeLessThanOrEqual(4);
  expect(report.statuses).toEqual({ 200: report.completed });
});

test("at its end the pod is not ready first, while it serves on", async () => {
  const load = new Load({
    target: { port: pod.port },
    requests: [{ host: "plain.example" }],
    connections: 2,
  });
  await load.more(20);
  pod.controller.signal("SIGTERM");
  await waitFor(
    "it is not ready",
    async () => (await pod.health.ask("/readyz")) === "503 stopping",
  );
  expect(await pod.health.ask("/healthz")).toBe("200 ok");
  expect((await pod.controller.exit()).code).toBe(0);
  await load.more(100);
  expect((await load.stop()).failures).toEqual([]);
});
