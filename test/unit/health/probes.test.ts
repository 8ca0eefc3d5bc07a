import { Probes } from "../../../src/health/probes.js";
import type { DataPlaneStatus } from "../../../src/output/control-client.js";

function serving(...versions: readonly string[]): DataPlaneStatus {
  const workers = versions.map((version, index) => ({ pid: index + 1, generation: 1, version }));
  return { version: versions[0] ?? "", expected: 2, workers };
}

function create(startWithErrors = false): {
  probes: Probes;
  say: (answer: DataPlaneStatus | undefined) => void;
  pass: (milliseconds: number) => void;
} {
  let status: DataPlaneStatus | undefined;
  let now = 0;
  const probes = new Probes(
    () => (status ? Promise.resolve(status) : Promise.reject(new Error("away"))),
    { startWithErrors, now: () => now },
  );
  return { probes, say: (answer) => (status = answer), pass: (time) => (now += time) };
}

describe("readiness", () => {
  test("begins when every worker serves the first configuration", async () => {
    const { probes, say } = create();
    expect(await probes.reluctance()).toBe("no configuration is applied yet");
    probes.watchFailed("Ingress");
    expect(await probes.reluctance()).toBe(
      "no configuration is applied yet: the API server can't be asked for objects of Ingress",
    );
    probes.applying();
    say(serving("a", "a"));
    expect(await probes.reluctance()).toBe("no configuration is applied yet");
    probes.applied("reloaded", {}, "b");
    expect(await probes.reluctance()).toMatch("not every nginx worker serves");
    say(serving("b", "a"));
    expect(await probes.reluctance()).toMatch("not every nginx worker serves");
    say(serving("b"));
    expect(await probes.reluctance()).toBe("1 of 2 nginx workers serve");
    say(serving("b", "b"));
    expect(await probes.reluctance()).toBeUndefined();
  });

  test("goes on while later configurations come, one that fails among them", async () => {
    const { probes, say } = create();
    probes.applied("reloaded", {}, "a");
    say(serving("a", "a"));
    expect(await probes.reluctance()).toBeUndefined();
    probes.applying();
    say(serving("b", "a"));
    expect(await probes.reluctance()).toBeUndefined();
    probes.applied("error", {});
    expect(await probes.reluctance()).toBeUndefined();
  });

  test("waits while nginx refuses what the objects give at the start", async () => {
    const { probes, say } = create();
    probes.servesNothing();
    probes.applied("refused", {}, "a");
    say(serving("a", "a"));
    expect(await probes.reluctance()).toMatch("nothing is served");
    probes.applied("reloaded", {}, "a");
    expect(await probes.reluctance()).toBeUndefined();
  });

  test("waits until no file is left that was never read and what they hold is served", async () => {
    const { probes, say } = create();
    say(serving("a", "a"));
    const unreadable = Array.from({ length: 12 }, (_, i) => `${String(i)}.yaml`);
    probes.compiled({ unreadable, faulty: 0 });
    probes.applied("reloaded", {}, "a");
    const named = "0.yaml, 1.yaml, 2.yaml, 3.yaml, 4.yaml, 5.yaml, 6.yaml, 7.yaml, 8.yaml, 9.yaml";
    expect(await probes.reluctance()).toBe(`files that can't be read: ${named} and 2 more`);
    probes.compiled({ unreadable: ["a\nok.yaml"], faulty: 0 });
    probes.applied("reloaded", {}, "a");
    expect(await probes.reluctance()).toBe("files that can't be read: a?ok.yaml");
    probes.compiled({ unreadable: [], faulty: 0 });
    expect(await probes.reluctance()).toMatch("files that can't be read");
    probes.applied("error", {});
    expect(await probes.reluctance()).toMatch("files that can't be read");
    probes.applied("reloaded", {}, "a");
    expect(await probes.reluctance()).toBeUndefined();
    expect(probes.remark()).toBe("");
  });

  test("only remarks such files where it may start with errors, and objects that a bug closed", async () => {
    const { probes, say } = create(true);
    say(serving("a", "a"));
    probes.compiled({ unreadable: ["a.yaml"], faulty: 2 });
    probes.applied("reloaded", {}, "a");
    expect(await probes.reluctance()).toBeUndefined();
    expect(probes.remark()).toBe(
      "objects that answer 503 because of a bug of albc (INTERNAL_ERROR): 2\nfiles that can't be read: a.yaml\n",
    );
  });

  test("ends while nginx does not answer, and for good when the end was asked for", async () => {
    const { probes, say } = create();
    probes.applied("reloaded", {}, "a");
    say(serving("a", "a"));
    expect(await probes.reluctance()).toBeUndefined();
    say(undefined);
    expect(await probes.reluctance()).toBe("nginx does not answer");
    say(serving("a", "a"));
    expect(await probes.reluctance()).toBeUndefined();
    probes.stop();
    expect(await probes.reluctance()).toBe("stopping");
  });

  test("an answer that was asked for before the end is none", async () => {
    const { probes, say } = create();
    probes.applied("reloaded", {}, "a");
    say(serving("a", "a"));
    const asked = probes.reluctance();
    probes.stop();
    expect(await asked).toBe("stopping");
  });
});

test("a run in which applying hangs is to be started again", () => {
  const { probes, pass } = create();
  expect(probes.problem()).toBeUndefined();
  probes.applying();
  pass(299_000);
  expect(probes.problem()).toBeUndefined();
  pass(2000);
  probes.alive();
  expect(probes.problem()).toMatch("a configuration is being applied for more than five minutes");
  probes.applied("error", {});
  expect(probes.problem()).toBeUndefined();
});

test("so is one whose main thread hangs", () => {
  const { probes, pass } = create();
  pass(200_000);
  probes.alive();
  pass(299_000);
  expect(probes.problem()).toBeUndefined();
  pass(2000);
  expect(probes.problem()).toMatch("the main thread");
  probes.alive();
  expect(probes.problem()).toBeUndefined();
});
