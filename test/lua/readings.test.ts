/** The ways to read a target: what backends of each kind make of it, and that explain and the data plane list the same. */
import { fc } from "../support/fast-check.js";
import { otherReadings } from "../../src/explain/request.js";
import { startLuaNginx, type LuaNginx } from "../support/lua-nginx.js";

let nginx: LuaNginx;
beforeAll(async () => {
  nginx = await startLuaNginx();
});
afterAll(() => nginx.stop());

async function readings(target: string): Promise<unknown> {
  const [list] = await nginx.call("alb.route.readings", "of", target);
  if (!Array.isArray(list)) return list;
  return list.map((path: unknown) => (Buffer.isBuffer(path) ? path.toString("latin1") : path));
}

it.each([
  ["dot segments left alone", "/admin/../open", "/admin/../open"],
  ["decoding without removing", "/%61dmin/..%2Fopen", "/admin/../open"],
  ["removing before decoding", "/x/../admin/%2e%2e/open", "/admin/../open"],
  ["removing encoded dots, not encoded slashes", "/x/%2e%2e/admin%2f../open", "/admin/../open"],
  ["path parameters dropped", "/open/..;x/admin;y=1/?z", "/admin/"],
  ["backslashes as slashes", "/open\\..%5cadmin", "/admin"],
  ["path parameters dropped after decoding", "/open/..%3bx/admin", "/admin"],
  ["encoded slashes after parameters", "/open/..;%2fadmin", "/admin"],
  ["decoding twice", "/open/%252e%252e%255cadmin", "/admin"],
  ["overlong UTF-8 of two bytes", "/open/%c0%ae%C0%AE%c0%afadmin", "/admin"],
  ["overlong UTF-8 of three bytes", "/open/%e0%80%ae./%e0%81%a1dmin", "/admin"],
  ["overlong UTF-8 decoded twice", "/open/%25c0%25ae./admin", "/admin"],
  ["blanks at the end of segments", "/open/..%20/admin%09%20", "/admin"],
  ["blanks of Latin-1, not encoded", "/admin\xa0\x85/b\xa0", "/admin/b"],
  ["blanks of Unicode", "/admin%c2%a0/b%E3%80%80%e2%80%8a", "/admin/b"],
  ["blanks and control bytes", "/open/..%0b/admin%1f", "/admin"],
  ["backslashes and parameters", "/open\\..;\\admin\\.", "/admin/"],
])("%s: %s", async (_, target, path) => {
  expect(await readings(target)).toContain(path);
  expect(otherReadings(target)).toContain(path);
});

it("are the same for explain (property)", async () => {
  const pieces = [
    ...["/", ".", "..", ";", "\\", "%2e", "%2F", "%5c", "%3b", "%25", "a", "b", "?"],
    ...["%c0", "%c1", "%e0", "%80", "%ae", "%9c", "%20", "%09", "%a0", "%85", "%1d"],
    ...["%c2", "%e1", "%9a", "%e2", "%81", "%9f", "%8a", "%e3"],
  ];
  const target = fc
    .array(fc.constantFrom(...pieces), { maxLength: 10 })
    .map((parts) => `/${parts.join("")}`);
  await fc.assert(
    fc.asyncProperty(target, async (text) => {
      expect(await readings(text)).toEqual(otherReadings(text));
    }),
    { numRuns: 300 },
  );
});
