import { luaBundle } from "../../../src/output/environment.js";

test("the bundle has the shipped Lua code below lua/, sorted, for all to read", async () => {
  const files = await luaBundle();
  const paths = files.map(({ path }) => path);
  expect(paths).toContain("lua/alb/phases/init.lua");
  expect(paths).toEqual([...paths].sort());
  expect(paths.filter((path) => !/^lua\/alb\/[\w/]+\.lua$/.test(path))).toEqual([]);
  expect(new Set(files.map(({ mode }) => mode))).toEqual(new Set([0o644]));
});
