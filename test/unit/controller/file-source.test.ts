import { setImmediate as nextTurn } from "node:timers/promises";
import { Controller } from "../../../src/controller/controller.js";
import { FileSource } from "../../../src/controller/file-source.js";
import type { Log } from "../../../src/support/log.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import { NginxRefused } from "../../../src/output/reloader.js";
import { EnvironmentError } from "../../../src/support/errors.js";

const { jest } = import.meta;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A controller whose changes fail as told, one after the other, and then succeed. */
function create(...failures: readonly Error[]): Created {
  return createWith([""], failures);
}

interface Created {
  readonly controller: Controller;
  readonly lines: string[];
  /** Names of changed objects and outcomes of applying, in order. */
  readonly noted: readonly string[];
  readonly attempts: () => number;
}

/** Reads the texts one after the other, then the last one again and again. */
function createWith(texts: readonly string[], failures: readonly Error[] = []): Created {
  const unread = [...texts];
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
  const common = { options: DEFAULT_OPTIONS, log, observe: () => undefined };
  const source = new FileSource({
    ...common,
    paths: [],
    readSources: () => {
      const text = (unread.length > 1 ? unread.shift() : unread[0]) ?? "";
      return Promise.resolve([{ path: "manifests.yaml", text }]);
    },
  });
  const noted: string[] = [];
  const controller = new Controller(source, {
    ...common,
    fixedFiles: [],
    changes: {
      note: (objects) => void noted.push(...objects),
      because: (cause) => void noted.push(cause),
      record: ({ outcome, reason = "" }) => void noted.push(`${outcome} ${reason}`.trim()),
      know: () => undefined,
    },
    apply: () => {
      attempts++;
      const failure = left.shift();
      return failure === undefined
        ? Promise.resolve({ kind: "swapped", version: "v" })
        : Promise.reject(failure);
    },
  });
  controller.open();
  return { controller, lines, noted, attempts: () => attempts };
}

/** Lets the time pass in steps, and the turns of the event loop that a change takes. */
async function pass(milliseconds: number): Promise<void> {
  const step = 100;
  for (let left = milliseconds; left > 0; left -= step) {
    await jest.advanceTimersByTimeAsync(Math.min(left, step));
    for (let turn = 0; turn < 4; turn += 1) await nextTurn();
  }
}

const NOT_APPLIED = "error: change not applied; the last good configuration stays";

test.each([
  ["the disk is full", new EnvironmentError("the disk is full")],
  ["nginx does not take it", new NginxRefused("not every worker serves the policy")],
])("a change is applied by itself once %s no more", async (_, failure) => {
  const { controller, lines, attempts } = create(failure);
  await controller.refresh();
  expect(lines).toEqual([NOT_APPLIED]);

  await pass(1500);

  expect(attempts()).toBe(2);
  expect(lines).toEqual([NOT_APPLIED, "info: change applied"]);
});

test("attempts get rarer, but never cease", async () => {
  const failures = Array.from({ length: 20 }, () => new EnvironmentError("no"));
  const { controller, attempts } = create(...failures);
  await controller.refresh();

  await pass(60_000);
  expect(attempts()).toBeGreaterThan(4);
  expect(attempts()).toBeLessThan(10);
  const before = attempts();
  await pass(5 * 60_000);
  expect(attempts() - before).toBeGreaterThanOrEqual(4);
});

test("after a success the next failure is mended as quickly as the first", async () => {
  const { controller, attempts } = create(new EnvironmentError("no"), new EnvironmentError("no"));
  await controller.refresh();
  await pass(10_000);
  const before = attempts();
  expect(before).toBe(3);

  await pass(60_000);
  expect(attempts()).toBe(before);
});

test("a closed controller tries no more", async () => {
  const { controller, attempts } = create(new EnvironmentError("no"));
  await controller.refresh();
  await controller.close();

  await pass(60_000);
  expect(attempts()).toBe(1);
});

test("a fault of ours in one change does not end what is served", async () => {
  const { controller, lines } = create(new TypeError("x is not a function"));

  await controller.refresh();

  expect(lines).toEqual([NOT_APPLIED]);
});

const ALB2 = (port: number): string => `
apiVersion: crd.alauda.io/v2
kind: ALB2
metadata: { name: edge, namespace: default }
spec: { type: nginx, config: { projects: [ALL_ALL], ingressHTTPPort: ${String(port)}, ingressHTTPSPort: 0 } }
`;
const GONE =
  "warn: the last ALB2 is gone: Ingresses are now served on the ports of the options, without its auth";

test("that the last ALB2 went is said once", async () => {
  const { controller, lines } = createWith(["", ALB2(8080), "", ""]);
  for (let i = 0; i < 4; i += 1) await controller.refresh();
  expect(lines.filter((line) => line.startsWith("warn"))).toEqual([GONE]);
});

test("an ALB2 that can't be read any more is not gone", async () => {
  const broken = ALB2(8080).replace("[ALL_ALL]", "true");
  const { controller, lines } = createWith([ALB2(8080), broken, "kind: ["]);
  for (let i = 0; i < 3; i += 1) await controller.refresh();
  expect(lines).not.toContain(GONE);
});

test("it knows the ports and the number of objects that it serves", async () => {
  const { controller } = createWith(["", ALB2(8080)]);
  await controller.refresh();
  expect(controller.served).toEqual({ ports: [80, 443], objects: 0 });
  await controller.refresh();
  expect(controller.served).toEqual({ ports: [8080], objects: 1 });
});

test("what changed is named, without what the first reading had", async () => {
  const service = (name: string, port: number): string =>
    `apiVersion: v1\nkind: Service\nmetadata: { name: ${name}, namespace: a }\nspec: { ports: [{ port: ${String(port)} }] }\n---\n`;
  const texts = [
    service("one", 80) + service("two", 80),
    service("one", 81) + service("two", 80),
    service("one", 81) + service("three", 80),
  ];
  const { controller, noted } = createWith(texts, [new NginxRefused("no")]);
  for (const _ of texts) await controller.refresh();
  expect(noted).toEqual([
    "refused no",
    ...["Service a/one", "swapped"],
    ...["Service a/two (removed)", "Service a/three", "swapped"],
  ]);
  await controller.close();
});
