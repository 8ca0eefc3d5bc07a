import { RetryTimes } from "../../../src/kubernetes/retry-times.js";

let now = 0;
const times = () => new RetryTimes(100, () => now);
beforeEach(() => {
  now = 1000;
});

test("each failure makes the pause twice as long, up to the longest", () => {
  const retries = times();
  for (const pause of [30, 60, 100, 100]) {
    retries.failed("a", "x", 30);
    expect(retries.next).toBe(now + pause);
    now += pause - 1;
    expect(retries.mustWait("a", "x")).toBe(true);
    now += 1;
    expect(retries.mustWait("a", "x")).toBe(false);
  }
});

test("another thing need not wait, nor what has been forgotten", () => {
  const retries = times();
  retries.failed("a", "x", 30);
  expect(retries.mustWait("a", "y")).toBe(false);
  expect(retries.mustWait("b", "x")).toBe(false);
  retries.forget("a");
  expect([retries.has("a"), retries.mustWait("a", "x"), retries.next]).toEqual([
    false,
    false,
    undefined,
  ]);
  retries.failed("a", "x", 30);
  expect(retries.next).toBe(now + 30);
});

test("the next is the first that is due, of those that are kept", () => {
  const retries = times();
  retries.failed("late", "x", 50);
  retries.failed("soon", "x", 10);
  retries.failed("later", "x", 70);
  expect(retries.next).toBe(now + 10);
  retries.keepOnly(new Set(["late", "later"]));
  expect(retries.next).toBe(now + 50);
  retries.clear();
  expect(retries.next).toBeUndefined();
});
