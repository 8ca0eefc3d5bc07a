/**
 * After any sequence of changes, late, lost and reordered messages, restarts and changes of served versions: once things are quiet, a
 * replica serves what a compilation of the API server's objects from scratch gives, and the objects' statuses say so. The scheduler
 * decides which message of which connection gets through next, and time is the test's.
 */
import { jest } from "@jest/globals";
import type { KindName } from "../../src/api/kinds.js";
import { ClusterSource } from "../../src/controller/cluster-source.js";
import { Controller } from "../../src/controller/controller.js";
import { apiVersionOf } from "../../src/kubernetes/raw-object.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { type RenderedFile, contentsOf } from "../../src/render/rendered-file.js";
import { ApiServerModel, TABLE } from "../support/api-server-model.js";
import { compileAfresh, POOL, wrongStatuses } from "../support/convergence.js";
import { fc, runs, timeoutOf } from "../support/fast-check.js";
import { NetworkModel } from "../support/network-model.js";

const KINDS: readonly KindName[] = [
  ...(["GatewayClass", "Gateway", "HTTPRoute", "Ingress"] as const),
  ...(["Service", "EndpointSlice", "Secret", "Namespace", "AuthPolicy"] as const),
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

/** One albc. */
class Replica {
  readonly network: NetworkModel;
  readonly #server: ApiServerModel;
  readonly #identity: string;
  #controller: Controller | undefined;
  #isKilled = false;
  files: readonly RenderedFile[] = [];

  constructor(scheduler: fc.Scheduler, server: ApiServerModel, identity: string) {
    this.network = new NetworkModel(scheduler, server);
    this.#server = server;
    this.#identity = identity;
    void this.#run();
  }

  async #run(): Promise<void> {
    const common = { options: OPTIONS, log: SILENT_LOG, observe: () => undefined };
    const source = new ClusterSource({
      client: this.#server.client(this.network),
      scope: { namespaces: [], secretNamespaces: ["*"], labelSelector: "", backendSelector: "" },
      replica: { namespace: "albc", identity: this.#identity },
      ...common,
    });
    const controller = new Controller(source, {
      ...common,
      fixedFiles: [],
      apply: (files) => {
        this.files = files;
        return Promise.resolve({ kind: "swapped", version: "1" });
      },
    });
    this.#controller = controller;
    await controller.start();
    if (!this.#isKilled) controller.open();
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
    const [kind, make] = POOL[at % POOL.length] ?? POOL[0];
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
      // Everything gets through for a while: what is said of a change comes back.
      rest: () => this.settle(50 * (1 + (state % 4))),
      wait: () => jest.advanceTimersByTimeAsync(25 * 2 ** (at % 7)),
      serve: () => {
        this.server.serve("HTTPRoute", VERSIONS[at % VERSIONS.length] ?? []);
      },
      cut: () => {
        network.cut();
      },
      keep: () => {
        network.keepAnswers(state % 3 > 0);
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
      backUp: () => {
        this.server.backUp();
      },
      restore: () => {
        this.server.restore();
        network.cut();
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
    const held = this.server.objects.map(({ kind, object }) => {
      const { group, versions } = TABLE[kind];
      const version = versions.find((each) => this.server.serves(kind, each)) ?? "";
      return { kind, apiVersion: apiVersionOf({ group, version }), object };
    });
    const fresh = compileAfresh(held, OPTIONS);
    expect(policyOf(this.replica.files)).toEqual(policyOf(fresh.files));
    expect(wrongStatuses(held, fresh, OPTIONS)).toEqual([]);
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

const CHANGES = [
  ...["put", "put", "put", "delete", "pass", "pass", "pass", "wait", "wait", "rest"],
  ...["rest", "keep"],
];

/** The law: after the steps, and as much quiet, everything is as it should be. */
function converges(words: readonly string[], quiet: readonly number[]) {
  return converge(script(...words), quiet);
}

function converge(scripts: fc.Arbitrary<readonly Step[]>, quiet: readonly number[]) {
  return fc.asyncProperty(fc.scheduler(), scripts, (scheduler, steps) => {
    underWay = run(new World(scheduler), steps, quiet);
    return underWay;
  });
}

async function run(world: World, steps: readonly Step[], quiet: readonly number[]): Promise<void> {
  try {
    await world.begin();
    for (const step of steps) await world.take(step);
    world.replica.network.keepAnswers(false);
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

test(
  "an API server that is put back to an older state is recovered from",
  () => {
    const changes = script(...CHANGES, "overwrite", "kill");
    // Of the Secret, which has no status, both states have the same version.
    const lost = fc.oneof(
      changes,
      fc.constant<Step[]>([
        ["put", 6, 1],
        ["rest", 0, 3],
      ]),
    );
    const after = fc.oneof(changes, fc.constant<Step[]>([["put", 6, 2]]));
    const scripts = fc
      .tuple(changes, lost, after)
      .map((parts): Step[] => [
        ...parts[0],
        ["backUp", 0, 0],
        ...parts[1],
        ["restore", 0, 0],
        ...parts[2],
      ]);
    return fc.assert(converge(scripts, [RECOVERY]), runs(15));
  },
  timeoutOf(60_000),
);

test("an answer to a status write that comes after a later change undoes nothing", () => {
  const scripts = fc.constantFrom(0, 1, 2).map((at): Step[] => [
    ["delete", at, 0],
    ["rest", at, 3],
    ["keep", at, 1],
    ["put", at, 4],
    ["rest", at, 3],
    ["put", at, 5],
    ["rest", at, 3],
  ]);
  return fc.assert(converge(scripts, [QUIET]), { numRuns: 10 });
});

test("a version that is off only between two looks at what is served costs no status", () => {
  const steps: Step[] = [
    ["serve", 1, 0],
    ["rest", 0, 0],
    ["serve", 0, 0],
  ];
  return fc.assert(converge(fc.constant(steps), [DISCOVERY + QUIET]), { numRuns: 5 });
});

test("a status that could not be written in one version is written in the next at once", () => {
  // The look at what is served is between two tries, of which each pause is twice the one before.
  const steps: Step[] = [
    ["wait", 6, 0],
    ["wait", 3, 0],
    ["serve", 1, 0],
    ["put", 1, 1],
  ];
  return fc.assert(converge(fc.constant(steps), [DISCOVERY + QUIET - 1800]), { numRuns: 5 });
});

test("an object that is created again and again is no status that others overwrite", () => {
  const again: Step[] = [
    ["delete", 1, 1],
    ["put", 1, 1],
    ["rest", 0, 3],
  ];
  const steps = Array.from({ length: 45 }, () => again).flat();
  return fc.assert(converge(fc.constant(steps), [QUIET]), { numRuns: 2 });
});

test("a status that is overwritten while ours comes back is written again", () => {
  const steps: Step[] = [
    ["cut", 0, 1],
    ["rest", 0, 5],
    ["overwrite", 7, 8],
  ];
  return fc.assert(converge(fc.constant(steps), [RECOVERY]), { numRuns: 30 });
});
