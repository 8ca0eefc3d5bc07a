import { EventEmitter } from "node:events";
import { jest } from "@jest/globals";
import type { Diagnostic } from "../../../src/diagnostics/diagnostic.js";
import { EnvironmentError } from "../../../src/support/errors.js";

/** A thread that answers as health-thread.ts does: with why it can't listen, or undefined. */
class FakeThread extends EventEmitter {
  static readonly all: FakeThread[] = [];
  /** What threads answer from now on. */
  static problem: string | undefined;
  readonly got: { readonly name: string; readonly values: readonly unknown[] }[] = [];
  readonly data: unknown;
  ended = false;

  constructor(_url: URL, { workerData }: { readonly workerData: unknown }) {
    super();
    this.data = workerData;
    FakeThread.all.push(this);
    const { problem } = FakeThread;
    process.nextTick(() => this.emit("message", problem));
  }

  postMessage(message: (typeof this.got)[number]): void {
    this.got.push(message);
  }

  terminate(): Promise<number> {
    this.ended = true;
    return Promise.resolve(0);
  }

  /** What it was told, without the signs of life. */
  get events(): readonly (readonly unknown[])[] {
    return this.got
      .filter(({ name }) => name !== "alive")
      .map(({ name, values }) => [name, ...values]);
  }
}

const threads = await import("node:worker_threads");
jest.unstable_mockModule("node:worker_threads", () => ({ ...threads, Worker: FakeThread }));
const { isFailure, startRunHealth, runSummary } = await import("../../../src/health/run-health.js");

const DATA = {
  ...{ address: "127.0.0.1:1", names: [], folder: "/run", version: "1" },
  ...{ runFolder: "/run", statusPage: false },
  ...{ nginxVersion: undefined, startWithErrors: false, ingressNginx: undefined },
};

let failures: string[] = [];
const started: { close: () => Promise<void> }[] = [];
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate"] });
  FakeThread.all.length = 0;
  FakeThread.problem = undefined;
  failures = [];
});
afterEach(async () => {
  for (const health of started.splice(0)) await health.close();
  jest.useRealTimers();
});

async function start(data: Partial<typeof DATA> = {}) {
  const health = await startRunHealth({ ...DATA, ...data }, (reason) => failures.push(reason));
  started.push(health);
  return health;
}

function thread(position: number): FakeThread {
  const found = FakeThread.all.at(position);
  if (found === undefined) throw new Error(`there are ${String(FakeThread.all.length)} threads`);
  return found;
}

describe("the health thread", () => {
  it("gets what it needs, and every event", async () => {
    const { observe } = await start();
    observe("applying");
    observe("watchFailed", "Ingress");
    expect(thread(0).data).toEqual(DATA);
    expect(thread(0).events).toEqual([["applying"], ["watchFailed", "Ingress"]]);
  });

  it("gets signs of life with the metrics of the process, until it is closed", async () => {
    const { close } = await start();
    const beats = () => thread(0).got.filter(({ name }) => name === "alive");
    expect(beats()).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(beats()).toHaveLength(3);
    expect(String(beats()[0]?.values[0])).toContain("process_resident_memory_bytes");
    await close();
    expect(thread(0).ended).toBe(true);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(beats()).toHaveLength(3);
  });

  it("that can't listen is a problem of the environment, and is ended", async () => {
    FakeThread.problem = "the address is taken";
    await expect(start()).rejects.toThrow(new EnvironmentError("the address is taken"));
    expect(thread(0).ended).toBe(true);
  });

  it("is none without an address", async () => {
    const { observe, close } = await start({ address: "" });
    observe("applying");
    await close();
    expect(FakeThread.all).toEqual([]);
  });
});

describe("a health thread that fails", () => {
  const fail = (message: string): void => {
    thread(-1).emit("error", new Error(message));
  };

  it("is reported and replaced by one that hears the last of each event", async () => {
    const { observe } = await start();
    observe("applied", "swapped", {}, "v1");
    observe("watchFailed", "Ingress");
    observe("applied", "refused", {});
    observe("watchFailed", "Gateway");
    observe("applied", "swapped", {}, "v2");
    observe("leads", true);
    fail("out of memory");
    expect(failures).toEqual(["out of memory"]);
    await jest.advanceTimersByTimeAsync(1000);
    expect(FakeThread.all).toHaveLength(2);
    // Of each outcome, too: a refused change does not undo the one before.
    expect(thread(1).events).toEqual([
      ["watchFailed", "Ingress"],
      ["applied", "refused", {}],
      ["watchFailed", "Gateway"],
      ["applied", "swapped", {}, "v2"],
      ["leads", true],
    ]);
    observe("stop");
    expect(thread(1).events.at(-1)).toEqual(["stop"]);
    expect(thread(0).events).not.toContainEqual(["stop"]);
  });

  it("is replaced again and again, also if its address is taken meanwhile", async () => {
    await start();
    FakeThread.problem = "the address is taken";
    fail("a bug");
    await jest.advanceTimersByTimeAsync(2500);
    expect(failures).toEqual(["a bug", "the address is taken", "the address is taken"]);
    FakeThread.problem = undefined;
    await jest.advanceTimersByTimeAsync(1000);
    expect(FakeThread.all).toHaveLength(4);
    expect(failures).toHaveLength(3);
    fail("another bug");
    expect(failures.at(-1)).toBe("another bug");
  });

  it("is not replaced once it is closed", async () => {
    const { close } = await start();
    fail("a bug");
    await close();
    await jest.advanceTimersByTimeAsync(5000);
    expect(FakeThread.all).toHaveLength(1);
  });
});

test.each([
  ["refused", true],
  ["error", true],
  ["unchanged", false],
  ["started", false],
] as const)("whether the outcome %s is a failure: %s", (outcome, failure) => {
  expect(isFailure(outcome)).toBe(failure);
});

test("a summary has counts of diagnostics and bugs, and the expiry of each Secret", () => {
  const found = { message: "", hint: "" };
  const diagnostics: readonly Diagnostic[] = [
    { ...found, code: "FIELD_INVALID", severity: "error" },
    { ...found, code: "INTERNAL_ERROR", severity: "error" },
    { ...found, code: "FIELD_UNKNOWN", severity: "warning" },
  ];
  const use = (name: string, expires: number) => ({
    certificate: { secret: { namespace: "n", name }, expires },
  });
  const rest = { objects: new Map([["Ingress", 2]]), unreadable: ["a.yaml"] };
  const certificates = [use("a", 1), use("b", 2), use("a", 1)];
  expect(runSummary({ ...rest, diagnostics, certificates })).toEqual({
    ...rest,
    diagnostics: { error: 2, warning: 1, info: 0 },
    faulty: 1,
    expiries: new Map([
      ["n/a", 1],
      ["n/b", 2],
    ]),
  });
});
