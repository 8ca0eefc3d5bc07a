import { setImmediate as turn } from "node:timers/promises";
import { NEVER, WorkQueue } from "../../../src/kubernetes/work-queue.js";

/** A queue whose work ends when the test says so. */
function open(mayWork: () => boolean = () => true) {
  const started: string[] = [];
  const ends = new Map<string, (due: number) => void>();
  const queue = new WorkQueue({
    work: (key) => {
      started.push(key);
      return new Promise((resolve) => ends.set(key, resolve));
    },
    mayWork,
  });
  queue.enable(true);
  return {
    queue,
    started: async () => {
      await turn();
      await turn();
      return started.splice(0);
    },
    end: (key: string, due = NEVER) => ends.get(key)?.(due),
  };
}

const many = (namespace: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `Ingress ${namespace}/${String(i)}`);

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate"] });
});
afterEach(() => {
  jest.useRealTimers();
});
const { jest } = import.meta;

test("namespaces take turns, and eight objects are under way at once", async () => {
  const { queue, started, end } = open();
  for (const key of [...many("a", 7), ...many("b", 2), "Gateway c/x"]) queue.add(key);
  expect(await started()).toEqual(
    expect.arrayContaining([...many("a", 5), ...many("b", 2), "Gateway c/x"]),
  );
  end("Gateway c/x");
  expect(await started()).toEqual(["Ingress a/5"]);
});

test("late work gives its slot to other namespaces only", async () => {
  const { queue, started, end } = open();
  for (const key of many("a", 9)) queue.add(key);
  expect(await started()).toEqual(many("a", 8));
  queue.add("Ingress b/0");
  expect(await started()).toEqual([]);
  await jest.advanceTimersByTimeAsync(300);
  expect(await started()).toEqual(["Ingress b/0"]);
  end("Ingress a/3");
  expect(await started()).toEqual(["Ingress a/8"]);
});

test("an object waits once, and is looked at again if it is added while it is under way", async () => {
  const { queue, started, end } = open();
  queue.add("Ingress a/0");
  queue.add("Ingress a/0");
  expect(await started()).toEqual(["Ingress a/0"]);
  queue.add("Ingress a/0");
  queue.add("Ingress a/0");
  expect(await started()).toEqual([]);
  end("Ingress a/0");
  expect(await started()).toEqual(["Ingress a/0"]);
  end("Ingress a/0");
  expect(await started()).toEqual([]);
});

test("an object is looked at again at the earliest time that was given", async () => {
  const { queue, started, end } = open();
  queue.add("Ingress a/0", performance.now() + 5000);
  queue.add("Ingress a/0", performance.now() + 1000);
  queue.add("Ingress a/0", performance.now() + 3000);
  await jest.advanceTimersByTimeAsync(900);
  expect(await started()).toEqual([]);
  await jest.advanceTimersByTimeAsync(200);
  expect(await started()).toEqual(["Ingress a/0"]);
  // A time that is given while work is under way holds, whatever the work returns.
  queue.add("Ingress a/0", performance.now() + 1000);
  end("Ingress a/0");
  await jest.advanceTimersByTimeAsync(1100);
  expect(await started()).toEqual(["Ingress a/0"]);
  end("Ingress a/0", performance.now() + 2000);
  await jest.advanceTimersByTimeAsync(2100);
  expect(await started()).toEqual(["Ingress a/0"]);
});

test("nothing starts while the queue may not work, is disabled or closed", async () => {
  let may = false;
  const { queue, started, end } = open(() => may);
  queue.add("Ingress a/0");
  expect(await started()).toEqual([]);
  may = true;
  await jest.advanceTimersByTimeAsync(300);
  expect(await started()).toEqual(["Ingress a/0"]);
  queue.enable(false);
  queue.add("Ingress a/1");
  expect(await started()).toEqual([]);
  queue.enable(true);
  expect(await started()).toEqual(["Ingress a/1"]);
  const closed = queue.close();
  queue.add("Ingress a/2");
  end("Ingress a/0");
  end("Ingress a/1");
  await closed;
  expect(await started()).toEqual([]);
});
