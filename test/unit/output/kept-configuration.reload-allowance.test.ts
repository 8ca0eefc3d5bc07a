import { ReloadAllowance } from "../../../src/output/kept-configuration.js";

test("the first reload after a quiet interval is allowed at once, then one for each interval", () => {
  let now = 0;
  const allowance = new ReloadAllowance(1000, () => now);
  expect([allowance.take(), allowance.take()]).toEqual([0, 1000]);
  now = 400;
  expect(allowance.take()).toBe(600);
  now = 1000;
  expect([allowance.take(), allowance.take()]).toEqual([0, 1000]);
  now = 60_000;
  expect([allowance.take(), allowance.take()]).toEqual([0, 1000]);
});
