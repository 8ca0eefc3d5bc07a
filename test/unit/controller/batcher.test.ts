import { Batcher } from "../../../src/controller/batcher.js";

const { jest } = import.meta;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function create(handle: () => Promise<void>): Batcher {
  return new Batcher({ quietDelay: 50, maximumDelay: 200, urgentDelay: 5, handle });
}

test("a batch starts when it has been quiet for the quiet delay", async () => {
  let batches = 0;
  const batcher = create(() => {
    batches++;
    return Promise.resolve();
  });
  batcher.notify();
  await jest.advanceTimersByTimeAsync(40);
  batcher.notify();
  await jest.advanceTimersByTimeAsync(40);
  expect(batches).toBe(0);
  await jest.advanceTimersByTimeAsync(10);
  expect(batches).toBe(1);
});

test("under endless changes a batch starts after the maximum delay", async () => {
  let batches = 0;
  const batcher = create(() => {
    batches++;
    return Promise.resolve();
  });
  for (let i = 0; i < 19; i++) {
    batcher.notify();
    await jest.advanceTimersByTimeAsync(10);
  }
  expect(batches).toBe(0);
  batcher.notify();
  await jest.advanceTimersByTimeAsync(10);
  expect(batches).toBe(1);
});

test("changes during a batch make the next one, never two at once", async () => {
  const ends: (() => void)[] = [];
  const batcher = create(() => new Promise((resolve) => ends.push(resolve)));
  batcher.notify();
  await jest.advanceTimersByTimeAsync(50);
  batcher.notify();
  await jest.advanceTimersByTimeAsync(500);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await jest.advanceTimersByTimeAsync(50);
  expect(ends).toHaveLength(2);
});

test("closing waits for the batch under way and starts no other", async () => {
  let end: () => void = () => undefined;
  let batches = 0;
  const batcher = create(() => {
    batches++;
    return new Promise((resolve) => {
      end = resolve;
    });
  });
  batcher.notify();
  await jest.advanceTimersByTimeAsync(50);
  batcher.notify();
  const closed = batcher.close();
  end();
  await closed;
  await jest.advanceTimersByTimeAsync(500);
  expect(batches).toBe(1);
});

describe("urgent changes", () => {
  let batches: number;
  let batcher: Batcher;

  beforeEach(() => {
    batches = 0;
    batcher = create(() => {
      batches++;
      return Promise.resolve();
    });
  });

  test("are handled at once when nothing was handled for a while", async () => {
    for (let i = 1; i <= 3; i++) {
      batcher.notify(true);
      await jest.advanceTimersByTimeAsync(5);
      expect(batches).toBe(i);
      await jest.advanceTimersByTimeAsync(200);
    }
  });

  test("that come in numbers are gathered", async () => {
    for (let i = 0; i < 100; i++) {
      batcher.notify(true);
      await jest.advanceTimersByTimeAsync(10);
    }
    // The first at once, then one for each maximum delay.
    expect(batches).toBe(5);
  });

  test("wait for others that have come with them", async () => {
    batcher.notify();
    batcher.notify(true);
    await jest.advanceTimersByTimeAsync(49);
    expect(batches).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(batches).toBe(1);
    await jest.advanceTimersByTimeAsync(200);
    batcher.notify(true);
    await jest.advanceTimersByTimeAsync(5);
    expect(batches).toBe(2);
  });
});
