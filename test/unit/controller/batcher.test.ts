import { Batcher } from "../../../src/controller/batcher.js";

const { jest } = import.meta;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function create(handle: () => Promise<void>): Batcher {
  return new Batcher({ quietDelay: 50, maximumDelay: 200, firstDelay: 5, handle });
}

function lasting(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Handles a batch, so that the next change does not follow a rest. */
async function busy(batcher: Batcher, took: number): Promise<void> {
  batcher.notify();
  await jest.advanceTimersByTimeAsync(5 + took);
}

test.each([
  { took: 60, quiet: 50 },
  { took: 20, quiet: 20 },
])(
  "after a batch of $took ms the next one starts when it has been quiet for $quiet ms",
  async ({ took, quiet }) => {
    let batches = 0;
    const batcher = create(() => {
      batches++;
      return lasting(took);
    });
    await busy(batcher, took);
    batcher.notify();
    await jest.advanceTimersByTimeAsync(quiet - 5);
    batcher.notify();
    await jest.advanceTimersByTimeAsync(quiet - 1);
    expect(batches).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(batches).toBe(2);
  },
);

test("under endless changes a batch starts after the maximum delay", async () => {
  let batches = 0;
  const batcher = create(() => {
    batches++;
    return lasting(60);
  });
  await busy(batcher, 60);
  for (let i = 0; i < 19; i++) {
    batcher.notify();
    await jest.advanceTimersByTimeAsync(10);
  }
  expect(batches).toBe(1);
  batcher.notify();
  await jest.advanceTimersByTimeAsync(10);
  expect(batches).toBe(2);
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

describe("after a rest", () => {
  let batches: number;
  let batcher: Batcher;

  beforeEach(() => {
    batches = 0;
    batcher = create(() => {
      batches++;
      return lasting(60);
    });
  });

  test("a change is handled at once", async () => {
    for (let i = 1; i <= 3; i++) {
      batcher.notify();
      await jest.advanceTimersByTimeAsync(5);
      expect(batches).toBe(i);
      await jest.advanceTimersByTimeAsync(60 + 200);
    }
  });

  test("changes that come together are one batch", async () => {
    for (let i = 0; i < 3; i++) {
      batcher.notify();
      await jest.advanceTimersByTimeAsync(4);
    }
    expect(batches).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(batches).toBe(1);
  });

  test("changes that keep coming are gathered", async () => {
    for (let i = 0; i < 100; i++) {
      batcher.notify();
      await jest.advanceTimersByTimeAsync(10);
    }
    // The first at once, then one for each maximum delay.
    expect(batches).toBe(5);
  });
});

test("the first change of each batch is announced", async () => {
  let announced = 0;
  const batcher = new Batcher({
    ...{ quietDelay: 50, maximumDelay: 200, firstDelay: 5 },
    onFirst: () => announced++,
    handle: () => Promise.resolve(),
  });
  batcher.notify();
  batcher.notify();
  expect(announced).toBe(1);
  await jest.advanceTimersByTimeAsync(5);
  batcher.notify();
  expect(announced).toBe(2);
  await batcher.close();
  batcher.notify();
  expect(announced).toBe(2);
});
