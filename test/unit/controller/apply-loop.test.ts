import { ApplyLoop } from "../../../src/controller/apply-loop.js";
import type { Applied } from "../../../src/output/apply.js";
import { NginxRefused } from "../../../src/output/reloader.js";
import type { ChangeCause } from "../../../src/output/recent-changes.js";

const { jest } = import.meta;

const silent = { debug: () => undefined, info: () => undefined };

/** A loop whose applies end as told, the last one again and again; and what it said and did. */
function loopOf(...results: readonly (Partial<Applied> | Error)[]) {
  const more: { held?: number | undefined; refused?: () => boolean } = {};
  const expiries: number[] = [];
  const warnings: string[] = [];
  const errors: string[] = [];
  const served = jest.fn();
  const causes: ChangeCause[] = [];
  let turns = 0;
  const loop = new ApplyLoop({
    log: {
      ...silent,
      warn: (_: object, message: string) => warnings.push(message),
      error: (_: object, message: string) => errors.push(message),
    },
    observe: () => undefined,
    changes: { record: () => undefined, because: (cause) => void causes.push(cause) },
    compile: async () => ({ files: [], served, expiries, ...more }),
    apply: async () => {
      const result = results[Math.min(turns, results.length - 1)] ?? {};
      turns += 1;
      if (result instanceof Error) throw result;
      return { kind: "swapped", version: "v", ...result };
    },
    quietDelay: 1,
    maximumDelay: 1,
  });
  return { loop, more, served, expiries, causes, warnings, errors, turns: () => turns };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test("it compiles again when a certificate expires, though nothing has changed", async () => {
  const { loop, expiries, causes, turns } = loopOf({ kind: "swapped" });
  expiries.push(Date.now() - 1, Date.now() + 3_600_000);
  await loop.refresh();
  loop.open();
  await jest.advanceTimersByTimeAsync(3_500_000);
  expect(turns()).toBe(1);
  expect(causes).toEqual([]);
  await jest.advanceTimersByTimeAsync(200_000);
  expect(turns()).toBe(2);
  expect(causes).toEqual(["certificate expired"]);
  await loop.close();
});

test("what is served is said to be served", async () => {
  const { loop, served } = loopOf({ kind: "swapped" });
  await loop.refresh();
  expect(served).toHaveBeenCalledTimes(1);
});

test("without an nginx nothing is said to be served until there is one", async () => {
  const absent = { kind: "written" } as const;
  const { loop, served, warnings, turns } = loopOf(absent, absent, absent, { kind: "reloaded" });
  const first = jest.fn();
  void loop.firstServed.then(first);
  await loop.refresh();
  loop.open();
  await jest.advanceTimersByTimeAsync(600);
  expect(turns()).toBeGreaterThan(1);
  expect(served).not.toHaveBeenCalled();
  expect(first).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(2000);
  expect(served).toHaveBeenCalledTimes(1);
  expect(first).toHaveBeenCalledTimes(1);
  expect(turns()).toBe(4);
  expect(warnings).toHaveLength(1);
});

test("what nginx refuses is not said to be served", async () => {
  const { loop, served } = loopOf({ refused: "no" });
  await loop.refresh();
  expect(served).not.toHaveBeenCalled();
});

test("opened before anything is known to be served, it looks", async () => {
  const { loop, served, turns } = loopOf({ kind: "unchanged" });
  loop.open();
  await jest.advanceTimersByTimeAsync(10);
  expect(served).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(turns()).toBe(1);
});

test("what can't be applied is tried again, and told when it is", async () => {
  const { loop, served } = loopOf(new Error("no"), new Error("no"), { kind: "swapped" });
  loop.open();
  await jest.advanceTimersByTimeAsync(10);
  expect(served).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(4000);
  expect(served).toHaveBeenCalledTimes(1);
});

describe("a port that nginx itself blocks", () => {
  const blocked = { refused: "in its way", blockedPorts: ["10.0.0.1:80"] };

  test("is left out of one reload, and what another process has of all that follow", async () => {
    let [isFree, turns] = [false, 0];
    const served = jest.fn();
    const loop: ApplyLoop = new ApplyLoop({
      log: { ...silent, warn: () => undefined, error: () => undefined },
      observe: () => undefined,
      compile: async () => ({ files: [], served, expiries: [] }),
      apply: async () => {
        turns += 1;
        const out = loop.unavailablePorts;
        const isInterim = out.includes("10.0.0.1:80");
        const found = { kind: "swapped", version: "v" } as const;
        if (!isFree && !isInterim) return { ...found, ...blocked };
        if (!out.includes("9090"))
          return { ...found, refused: "taken", unavailablePorts: ["9090"] };
        isFree = true;
        return found;
      },
    });
    await loop.refresh();
    expect(served).toHaveBeenCalled();
    expect(turns).toBe(5);
    await loop.close();
  });

  test.each([{ refused: "the reload was not done in 30 s" }, new NginxRefused("no answer")])(
    "is tried again later if even the reload without it is refused: %p",
    async (refused) => {
      const { loop, served, turns } = loopOf(blocked, refused, blocked, {}, {});
      await loop.refresh();
      expect(turns()).toBe(2);
      expect(loop.isInterim).toBe(false);
      loop.open();
      await jest.advanceTimersByTimeAsync(10);
      expect(turns()).toBe(5);
      expect(served).toHaveBeenCalled();
      await loop.close();
    },
  );
});

test("what is served but not written is said to be served, and written again and again until it is", async () => {
  const unwritten = { kind: "swapped", unwritten: "the disk is full" } as const;
  const { loop, served, errors, turns } = loopOf(unwritten, unwritten, { kind: "swapped" });
  await loop.refresh();
  loop.open();
  expect(served).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(1100);
  expect(turns()).toBe(2);
  // Not as often as that for long.
  await jest.advanceTimersByTimeAsync(1500);
  expect(turns()).toBe(2);
  await jest.advanceTimersByTimeAsync(600);
  expect(turns()).toBe(3);
  await jest.advanceTimersByTimeAsync(120_000);
  expect(turns()).toBe(3);
  expect(errors).toEqual(Array<unknown>(2).fill(expect.stringContaining("not written")));
});

test("what waits for a reload is applied when it may be", async () => {
  const { loop, more, served, turns } = loopOf({});
  more.held = 5000;
  await loop.refresh();
  more.held = undefined;
  loop.open();
  expect(served).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(4900);
  expect(turns()).toBe(1);
  await jest.advanceTimersByTimeAsync(200);
  expect(turns()).toBe(2);
});
