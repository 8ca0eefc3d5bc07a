/** ALBC_PROPERTY_SECONDS and ALBC_PROPERTY_SEED as in test/support/fast-check.ts. */
import { fc, runs, timeoutOf } from "../support/fast-check.js";
import { type LuaNginx, startLuaNginx } from "../support/lua-nginx.js";

let nginx: LuaNginx;
beforeAll(async () => {
  nginx = await startLuaNginx();
});
afterAll(() => nginx.stop());

test(
  "after any commits each route has the auth that its own, its backend's and its listener's shards say",
  async () => {
    let met = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const [count] = await nginx.call("policy_index_case", "run", seed, 200);
        met += Number(count);
      }),
      runs(20),
    );
    // Commits that come in the middle of preparing a route.
    expect(met).toBeGreaterThan(100);
  },
  timeoutOf(60_000),
);
