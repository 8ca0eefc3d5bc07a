import { type LuaNginx, startLuaNginx } from "../../support/lua-nginx.js";

let nginx: LuaNginx;

beforeAll(async () => {
  nginx = await startLuaNginx();
});
afterAll(() => nginx.stop());

test.each([[["one"]], [["one", "two"]]])(
  "each of the methods %j removes its credentials from the request",
  async (names) => {
    expect(await nginx.call("access_case", "stripped", names)).toEqual([names]);
  },
);
