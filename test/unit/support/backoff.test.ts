import { Backoff, KeyedBackoff } from "../../../src/support/backoff.js";

let now = 0;
const keyed = () => new KeyedBackoff(100, () => now);
beforeEach(() => {
  now = 1000;
});

test("each failure doubles the pause, up to the longest; a success starts it again", () => {
  const backoff = new Backoff(30, 100);
  expect(backoff.hasFailed).toBe(false);
  expect([30, 60, 100, 100].map(() => backoff.failed())).toEqual([30, 60, 100, 100]);
  expect(backoff.hasFailed).toBe(true);
  backoff.succeeded();
  expect([backoff.hasFailed, backoff.failed()]).toEqual([false, 30]);
});

test("a key waits for its pause, which each failure doubles, up to the longest", () => {
  const backoff = keyed();
  for (const pause of [30, 60, 100, 100]) {
    expect(backoff.failed("a", "x", 30)).toBe(pause);
    expect(backoff.dueOf("a", "x")).toBe(now + pause);
    now += pause;
    expect(backoff.dueOf("a", "x")).toBeUndefined();
  }
  now += 100;
  expect(backoff.failed("a", "x", 30)).toBe(30);
});

test("another thing need not wait, nor one that succeeded", () => {
  const backoff = keyed();
  backoff.failed("a", "x", 30);
  expect(backoff.dueOf("a", "y")).toBeUndefined();
  expect(backoff.dueOf("b", "x")).toBeUndefined();
  expect(backoff.failed("a", "y", 30)).toBe(30);
  backoff.succeeded("a");
  expect(backoff.dueOf("a", "y")).toBeUndefined();
});
