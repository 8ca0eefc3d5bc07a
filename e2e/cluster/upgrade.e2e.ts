/** The chart under load: clients lose no request while Helm upgrades and removes it. The pods run the image's own processes. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Load, type LoadReport, only200 } from "../harness/load.js";
import { useScene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { Cluster } from "./cluster.js";
import { echoServer } from "./echo-server.js";
import { Kubelet, NODE_SELECTOR, ServiceProxy } from "./kubelet.js";
import { ingressOf } from "./objects.js";

const CHART = fileURLToPath(new URL("../../deploy/chart", import.meta.url));
/** Other tests install under the name of the chart. */
const RELEASE = "edge";
const PATIENCE = { deadline: 60_000 };
const scene = useScene();
let cluster: Cluster;
let kubelet: Kubelet;
let proxy: ServiceProxy;

beforeAll(async () => {
  cluster = await scene.use(Cluster.open());
  kubelet = await scene.use(Kubelet.start(cluster));
  const { namespace } = cluster;
  for (const object of echoServer(namespace, "echo", 2)) await cluster.apply(object);
  const ingress = ingressOf({ name: "web", namespace }, "web.example", "echo");
  const spec = { ...(ingress["spec"] as object), ingressClassName: namespace };
  await cluster.apply({ ...ingress, spec });
  proxy = await scene.use(ServiceProxy.start(cluster, `${RELEASE}-albc`, 500));
  await helm("install");
  await waitFor("the proxy knows the pods", () => !proxy.isEmpty, PATIENCE);
}, 120_000);

async function helm(command: "install" | "upgrade", ...values: readonly string[]): Promise<void> {
  const { namespace } = cluster;
  const all = [
    ...["crds.install=false", "service.type=ClusterIP", NODE_SELECTOR],
    ...[`namespaces={${namespace}}`, `ingressClass.name=${namespace}`],
    ...[`ingressClass.controller=example.com/${namespace}`],
    ...[`gatewayClass.controller=example.com/${namespace}`],
    ...["options.shutdownDelay=3s", "options.drainTimeout=20s", "terminationGracePeriodSeconds=30"],
    ...["options.workers=1", ...values],
  ];
  const set = all.flatMap((value) => ["--set", value]);
  const words = [command, RELEASE, CHART, "--namespace", namespace, "--wait", "--timeout=90s"];
  await promisify(execFile)("helm", [...words, ...set]).catch((error: unknown) => {
    const pods = [...kubelet.pods.values()];
    throw new Error(
      `${String(error)}\n${pods.flatMap(({ problems, log }) => [...problems, log]).join("\n")}`,
    );
  });
}

function load(path: string, connections: number): Load {
  const request = { host: "web.example", path };
  return new Load({
    target: { port: proxy.port },
    requests: [request],
    connections,
    check: only200,
  });
}

function expectAllAnswered(reports: readonly LoadReport[]): void {
  for (const { failures, completed, statuses } of reports) {
    expect(failures).toEqual([]);
    expect(statuses).toEqual({ 200: completed });
  }
  expect(kubelet.problems).toEqual([]);
}

test("an upgrade replaces every pod, and each request is answered", async () => {
  const before = [...kubelet.pods.keys()];
  expect(before).toHaveLength(2);
  const loads = [load("/", 8), load("/?delay=2s", 4)];
  await Promise.all(loads.map((each) => each.more(10)));
  await helm("upgrade", "options.bodyLimit=20m");
  await waitFor(
    "the old pods are gone",
    () => !before.some((uid) => kubelet.pods.has(uid)),
    PATIENCE,
  );
  await Promise.all(loads.map((each) => each.more(10)));
  expect(kubelet.pods.size).toBe(2);
  expectAllAnswered(await Promise.all(loads.map((each) => each.stop())));
}, 180_000);

test("a removal answers each request that came while the Service existed", async () => {
  const loads = [load("/", 8), load("/?delay=2s", 4)];
  await Promise.all(loads.map((each) => each.more(10)));
  const removal = promisify(execFile)("helm", ["uninstall", RELEASE, "-n", cluster.namespace]);
  await waitFor("the Service has no endpoints", () => proxy.isEmpty, PATIENCE);
  expectAllAnswered(await Promise.all(loads.map((each) => each.stop())));
  await removal;
  await waitFor("all pods are gone", () => kubelet.pods.size === 0, PATIENCE);
  expect(kubelet.problems).toEqual([]);
}, 180_000);
