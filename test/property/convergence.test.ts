/**
 * After any sequence of changes, late, lost and reordered messages, restarts and changes of served versions: once things are quiet, a
 * replica serves what a compilation of the API server's objects from scratch gives, and the objects' statuses say so. The scheduler
 * decides which message of which connection gets through next, and time is the test's.
 */
import { jest } from "@jest/globals";
import type { KindName } from "../../src/api/kinds.js";
import { compile } from "../../src/compile.js";
import type { Compilation } from "../../src/compile.js";
import { KubernetesController } from "../../src/controller/kubernetes-controller.js";
import { NOBODY } from "../../src/controller/observer.js";
import { LiveObjects } from "../../src/input/live-objects.js";
import { trimmed } from "../../src/kubernetes/raw-object.js";
import type { RawObject } from "../../src/kubernetes/raw-object.js";
import { DEFAULT_OPTIONS } from "../../src/options.js";
import { contentsOf } from "../../src/render/rendered-file.js";
import type { RenderedFile } from "../../src/render/rendered-file.js";
import { mergeStatus } from "../../src/status/merge-status.js";
import { ApiServerModel, TABLE } from "../support/api-server-model.js";
import { fc, runs, timeoutOf } from "../support/fast-check.js";
import { NetworkModel } from "../support/network-model.js";

const KINDS: readonly KindName[] = [
  ...(["GatewayClass", "Gateway", "HTTPRoute", "Ingress"] as const),
  ...(["Service", "EndpointSlice", "Secret", "Namespace"] as const),
];
const VERSIONS = [["v1"], ["v1beta1"], ["v1", "v1beta1"]];
/** Milliseconds. */
const QUIET = 2000;
/** Until the next look at the served versions has been acted on. */
const DISCOVERY = 5000;
/** The longest pauses before something is tried again: a watch 15 s, a silent connection 20 s, a lease 15 s, a status 30 s. */
const RECOVERY = 90_000;
/** Ingresses have a status with it. */
const OPTIONS = { ...DEFAULT_OPTIONS, publishAddress: ["192.0.2.1"] };
const SILENT_LOG = { debug: () => 0, info: () => 0, warn: () => 0, error: () => 0 };

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate"] });
  jest.spyOn(Math, "random").mockReturnValue(0.5);
});
let underWay: Promise<void> = Promise.resolve();
afterEach(async () => {
  // A search that is interrupted is in the middle of a run.
  await underWay.catch(() => undefined);
  jest.useRealTimers();
});

/** Objects that refer to each other, each with some states. */
const POOL: readonly (readonly [KindName, (state: number) => RawObject])[] = [
  ["Ingress", (state) => ingress("shop", state)],
  ["HTTPRoute", (state) => route("api", state)],
  ["HTTPRoute", (state) => route("web", state)],
  ["Gateway", (state) => gateway(state)],
  ["Service", (state) => service(state)],
  ["EndpointSlice", (state) => slice(state)],
  ["Secret", (state) => secret(state)],
];

const AUTH = {
  "nginx.ingress.kubernetes.io/auth-type": "basic",
  "nginx.ingress.kubernetes.io/auth-secret": "users",
};

function ingress(name: string, state: number): RawObject {
  const path = { path: `/${String(state % 3)}`, pathType: "Prefix", backend: backend() };
  return {
    metadata: { name, namespace: "n", ...(state % 2 === 1 && { annotations: AUTH }) },
    spec: { rules: [{ host: `${name}.example`, http: { paths: [path] } }] },
  };
}

function backend() {
  return { service: { name: "web", port: { number: 80 } } };
}

function route(name: string, state: number): RawObject {
  return {
    metadata: { name, namespace: "n", annotations: { touched: String(state % 2) } },
    spec: {
      parentRefs: [{ name: state % 4 === 3 ? "none" : "edge" }],
      hostnames: [`${name}${String(state % 3)}.example`],
      rules: [{ backendRefs: [{ name: "web", port: 80 }] }],
    },
  };
}

function gateway(state: number): RawObject {
  const listeners = [{ name: "a", protocol: "HTTP", port: 8080 + (state % 2) }];
  return {
    metadata: { name: "edge", namespace: "n" },
    spec: { gatewayClassName: "c", listeners },
  };
}

function service(state: number): RawObject {
  const ports = [{ name: state % 2 === 0 ? "http" : "web", port: 80, targetPort: 80 }];
  return { metadata: { name: "web", namespace: "n" }, spec: { ports } };
}

function slice(state: number): RawObject {
  const labels = { "kubernetes.io/service-name": "web" };
  return {
    metadata: { name: "web-1", namespace: "n", labels },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8000 }],
    endpoints: [{ addresses: [`10.0.0.${String((state % 4) + 1)}`] }],
  };
}

function secret(state: number): RawObject {
  const hash = `x:$apr1$abcdefgh$${"./0".repeat(6)}${String(state % 3)}abc`;
  const data = { auth: Buffer.from(hash).toString("base64") };
  return { metadata: { name: "users", namespace: "n" }, type: "Opaque", data };
}

/** One albc, which is started again when it ends because nothing can be asked, as a pod is. */
class Replica {
  readonly network: NetworkModel;
  readonly #server: ApiServerModel;
  readonly #identity: string;
  #controller: KubernetesController | undefined;
  #isKilled = false;
  files: readonly RenderedFile[] = [];

  constructor(scheduler: fc.Scheduler, server: ApiServerModel, identity: string) {
    this.network = new NetworkModel(scheduler, server);
    this.#server = server;
    this.#identity = identity;
    void this.#run();
  }

  async #run(): Promise<void> {
    const controller = new KubernetesController({
      client: this.#server.client(this.network),
      options: OPTIONS,
      scope: { namespaces: [], secretNamespaces: ["*"], labelSelector: "" },
      replica: { namespace: "albc", identity: this.#identity },
      log: SILENT_LOG,
      observer: NOBODY,
      fixedFiles: [],
      apply: (files) => {
        this.files = files;
        return Promise.resolve({ kind: "swapped", version: "1" });
      },
    });
    this.#controller = controller;
    const isStarted = await controller.start().then(
      () => true,
      () => false,
    );
    if (this.#isKilled) return;
    if (isStarted) {
      controller.open();
    } else {
      void controller.close();
      setTimeout(() => void this.#run(), 1000);
    }
  }

  /** Without another word to the API server. */
  kill(): void {
    this.#isKilled = true;
    this.network.down(true);
    void this.#controller?.close();
  }
}

type Step = readonly [what: string, at: number, state: number];

class World {
  readonly server = new ApiServerModel(KINDS);
  readonly #scheduler: fc.Scheduler;
  replica: Replica;
  #starts = 0;

  constructor(scheduler: fc.Scheduler) {
    this.#scheduler = scheduler;
    const spec = { controllerName: DEFAULT_OPTIONS.controllerName };
    this.server.put("GatewayClass", { metadata: { name: "c" }, spec });
    this.server.put("Namespace", { metadata: { name: "n" } });
    for (const [kind, make] of POOL) this.server.put(kind, make(0));
    this.replica = this.#start();
  }

  #start(): Replica {
    return new Replica(this.#scheduler, this.server, `replica-${String((this.#starts += 1))}`);
  }

  /** The replica knows everything, and its first statuses are on their way. */
  async begin(): Promise<void> {
    await this.#pass(Infinity);
    await jest.advanceTimersByTimeAsync(60);
  }

  /** Nothing of it is left for the next. */
  async close(): Promise<void> {
    this.replica.kill();
    await this.settle(100);
  }

  async take([what, at, state]: Step): Promise<void> {
    const [kind, make] = POOL[at % POOL.length] ?? ["Service", service];
    const { namespace = "", name } = make(state).metadata;
    const { network } = this.replica;
    const steps: Readonly<Record<string, () => void | Promise<void>>> = {
      put: () => {
        this.server.put(kind, make(state));
      },
      delete: () => {
        this.server.delete(kind, namespace, name);
      },
      overwrite: () => {
        this.server.putStatus(kind, namespace, name, OTHERS);
      },
      pass: () => this.#pass(1 + (state % 4)),
      wait: () => jest.advanceTimersByTimeAsync(25 * 2 ** (at % 7)),
      serve: () => {
        this.server.serve("HTTPRoute", VERSIONS[at % VERSIONS.length] ?? []);
      },
      cut: () => {
        network.cut();
      },
      lose: () => {
        network.loseAnswers(1 + (at % 3));
      },
      silence: () => {
        network.silence();
      },
      compact: () => {
        this.server.compact();
      },
      kill: () => {
        this.replica.kill();
        this.replica = this.#start();
      },
    };
    await steps[what]?.();
  }

  /** Everything gets through in this time, in the scheduler's order. */
  async settle(milliseconds: number): Promise<void> {
    const step = 50;
    for (let passed = 0; passed < milliseconds; passed += step) {
      await this.#pass(Infinity);
      await jest.advanceTimersByTimeAsync(step);
    }
    await this.#pass(Infinity);
  }

  async #pass(most: number): Promise<void> {
    for (let passed = 0; passed < most; passed += 1) {
      if (this.#scheduler.count() === 0) await turn();
      if (this.#scheduler.count() === 0) return;
      if (passed > MOST_MESSAGES) throw new Error("messages never end");
      await this.#scheduler.waitNext(1);
    }
  }

  expectConverged(): void {
    const fresh = this.#compile();
    expect(policyOf(this.replica.files)).toEqual(policyOf(fresh.files));
    const { controllerName } = DEFAULT_OPTIONS;
    for (const status of fresh.statuses) {
      const { namespace, name } = status.metadata;
      const object = this.server.get(status.kind as KindName, namespace, name);
      const missing = mergeStatus(object?.status, status, { controllerName, now: "now" });
      expect([status.kind, name, missing && object?.status]).toEqual([
        status.kind,
        name,
        undefined,
      ]);
    }
  }

  #compile(): Compilation {
    const live = new LiveObjects({ albGroup: DEFAULT_OPTIONS.domains.group });
    for (const { kind, object } of this.server.objects) {
      const { namespace = "", name } = object.metadata;
      const { group, versions } = TABLE[kind];
      const version = versions.find((each) => this.server.serves(kind, each)) ?? "";
      const apiVersion = group === "" ? version : `${group}/${version}`;
      live.put(kind, namespace, name, trimmed(object, apiVersion, kind));
    }
    return compile(live.snapshot().resources, OPTIONS);
  }
}

/** What another controller writes. */
const OTHERS = { loadBalancer: { ingress: [{ ip: "192.0.2.9" }] } };
const MOST_MESSAGES = 5000;

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Its lines; nginx.conf and everything else goes into the version that is among them. */
function policyOf(files: readonly RenderedFile[]): readonly string[] {
  const policy = files.find(({ path }) => path === "policy.json");
  return policy === undefined ? [] : contentsOf(policy).split("\n");
}

function script(...words: readonly string[]): fc.Arbitrary<readonly Step[]> {
  const at = fc.nat(POOL.length * 3 - 1).map((n) => (n < POOL.length * 2 ? n % 3 : n));
  const step = fc.tuple(fc.constantFrom(...words), at, fc.nat(11));
  return fc.array(step, { maxLength: 40 });
}

const CHANGES = ["put", "put", "put", "delete", "pass", "pass", "pass", "wait", "wait"];

/** The law: after the steps, and as much quiet, everything is as it should be. */
function converges(words: readonly string[], quiet: readonly number[]) {
  return fc.asyncProperty(fc.scheduler(), script(...words), (scheduler, steps) => {
    underWay = run(new World(scheduler), steps, quiet);
    return underWay;
  });
}

async function run(world: World, steps: readonly Step[], quiet: readonly number[]): Promise<void> {
  try {
    await world.begin();
    for (const step of steps) await world.take(step);
    for (const milliseconds of quiet) {
      await world.settle(milliseconds);
      world.expectConverged();
    }
  } finally {
    await world.close();
    jest.clearAllTimers();
  }
}

const FAULTS = ["cut", "lose", "silence", "compact", "kill"];

test(
  "however late messages are, two seconds of quiet are enough",
  () => fc.assert(converges(CHANGES, [QUIET]), runs(100)),
  timeoutOf(60_000),
);

// The last look is later than a kind that is missing is forgotten.
test(
  "when the served versions of a kind change, its objects stay",
  () => fc.assert(converges([...CHANGES, "serve"], [DISCOVERY + QUIET, RECOVERY]), runs(15)),
  timeoutOf(60_000),
);

test(
  "lost connections and answers, expired histories, and restarts are recovered from",
  () => fc.assert(converges([...CHANGES, "overwrite", "serve", ...FAULTS], [RECOVERY]), runs(15)),
  timeoutOf(60_000),
);
