/** A thousand Ingresses at once, and endpoints that come and go fifty times a second, under load. */
import { setTimeout as delay } from "node:timers/promises";
import { type EchoBackend, echoOf } from "../harness/echo-backend.js";
import { Load, only200 } from "../harness/load.js";
import { type Closable, Scene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { Cluster, type Manifest } from "./cluster.js";
import { endpointSlice, localBackend, serviceOf } from "./local-backends.js";
import { ingressOf } from "./objects.js";
import { Pod } from "./pod.js";
import { randomNumbers } from "./random-numbers.js";

const CROWD = 1000;
const ADDRESS = "192.0.2.8";
const PODS = 100;
const SLICES = 20;
const CHANGES = 500;
/** Milliseconds between two changes: 50 a second. */
const INTERVAL = 20;
const scene = new Scene();
let cluster: Cluster;
let backend: EchoBackend;
let pod: Pod;
beforeAll(async () => {
  cluster = await scene.use(Cluster.open());
  const { namespace } = cluster;
  backend = await scene.use(localBackend("web"));
  await cluster.apply(serviceOf(named("web")));
  await cluster.apply(endpointSlice(named("web"), [backend.address]));
  await cluster.apply(ingressOf(named("steady"), "steady.example", "web"));
  pod = await scene.use(Pod.start({ namespace, flags: ["--publish-address", ADDRESS] }));
}, 60_000);
afterAll(() => scene.close(), 60_000);

function named(name: string) {
  return { name, namespace: cluster.namespace };
}

function loadOn(host: string): Load {
  const load = new Load({
    target: { port: pod.port },
    requests: [{ host }],
    connections: 4,
    pause: 10,
    check: only200,
  });
  void scene.use(Promise.resolve(load));
  return load;
}

test("a thousand Ingresses at once are served, and each gets its address", async () => {
  const load = loadOn("steady.example");
  const workers = (await pod.status()).workers.map(({ pid }) => pid);
  const names = Array.from({ length: CROWD }, (_, i) => `crowd-${String(i)}`);
  const waiting = [...names];
  const create = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop())
      await cluster.apply(ingressOf(named(name), `${name}.example`, "web"));
  };
  await Promise.all(Array.from({ length: 20 }, create));
  const created = performance.now();
  const left = new Set(names);
  await waitFor("all are served", async () => {
    for (const name of left) {
      if ((await pod.send({ host: `${name}.example` })).status !== 200) return false;
      left.delete(name);
    }
    return true;
  });
  expect(performance.now() - created).toBeLessThan(10_000);
  const path = `/apis/networking.k8s.io/v1/namespaces/${cluster.namespace}/ingresses`;
  await waitFor(
    "all have their address",
    async () => {
      const list = JSON.stringify(await cluster.client.call({ path }));
      return list.split(`"ip":"${ADDRESS}"`).length - 1 >= CROWD + 1;
    },
    { deadline: 60_000, every: 500 },
  );
  await load.more(50);
  expect((await load.stop()).failures).toEqual([]);
  // Hosts and paths are no reason for a reload.
  expect((await pod.status()).workers.map(({ pid }) => pid)).toEqual(workers);
}, 120_000);

/**
 * Pods of one Service, in small EndpointSlices as those of a large one are. Pods that leave go on for a second, as those do that are
 * given time to be taken out of rotation; every tenth dies at the same moment at which it is taken out, so that nginx knows for a
 * while an address where nobody is.
 */
class Pods implements Closable {
  /** Those in rotation, by slice. */
  readonly slices: EchoBackend[][] = Array.from({ length: SLICES }, () => []);
  readonly #random = randomNumbers(50);
  readonly #ending: Promise<void>[] = [];
  #came = 0;
  #gone = 0;

  /** Changes one slice and gives it. */
  async come(): Promise<Manifest> {
    // Not the one that was left a moment ago, whose write may be under way.
    const index = (this.#came++ + SLICES / 2) % SLICES;
    this.slices[index]?.push(await localBackend(`pod-${String(this.#came)}`));
    return this.slice(index);
  }

  leave(): Manifest {
    const index = this.#gone++ % SLICES;
    const slice = this.slices[index] ?? [];
    const [leaving] = slice.splice(Math.floor(this.#random() * slice.length), 1);
    const grace = this.#gone % 10 === 0 ? 0 : 1000;
    if (leaving !== undefined) this.#ending.push(delay(grace).then(() => leaving.close()));
    return this.slice(index);
  }

  slice(index: number): Manifest {
    const addresses = (this.slices[index] ?? []).map(({ address }) => address);
    const manifest = endpointSlice(named("churn"), addresses);
    return { ...manifest, metadata: { ...manifest.metadata, name: `churn-${String(index)}` } };
  }

  async close(): Promise<void> {
    await Promise.all(this.#ending);
    for (const one of this.slices.flat()) await one.close();
  }
}

test("endpoints that come and go fifty times a second: every request has its answer", async () => {
  const pods = await scene.use(Promise.resolve(new Pods()));
  for (let i = 0; i < PODS; i += 1) await pods.come();
  await cluster.apply(serviceOf(named("churn")));
  for (let i = 0; i < SLICES; i += 1) await cluster.apply(pods.slice(i));
  await cluster.apply(ingressOf(named("churn"), "churn.example", "churn"));
  const host = "churn.example";
  await pod.until("it is served", { host }, ({ status }) => status === 200);
  const workers = (await pod.status()).workers.map(({ pid }) => pid);
  const load = loadOn(host);
  const began = performance.now();
  const writes: Promise<unknown>[] = [];
  for (let i = 0; i < CHANGES; i += 1) {
    writes.push(cluster.apply(i % 2 === 0 ? pods.leave() : await pods.come()));
    if (writes.length > 4) await writes.shift();
    await delay(Math.max(0, began + i * INTERVAL - performance.now()));
  }
  await Promise.all(writes);
  await load.more(50);
  const report = await load.stop();
  expect(report.failures).toEqual([]);
  // There were requests all the time; a busy machine makes both slower.
  expect(report.completed).toBeGreaterThan(CHANGES / 2);
  expect((await pod.status()).workers.map(({ pid }) => pid)).toEqual(workers);

  for (let i = 1; i < SLICES; i += 1) await cluster.remove(pods.slice(i));
  await waitFor("the last state is served", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => pod.send({ host })));
    const names = (pods.slices[0] ?? []).map(({ name }) => name);
    return answers.every((answer) => names.includes(echoOf(answer).backend));
  });
}, 120_000);
