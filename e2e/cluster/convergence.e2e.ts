/**
 * After any sequence of changes, late, lost and reordered messages, restarts and changes of served versions: two seconds after things
 * are quiet, every worker of every replica serves what a compilation of the API server's objects from scratch gives, and the objects'
 * statuses say so. It is the law of test/property/convergence.test.ts with a real API server, albc and nginx.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { setTimeout as pause } from "node:timers/promises";
import { parseArguments } from "../../src/cli/arguments.js";
import { runOptions } from "../../src/cli/run.js";
import { resolveSettings } from "../../src/cli/settings.js";
import { kindTable } from "../../src/input/kind-table.js";
import { type ApiCall, ApiError } from "../../src/kubernetes/api-client.js";
import { servedResources } from "../../src/kubernetes/cluster-watch.js";
import { type RawObject, apiVersionOf, listPath } from "../../src/kubernetes/raw-object.js";
import { type CompileOptions, DEFAULT_OPTIONS } from "../../src/model/options.js";
import { contentsOf } from "../../src/render/rendered-file.js";
import { type Held, POOL, compileAfresh, wrongStatuses } from "../../test/support/convergence.js";
import { fc, runs, timeoutOf } from "../../test/support/fast-check.js";
import { isServedByAll } from "../harness/control.js";
import { Scene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { type Manifest, Cluster } from "./cluster.js";
import { ControlPlane } from "./control-plane.js";
import { FaultyProxy } from "./faulty-proxy.js";
import { Pod } from "./pod.js";
import { randomNumbers } from "./random-numbers.js";

/** With v1 off at the end (22, 27) or meanwhile; those that find something are added. `ALBC_PROPERTY_SECONDS` searches on with new ones. */
const SEEDS = [2, 8, 22, 27];
const STEPS = 25;
/** Milliseconds. */
const QUIET = 2000;
/** Until the next look at the served versions. */
const DISCOVERY = 5000;
/** A lease of a replica that was killed ends after 15 s, and another one takes it; loaded machines start albc slowly. */
const HAND_OVER = { deadline: 90_000 };
/** What is due within five seconds otherwise, on a machine that does much else. */
const SLOW = { deadline: 30_000 };
/** A connection is given up that is silent for as long. */
const SILENCE = 20_000;
const NAMESPACE = "n";
const TABLE = kindTable(DEFAULT_OPTIONS.domains.group);
const ROUTES = "gateway.networking.k8s.io";
const BOTH = ["v1", "v1beta1"];
const VERSIONS = [["v1"], ["v1beta1"], BOTH];

const scene = new Scene();
let world: World;
beforeAll(async () => {
  world = await World.start();
}, 120_000);
afterAll(() => scene.close(), 60_000);

class World {
  readonly #cluster: Cluster;
  readonly #proxies: readonly FaultyProxy[];
  readonly #pods: readonly Pod[];
  #versions: readonly string[] = BOTH;
  #nextLook = 0;
  /** Milliseconds that compilations took since things became quiet, and how many of them a processor worked on them. */
  readonly #compiling = { passed: 0, worked: 0 };
  /** Statuses that others have overwritten; albc writes the same again less and less often. */
  readonly #overwritten = new Set<string>();
  #random: () => number = () => 0;

  private constructor(cluster: Cluster, proxies: readonly FaultyProxy[], pods: readonly Pod[]) {
    this.#cluster = cluster;
    this.#proxies = proxies;
    this.#pods = pods;
  }

  static async start(): Promise<World> {
    const plane = await scene.use(ControlPlane.start());
    const crds = `${process.env["CLUSTER_BIN"] ?? ""}/crd/standard`;
    plane.kubectl("apply", "--server-side", "-f", crds);
    plane.kubectl("apply", "--server-side", "-k", DEPLOYED_CRDS);
    execFileSync("ip", ["route", "replace", "local", "10.247.0.0/16", "dev", "lo"]);
    const cluster = await Cluster.open(plane.config);
    const { client } = cluster;
    await scene.use(Promise.resolve({ close: async () => client.close() }));
    await cluster.apply(namespaceOf(NAMESPACE));
    await waitFor("Gateway API is served", () => cluster.apply(CLASS));
    const proxies = await Promise.all([0, 1].map(() => scene.use(FaultyProxy.start(plane.config))));
    const pods = proxies.map(async ({ kubeconfig }, i) => {
      const flags = [
        ...["--namespaces", NAMESPACE, "--controller-name", DEFAULT_OPTIONS.controllerName],
        ...["--publish-address", `192.0.2.${String(i + 1)}`],
        ...["--gateway-addresses", `10.247.${String(i)}.0/29`],
      ];
      return scene.use(Pod.start({ namespace: cluster.namespace, kubeconfig, flags }));
    });
    return new World(cluster, proxies, await Promise.all(pods));
  }

  /** Things happen as the seed says, then it is quiet. */
  async live(seed: number): Promise<void> {
    this.#random = randomNumbers(seed);
    this.#overwritten.clear();
    await this.#serve(BOTH);
    for (const at of POOL.keys()) await this.#put(at, 0);
    for (const proxy of this.#proxies) proxy.misbehave(seed);
    for (let step = 0; step < STEPS; step += 1) await this.#step();
    for (const proxy of this.#proxies) proxy.isFaulty = false;
  }

  /** Everything is there, as none of the tests before has left it. */
  async begin(): Promise<void> {
    for (const proxy of this.#proxies) proxy.hold("");
    await this.#serve(BOTH);
    for (const at of POOL.keys()) await this.#put(at, 0);
    await this.expectConverged();
  }

  /** The answer to the first status write of an object comes when a change is served that was made after the write. */
  async changeBeforeAnswer(at: number): Promise<void> {
    await this.#remove(at);
    // Status is written in the version that albc watches, which need not be the one of the manifest yet.
    const [, end = ""] = this.#cluster.path(this.#manifest(at, 4)).split("/namespaces/");
    for (const proxy of this.#proxies) proxy.hold(`/namespaces/${end}/status`);
    await this.#put(at, 4);
    await waitFor("its status is written", () => this.#proxies.some(({ holds }) => holds));
    await this.#put(at, 5);
    const isServed = async () => (await this.#differences(false)).length === 0;
    await waitFor("the change is served", isServed, SLOW);
    for (const proxy of this.#proxies) proxy.hold("");
    // What is right before the answer has been read is to be right after it.
    await pause(QUIET);
  }

  /** A change of routes that are watched in another version than before. */
  async changeMoved(versions: readonly string[], state: number): Promise<void> {
    for (const { watched } of this.#proxies) watched.clear();
    await this.#serve(versions);
    const { kind, apiVersion } = this.#manifest(1, state);
    const path = `/apis/${apiVersion}/namespaces/${NAMESPACE}/${kind.toLowerCase()}s`;
    const isWatched = () => this.#proxies.every(({ watched }) => watched.has(path));
    await waitFor(`${path} is watched`, isWatched, SLOW);
    for (const at of [1, 2]) await this.#put(at, state);
  }

  /** Changes that the replicas can't hear of. */
  async changeUnheard(): Promise<void> {
    for (const proxy of this.#proxies) proxy.silence();
    for (const at of POOL.keys()) await this.#put(at, 5);
    await pause(QUIET);
    expect(await this.#differences()).not.toEqual([]);
  }

  /** Quiet begins when both are there and one leads, and the versions that are served have been looked at. */
  async expectConverged(recovery = 0): Promise<void> {
    await Promise.all(this.#pods.map(revive));
    const leads = () => this.#pods.some(({ controller }) => controller.leads);
    await waitFor("a replica leads", leads, HAND_OVER);
    const quiet = Math.max(performance.now(), this.#nextLook) + recovery;
    Object.assign(this.#compiling, { passed: 0, worked: 0 });
    // The API server may not serve a version yet that was just switched on.
    const look = () => this.#differences().catch((error: unknown) => [error]);
    const isInTime = () => performance.now() < quiet + QUIET * this.#slowness;
    let differences = await look();
    while (differences.length > 0 && isInTime()) {
      await pause(50);
      differences = await look();
    }
    const took = Math.max(0, performance.now() - quiet).toFixed(0);
    const allowed = (QUIET * this.#slowness).toFixed(0);
    process.stderr.write(
      `converged: ${String(differences.length === 0)} after ${took} of ${allowed} ms ${JSON.stringify(differences).slice(0, 500)}\n`,
    );
    expect(differences).toEqual([]);
  }

  /** How much longer computing takes than on a machine that does nothing else. */
  get #slowness(): number {
    const { passed, worked } = this.#compiling;
    return Math.max(1, passed / worked || 1);
  }

  // ---- What happens ----

  async #step(): Promise<void> {
    const at = this.#below(POOL.length * 2) % (this.#below(2) === 0 ? 3 : POOL.length);
    const steps: readonly (readonly [number, () => Promise<void>])[] = [
      [8, () => this.#put(at, this.#below(12))],
      [4, () => this.#burst(at)],
      [3, () => this.#remove(at)],
      [4, () => pause(25 * 2 ** this.#below(6))],
      [2, () => this.#overwrite(at)],
      [1, () => this.#cut()],
      [3, () => this.#serve(VERSIONS[this.#below(VERSIONS.length)] ?? [])],
      [1, () => this.#restart()],
      [0.5, () => this.#replaceNamespace()],
    ];
    let left = this.#random() * steps.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, take] of steps) {
      left -= weight;
      if (left < 0) return take();
    }
  }

  #below(most: number): number {
    return Math.floor(this.#random() * most);
  }

  /** A version that was just switched on is not served at once. */
  async #put(at: number, state: number): Promise<void> {
    await waitFor("it is applied", async () => this.#cluster.apply(this.#manifest(at, state)));
  }

  /** Gone and there again, or changed again, while what was said of it is under way. */
  async #burst(at: number): Promise<void> {
    if (this.#below(2) === 0) await this.#remove(at);
    for (let more = this.#below(4); more >= 0; more -= 1) {
      await this.#put(at, this.#below(12));
      await pause(this.#below(150));
    }
  }

  async #remove(at: number): Promise<void> {
    await this.#cluster.remove(this.#manifest(at, 0)).catch(unlessGone);
  }

  async #overwrite(at: number): Promise<void> {
    const object = this.#manifest(at, 0);
    const status = OTHERS[object.kind];
    const path = `${this.#cluster.path(object)}/status`;
    if (status === undefined || this.#overwritten.has(path)) return;
    this.#overwritten.add(path);
    await this.#call({ method: "PATCH", path, body: { status } }).catch(unlessGone);
  }

  #cut(): Promise<void> {
    this.#proxies[this.#below(2)]?.cut();
    return Promise.resolve();
  }

  async #serve(versions: readonly string[]): Promise<void> {
    if (versions.join() === this.#versions.join()) return;
    this.#versions = versions;
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/httproutes.${ROUTES}`;
    const { spec } = (await this.#call({ path })) as Definition;
    const changed = spec.versions.map((each) => ({
      ...each,
      served: versions.includes(each.name),
    }));
    await this.#call({ method: "PATCH", path, body: { spec: { versions: changed } } });
    this.#nextLook = performance.now() + DISCOVERY;
  }

  /** The other replica leads meanwhile: at once, or when the lease ends. */
  async #restart(): Promise<void> {
    const pod = this.#pods[this.#below(2)];
    if (pod === undefined) return;
    pod.controller.signal(this.#below(4) === 0 ? "SIGKILL" : "SIGTERM");
    await pod.controller.exit();
    pod.startController();
  }

  /** What Kubernetes' namespace controller does; none runs here. */
  async #replaceNamespace(): Promise<void> {
    const { metadata } = namespaceOf(NAMESPACE);
    const path = this.#cluster.path(namespaceOf(NAMESPACE));
    await this.#call({ method: "DELETE", path });
    for (const resource of await this.#resources()) {
      if (!resource.namespaced) continue;
      await pause(this.#below(50));
      const all = listPath(resource, NAMESPACE);
      await this.#call({ method: "DELETE", path: all }).catch(unlessGone);
    }
    await this.#call({ method: "DELETE", path: `${path}/events` });
    const body = { apiVersion: "v1", kind: "Namespace", metadata, spec: { finalizers: [] } };
    await this.#call({ method: "PUT", path: `${path}/finalize`, body });
    await waitFor("the namespace is there again", () =>
      this.#cluster.apply(namespaceOf(NAMESPACE)),
    );
    for (const at of POOL.keys()) await this.#put(at, this.#below(12));
  }

  // ---- What is expected ----

  async #differences(isSaid = true): Promise<readonly unknown[]> {
    const held = await this.#held();
    const all = this.#pods.map(async (pod) => {
      const options = await optionsOf(pod);
      const fresh = this.#compile(held, options);
      const policy = fresh.files.find(({ path }) => path === "policy.json");
      const { version } = JSON.parse(policy ? contentsOf(policy) : "{}") as { version?: string };
      const status = await pod.status();
      return [
        ...(isServedByAll(status) && status.version === version ? [] : [{ status, version }]),
        ...(isSaid && pod.controller.leads ? wrongStatuses(held, fresh, options) : []),
      ];
    });
    return (await Promise.all(all)).flat();
  }

  #compile(held: readonly Held[], options: CompileOptions) {
    const [began, before] = [performance.now(), process.cpuUsage()];
    const fresh = compileAfresh(held, options);
    const { user, system } = process.cpuUsage(before);
    this.#compiling.passed += performance.now() - began;
    this.#compiling.worked += (user + system) / 1000;
    return fresh;
  }

  async #held(): Promise<readonly Held[]> {
    const lists = (await this.#resources()).map(async (resource) => {
      const scope = resource.namespaced ? NAMESPACE : "";
      const { items } = (await this.#call({ path: listPath(resource, scope) })) as List;
      const apiVersion = apiVersionOf(resource);
      return items.map((object) => ({ kind: resource.kind, apiVersion, object }));
    });
    return (await Promise.all(lists)).flat();
  }

  #resources() {
    return servedResources(this.#cluster.client, TABLE);
  }

  #call(call: ApiCall): Promise<unknown> {
    return this.#cluster.client.call(call);
  }

  #manifest(at: number, state: number): Manifest {
    const [kind, make] = POOL[at] ?? POOL[0];
    const { group, versions } = TABLE[kind];
    const version = (kind === "HTTPRoute" ? this.#versions[0] : versions[0]) ?? "";
    const apiVersion = apiVersionOf({ group, version });
    return { ...make(state), apiVersion, kind };
  }
}

const DEPLOYED_CRDS = fileURLToPath(new URL("../../deploy/crds", import.meta.url));

const CLASS = {
  apiVersion: `${ROUTES}/v1`,
  kind: "GatewayClass",
  metadata: { name: "c" },
  spec: { controllerName: DEFAULT_OPTIONS.controllerName },
};

/** What another controller writes, by kind. */
const OTHERS: Readonly<Record<string, object>> = {
  Ingress: { loadBalancer: { ingress: [{ ip: "192.0.2.9" }] } },
  HTTPRoute: { parents: [] },
  Gateway: { conditions: [], listeners: [] },
};

interface Definition {
  readonly spec: { readonly versions: readonly { readonly name: string }[] };
}

interface List {
  readonly items: readonly RawObject[];
}

function namespaceOf(name: string): Manifest {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
}

/** One that begins while it can't ask the API server ends, and is started again in a pod. */
async function revive(pod: Pod): Promise<void> {
  await waitFor(
    "the pod is ready",
    async () => {
      if (pod.controller.ended !== undefined) pod.startController();
      return (await pod.health.ask("/readyz")) === "200 ok";
    },
    HAND_OVER,
  );
}

/** Those that albc has from the same words. */
async function optionsOf({ words }: Pod): Promise<CompileOptions> {
  const unexpected = (text: string): never => {
    throw new Error(text);
  };
  const context = { version: "", write: unexpected, writeError: unexpected };
  const call = parseArguments(words, context);
  if (call.command !== "run") return unexpected(call.command);
  const settings = resolveSettings({ flags: call.flags, variables: {} });
  return { ...(await runOptions({ call, settings, binary: undefined })), secretNamespaces: ["*"] };
}

test(
  "two seconds after things are quiet, what is written is served, and said",
  () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 1 }), async (seed) => {
        await world.live(seed);
        await world.expectConverged();
      }),
      { ...runs(SEEDS.length), examples: SEEDS.map((seed) => [seed]), endOnFailure: true },
    ),
  timeoutOf(240_000),
);

test("late answers to status writes undo nothing", async () => {
  await world.begin();
  // An Ingress that gets auth, and two routes.
  for (const at of [0, 1, 2]) {
    await world.changeBeforeAnswer(at);
    await world.expectConverged();
  }
}, 240_000);

test("objects are followed in the version that is served", async () => {
  await world.begin();
  for (const [state, versions] of [["v1beta1"], BOTH].entries()) {
    await world.changeMoved(versions, state + 4);
    await world.expectConverged();
  }
}, 240_000);

test("connections that are open and silent are given up", async () => {
  await world.changeUnheard();
  await world.expectConverged(SILENCE);
}, 120_000);
