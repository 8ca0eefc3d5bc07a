import { ReloadAllowance } from "../../../src/output/reload-allowance.js";

let now = 0;
const allowance = () => new ReloadAllowance({ burst: 2, interval: 1000 }, () => now);

beforeEach(() => {
  now = 0;
});

test("some reloads are allowed at once, then one for each interval", () => {
  const some = allowance();
  expect([some.take(), some.take(), some.take()]).toEqual([0, 0, 1000]);
  now = 400;
  expect(some.take()).toBe(600);
  now = 1000;
  expect([some.take(), some.take()]).toEqual([0, 1000]);
});

test("what is not used is kept, up to as many as are allowed at once", () => {
  const some = allowance();
  now = 60_000;
  expect([some.take(), some.take(), some.take()]).toEqual([0, 0, 1000]);
});
