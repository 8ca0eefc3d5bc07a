import { FileController } from "../../../src/controller/file-controller.js";
import type { Log } from "../../../src/controller/log.js";
import { DEFAULT_OPTIONS } from "../../../src/options.js";
import { NginxRefused } from "../../../src/output/reloader.js";
import { EnvironmentError } from "../../../src/support/environment-error.js";

const { jest } = import.meta;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A controller whose changes fail as told, one after the other, and then succeed. */
function create(...failures: readonly Error[]): {
  readonly controller: FileController;
  readonly lines: string[];
  readonly attempts: () => number;
} {
  const lines: string[] = [];
  const left = [...failures];
  let attempts = 0;
  const write =
    (level: string) =>
    (_fields: object, message: string): void =>
      void lines.push(`${level}: ${message}`);
  const log: Log = {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
  };
  const controller = new FileController({
    options: DEFAULT_OPTIONS,
    log,
    readSources: () => Promise.resolve([]),
    fixedFiles: [],
    apply: () => {
      attempts++;
      const failure = left.shift();
      return failure === undefined
        ? Promise.resolve({ kind: "swapped", version: "v" })
        : Promise.reject(failure);
    },
  });
  controller.open();
  return { controller, lines, attempts: () => attempts };
}

const NOT_APPLIED = "error: change not applied; the last good configuration stays";

test.each([
  ["the disk is full", new EnvironmentError("the disk is full")],
  ["nginx does not take it", new NginxRefused("not every worker serves the policy")],
])("a change is applied by itself once %s no more", async (_, failure) => {
  const { controller, lines, attempts } = create(failure);
  await controller.refresh();
  expect(lines).toEqual([NOT_APPLIED]);

  await jest.advanceTimersByTimeAsync(1500);

  expect(attempts()).toBe(2);
  expect(lines).toEqual([NOT_APPLIED, "info: change applied"]);
});

test("attempts get rarer, but never cease", async () => {
  const failures = Array.from({ length: 20 }, () => new EnvironmentError("no"));
  const { controller, attempts } = create(...failures);
  await controller.refresh();

  await jest.advanceTimersByTimeAsync(60_000);
  expect(attempts()).toBeGreaterThan(4);
  expect(attempts()).toBeLessThan(10);
  const before = attempts();
  await jest.advanceTimersByTimeAsync(5 * 60_000);
  expect(attempts() - before).toBeGreaterThanOrEqual(4);
});

test("after a success the next failure is mended as quickly as the first", async () => {
  const { controller, attempts } = create(new EnvironmentError("no"), new EnvironmentError("no"));
  await controller.refresh();
  await jest.advanceTimersByTimeAsync(10_000);
  const before = attempts();
  expect(before).toBe(3);

  await jest.advanceTimersByTimeAsync(60_000);
  expect(attempts()).toBe(before);
});

test("a closed controller tries no more", async () => {
  const { controller, attempts } = create(new EnvironmentError("no"));
  await controller.refresh();
  await controller.close();

  await jest.advanceTimersByTimeAsync(60_000);
  expect(attempts()).toBe(1);
});

test("a fault of ours in one change does not end what is served", async () => {
  const { controller, lines } = create(new TypeError("x is not a function"));

  await controller.refresh();

  expect(lines).toEqual([NOT_APPLIED]);
});
