/**
 * Plays the kubelet for pods of the image that .ci/image.js builds, if they select its node: network namespaces, volumes, probes, preStop,
 * SIGTERM, the grace period. e2e/conformance/kubelet.go runs all other pods. And plays kube-proxy for one Service.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { type AddressInfo, type Server, type Socket, connect, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Closable } from "../harness/scene.js";
import { Containers } from "./containers.js";
import type { Cluster, Manifest } from "./cluster.js";
import { type ContainerSpec, type PodSpec, type Probe, containerOf } from "./deployed-pod.js";

/** The bridge of e2e/conformance/kubelet.go. */
const BRIDGE = "10.244.0.1";
const NODE = "image";
/** For Helm's --set. */
export const NODE_SELECTOR = `nodeSelector.kubernetes\\.io/hostname=${NODE}`;
const POLL = 100;

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec: PodSpec & {
    readonly nodeName?: string;
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly serviceAccountName: string;
    readonly terminationGracePeriodSeconds: number;
  };
}

function ip(...commands: readonly string[]): void {
  for (const command of commands) execFileSync("ip", command.split(" "));
}

/** Until `holds`, or false if it does not `threshold` times in a row. */
async function probeUntil(probe: Probe, holds: () => Promise<boolean>): Promise<boolean> {
  for (let failures = 0; failures < probe.failureThreshold; failures += 1) {
    if (await holds()) return true;
    await delay(1000 * probe.periodSeconds);
  }
  return false;
}

class RunningPod {
  readonly pod: Pod;
  readonly address: string;
  /** Probes that failed for too long, and containers that ended by themselves. */
  readonly problems: string[] = [];
  ending = false;
  #isReady = false;
  readonly #cluster: Cluster;
  readonly #containers: Containers;
  readonly #netns: string;
  readonly #relay: ChildProcess;
  readonly #loops: Promise<void>[] = [];

  private constructor(
    given: { readonly cluster: Cluster; readonly pod: Pod; readonly containers: Containers },
    network: { readonly address: string; readonly netns: string; readonly relay: ChildProcess },
  ) {
    this.#cluster = given.cluster;
    this.pod = given.pod;
    this.#containers = given.containers;
    this.address = network.address;
    this.#netns = network.netns;
    this.#relay = network.relay;
  }

  static async start(cluster: Cluster, pod: Pod, number: number, api: number): Promise<RunningPod> {
    const netns = `image${String(number)}`;
    const address = `10.244.200.${String(number)}`;
    const [outside, inside] = [`w${String(number)}`, `-n ${netns}`];
    ip(
      `netns add ${netns}`,
      `link add ${outside} type veth peer name eth0 netns ${netns}`,
      `link set ${outside} master pods up`,
      `${inside} link set lo up`,
      `${inside} address add ${address}/16 dev eth0`,
      `${inside} link set eth0 up`,
      `${inside} route add default via ${BRIDGE}`,
    );
    for (const { name, value } of pod.spec.securityContext.sysctls ?? []) {
      execFileSync("ip", ["netns", "exec", netns, "sysctl", "-qw", `${name}=${value}`]);
    }
    // The certificate of the API server names 127.0.0.1 only.
    const script = `require("net").createServer((a) => {
      const b = require("net").connect(${String(api)}, "${BRIDGE}");
      for (const s of [a, b]) s.on("error", () => { a.destroy(); b.destroy(); });
      a.pipe(b).pipe(a);
    }).listen(${String(api)}, "127.0.0.1")`;
    const words = ["netns", "exec", netns, process.execPath, "-e", script];
    const relay = spawn("ip", words, { stdio: "ignore" });
    const containers = await Containers.create(pod.spec, netns);
    const running = new RunningPod({ cluster, pod, containers }, { address, netns, relay });
    await running.#fillVolumes();
    running.#start(api);
    return running;
  }

  get log(): string {
    return this.#containers.log;
  }

  async #fillVolumes(): Promise<void> {
    const { namespace } = this.#cluster;
    const { configMap } = this.pod.spec.volumes.find(({ name }) => name === "options") ?? {};
    const metadata = { name: configMap?.name ?? "", namespace };
    const config = { apiVersion: "v1", kind: "ConfigMap", metadata };
    const { data } = (await this.#cluster.get(config)) as { data: Record<string, string> };
    for (const [name, text] of Object.entries(data)) {
      await this.#containers.writeFile("options", name, text);
    }
    const account = this.pod.spec.serviceAccountName;
    const token = execFileSync("kubectl", ["-n", namespace, "create", "token", account]);
    const ca = this.#cluster.config.getCurrentCluster()?.caData ?? "";
    await this.#containers.writeFile("token", "token", token.toString().trim());
    await this.#containers.writeFile("token", "namespace", namespace);
    await this.#containers.writeFile("token", "ca.crt", Buffer.from(ca, "base64").toString());
  }

  #start(api: number): void {
    for (const { name } of this.pod.spec.containers) {
      this.#containers.start(name, undefined, {
        POD_NAME: this.pod.metadata.name,
        POD_NAMESPACE: this.#cluster.namespace,
        KUBERNETES_SERVICE_HOST: "127.0.0.1",
        KUBERNETES_SERVICE_PORT: String(api),
      });
      this.#loops.push(this.#watch(containerOf(this.pod.spec, name)));
    }
  }

  async #watch(spec: ContainerSpec): Promise<void> {
    const { name, startupProbe, livenessProbe, readinessProbe } = spec;
    const problem = (text: string) => {
      if (!this.ending) this.problems.push(`${this.pod.metadata.name}: ${name} ${text}`);
    };
    if (startupProbe !== undefined) {
      const started = await probeUntil(
        startupProbe,
        async () => this.ending || (await this.#probe(spec, startupProbe)),
      );
      if (!started) problem("did not start");
    }
    const loop = async (probe: Probe | undefined, tell: (passes: boolean) => Promise<void>) => {
      let failures = 0;
      while (probe !== undefined && this.#containers.isRunning(name)) {
        const passes = await this.#probe(spec, probe);
        failures = passes ? 0 : failures + 1;
        if (passes || failures === probe.failureThreshold) await tell(passes);
        await delay(1000 * probe.periodSeconds);
      }
      if (!this.#containers.isRunning(name)) problem("ended");
    };
    await Promise.all([
      loop(livenessProbe, async (passes) => {
        if (!passes) problem("is not alive");
        return Promise.resolve();
      }),
      loop(readinessProbe, async (passes) => this.#tellReady(passes)),
    ]);
  }

  async #probe(spec: ContainerSpec, { exec, httpGet }: Probe): Promise<boolean> {
    if (exec !== undefined) return (await this.#containers.run(spec.name, exec.command)).code === 0;
    const port = spec.ports?.find(({ name }) => name === httpGet?.port)?.containerPort;
    const url = `http://${this.address}:${String(port)}${httpGet?.path ?? ""}`;
    return fetch(url, { signal: AbortSignal.timeout(5000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  async #tellReady(isReady: boolean): Promise<void> {
    if (isReady === this.#isReady) return;
    this.#isReady = isReady;
    const at = new Date().toISOString();
    const conditions = ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map((type) => ({
      type,
      status: String(isReady || !type.endsWith("Ready")).replace(/^./, (c) => c.toUpperCase()),
      lastTransitionTime: at,
    }));
    const podIPs = [{ ip: this.address }];
    const status = { phase: "Running", podIP: this.address, podIPs, startTime: at, conditions };
    await this.#cluster.client
      .call({
        ...{ method: "PATCH", path: `${this.#path}/status`, body: { status } },
        contentType: "application/merge-patch+json",
      })
      // It may be gone.
      .catch((error: unknown) => {
        if (!this.ending) throw error;
      });
  }

  get #path(): string {
    return `/api/v1/namespaces/${this.#cluster.namespace}/pods/${this.pod.metadata.name}`;
  }

  /** As its deletion asks for: preStop, SIGTERM, SIGKILL after the grace period; then the object goes. */
  async end(): Promise<void> {
    this.ending = true;
    const { containers, terminationGracePeriodSeconds } = this.pod.spec;
    const killed = setTimeout(() => {
      this.problems.push(`${this.pod.metadata.name} outlived its grace period`);
      void this.kill();
    }, 1000 * terminationGracePeriodSeconds);
    try {
      await Promise.all(containers.map(async (container) => this.#end(container)));
    } finally {
      clearTimeout(killed);
    }
    const body = { gracePeriodSeconds: 0, preconditions: { uid: this.pod.metadata.uid } };
    await this.#cluster.client.call({ method: "DELETE", path: this.#path, body });
    await this.close();
  }

  async #end({ name, lifecycle }: ContainerSpec): Promise<void> {
    const command = lifecycle?.preStop?.exec?.command;
    if (command !== undefined) await this.#containers.run(name, command);
    await this.#containers.end(name, "SIGTERM");
  }

  async kill(): Promise<void> {
    for (const { name } of this.pod.spec.containers) await this.#containers.kill(name);
  }

  async close(): Promise<void> {
    this.ending = true;
    await this.kill();
    await Promise.all(this.#loops);
    await this.#containers.close();
    this.#relay.kill("SIGKILL");
    ip(`netns delete ${this.#netns}`);
  }
}

export class Kubelet implements Closable {
  /** Of all its pods, also those that are gone. */
  readonly problems: string[] = [];
  readonly pods = new Map<string, RunningPod>();
  readonly #cluster: Cluster;
  readonly #relay: Server;
  readonly #api: number;
  readonly #endings = new Set<Promise<void>>();
  readonly #node: Manifest;
  #number = 0;
  #stopped = false;
  #loop: Promise<void> = Promise.resolve();

  private constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#api = Number(new URL(cluster.config.getCurrentCluster()?.server ?? "").port);
    this.#relay = createServer((socket) => join(socket, this.#api, "127.0.0.1"));
    const labels = { "kubernetes.io/hostname": NODE };
    this.#node = { apiVersion: "v1", kind: "Node", metadata: { name: NODE, labels } };
  }

  static async start(cluster: Cluster): Promise<Kubelet> {
    const kubelet = new Kubelet(cluster);
    await cluster.apply(kubelet.#node);
    await new Promise<void>((resolve) => kubelet.#relay.listen(kubelet.#api, BRIDGE, resolve));
    kubelet.#loop = kubelet.#run();
    return kubelet;
  }

  async close(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
    await Promise.all(this.#endings);
    for (const running of this.pods.values()) await running.close();
    this.#relay.close();
    await this.#cluster.remove(this.#node);
  }

  async #run(): Promise<void> {
    const path = `/api/v1/namespaces/${this.#cluster.namespace}/pods`;
    while (!this.#stopped) {
      const { items } = (await this.#cluster.client.call({ path })) as { items: readonly Pod[] };
      for (const pod of items) await this.#reconcile(pod, path);
      await delay(POLL);
    }
  }

  async #reconcile(pod: Pod, path: string): Promise<void> {
    const { name, uid, deletionTimestamp } = pod.metadata;
    if (pod.spec.nodeSelector?.["kubernetes.io/hostname"] !== NODE) return;
    const running = this.pods.get(uid);
    if (running === undefined && deletionTimestamp === undefined) {
      const target = { apiVersion: "v1", kind: "Node", name: NODE };
      const body = { apiVersion: "v1", kind: "Binding", metadata: { name }, target };
      await this.#cluster.client.call({ method: "POST", path: `${path}/${name}/binding`, body });
      this.#number += 1;
      const started = await RunningPod.start(this.#cluster, pod, this.#number, this.#api);
      this.pods.set(uid, started);
    } else if (running !== undefined && deletionTimestamp !== undefined && !running.ending) {
      const ending = running
        .end()
        .catch((error: unknown) => void running.problems.push(`${name}: ${String(error)}`))
        .then(() => {
          this.problems.push(...running.problems);
          this.pods.delete(uid);
        });
      this.#endings.add(ending);
    }
  }
}

/** Pipes a client's connection to another address. */
function join(client: Socket, port: number, address: string): void {
  const server = connect(port, address);
  for (const socket of [client, server]) {
    // Its `close` follows.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      client.destroy();
      server.destroy();
    });
  }
  client.pipe(server).pipe(client);
}

interface Slice {
  readonly endpoints?: readonly {
    readonly addresses: readonly string[];
    readonly conditions: { readonly ready?: boolean; readonly serving?: boolean };
  }[];
}

/**
 * Takes connections for a Service to its pods in turn, as kube-proxy does: to the ready ones, or while there are none to those that end but
 * serve. It hears of changes late, up to `lag` ms. Of a Service that is gone it keeps the last endpoints.
 */
export class ServiceProxy implements Closable {
  readonly #server: Server;
  readonly #path: string;
  readonly #cluster: Cluster;
  #addresses: readonly string[] = [];
  #next = 0;
  #stopped = false;
  #loop: Promise<void> = Promise.resolve();
  /** Whether the Service has no endpoint yet, or no more. */
  isEmpty = true;

  private constructor(cluster: Cluster, service: string) {
    this.#cluster = cluster;
    this.#path = `/apis/discovery.k8s.io/v1/namespaces/${cluster.namespace}/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3D${service}`;
    this.#server = createServer((socket) => {
      this.#next += 1;
      const address = this.#addresses[this.#next % this.#addresses.length];
      if (address === undefined) socket.destroy();
      else join(socket, 80, address);
    });
  }

  static async start(cluster: Cluster, service: string, lag: number): Promise<ServiceProxy> {
    const proxy = new ServiceProxy(cluster, service);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    proxy.#loop = proxy.#run(lag);
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
    this.#server.close();
  }

  async #run(lag: number): Promise<void> {
    while (!this.#stopped) {
      const list = (await this.#cluster.client.call({ path: this.#path })) as {
        readonly items: readonly Slice[];
      };
      const endpoints = list.items.flatMap((slice) => slice.endpoints ?? []);
      const ready = endpoints.filter(({ conditions }) => conditions.ready === true);
      const serving = endpoints.filter(({ conditions }) => conditions.serving === true);
      const found = (ready.length > 0 ? ready : serving).flatMap(({ addresses }) => addresses);
      this.isEmpty = found.length === 0;
      if (!this.isEmpty) this.#addresses = found;
      await delay(lag);
    }
  }
}
