import { startLuaNginx, type LuaNginx } from "../../support/lua-nginx.js";

const REQUESTS = 10_000;

let nginx: LuaNginx;
beforeAll(async () => {
  nginx = await startLuaNginx({});
});
afterAll(() => nginx.stop());

describe("shares of backends", () => {
  it.each([
    [[1, 1]],
    [[1, 9]],
    [[1, 99]],
    [[1, 999]],
    [[1_000_000, 1, 999_999]],
    [[1_000_000, 1_000_000]],
    [[7, 0, 13, 80]],
    [[333_333, 333_333, 333_334]],
    [Array.from({ length: 16 }, (_, i) => i + 1)],
  ])("of weights %j are exact", async (weights) => {
    const [counts] = await nginx.call("upstream.weighted_case", "count", weights, REQUESTS);
    const total = weights.reduce((sum, weight) => sum + weight, 0);

    for (const [i, weight] of weights.entries()) {
      const expected = (weight / total) * REQUESTS;
      expect(Math.abs(((counts as readonly number[])[i] ?? NaN) - expected)).toBeLessThanOrEqual(1);
    }
  });

  it("are spread evenly: no long runs", async () => {
    const [counts] = await nginx.call("upstream.weighted_case", "count", [1, 3], 8);

    expect(counts).toEqual([2, 6]);
  });
});
