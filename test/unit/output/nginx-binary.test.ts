import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findNginx } from "../../../src/output/nginx-binary.js";
import { EnvironmentError } from "../../../src/support/errors.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();
const REAL = process.env["ALBC_TEST_NGINX"] ?? "";

/** A program that passes for an nginx: it answers -V and -t as told. */
function makeProgram(name: string, { version = "", test = "true" }): string {
  const path = join(folder(), name);
  mkdirSync(dirname(path), { recursive: true });
  const lines = [
    "#!/bin/sh",
    'case "$1" in',
    `-V) echo "${version}" >&2 ;;`,
    `*) ${test} ;;`,
    "esac",
  ];
  writeFileSync(path, `${lines.join("\n")}\n`, { mode: 0o755 });
  return path;
}

test("the given one is taken, with its version and what it needs for Lua", async () => {
  const found = await findNginx({ given: REAL, path: "" });
  expect(found.path).toBe(REAL);
  expect(found.version).toMatch(/^1\.\d+\.\d+$/);
  expect(found.directives).toMatch(
    /^load_module \S+ndk\S+\.so; load_module \S+lua\S+\.so; load_module \S+stream\S+\.so;$/,
  );
  expect(found.stream).toBe(true);
  expect(found.variables["LUA_PATH"]).toMatch(/\/lua\/5\.1\/\?\.lua;;$/);
});

test("openresty on the PATH comes before nginx, and needs no modules", async () => {
  const version =
    "nginx version: openresty/1.27.1.2\nconfigure arguments: --add-module=../ngx_lua-0.10.28";
  makeProgram("b/nginx", { version });
  const openresty = makeProgram("b/openresty", { version });
  const found = await findNginx({ path: `${join(folder(), "a")}:${join(folder(), "b")}` });
  expect(found).toEqual({
    path: openresty,
    version: "1.27.1",
    directives: "",
    stream: true,
    variables: {},
  });
});

test("one without all that is needed of the stream module is taken all the same", async () => {
  const version = "nginx version: nginx/1.29.0\nconfigure arguments: --add-module=../ngx_lua";
  const test = `! grep -q "^stream {" "$4/nginx.conf"`;
  const nginx = makeProgram("b/nginx", { version, test });
  const found = await findNginx({ path: join(folder(), "b") });
  expect(found).toMatchObject({ path: nginx, stream: false, directives: "" });
});

test("one on the PATH that can't be used is passed over", async () => {
  makeProgram("a/nginx", { version: "nginx version: nginx/1.24.0" });
  const good = makeProgram("b/nginx", { version: "nginx version: nginx/1.29.0" });
  const found = await findNginx({ path: `${join(folder(), "a")}:${join(folder(), "b")}` });
  expect(found.path).toBe(good);
});

test.each([
  ["it is version 1.25.0", { version: "nginx version: nginx/1.25.0" }],
  ["it is no nginx", { version: "Apache/2.4" }],
  [
    "it has no ngx_lua",
    {
      version: "nginx version: nginx/1.29.0",
      test: `echo 'nginx: [emerg] unknown directive "init_by_lua_block" in x:1' >&2; exit 1`,
    },
  ],
  [
    "the Lua library cjson.safe is missing",
    {
      version: "nginx version: nginx/1.29.0",
      test: `echo "nginx: [error] init_by_lua:3: module 'cjson.safe' not found:" >&2; exit 1`,
    },
  ],
  [
    "something else",
    {
      version: "nginx version: nginx/1.29.0",
      test: `echo 'nginx: [emerg] something else' >&2; exit 1`,
    },
  ],
])("the given one is refused, in one line: %s", async (problem, program) => {
  const given = makeProgram("nginx", program);
  await expect(findNginx({ given, path: "" })).rejects.toThrow(
    new EnvironmentError(
      `${given} can't be used: ${problem}; needed is nginx >= 1.25.1 with ngx_lua >= 0.10.28`,
    ),
  );
});

test("a given one that is not there is not replaced by another", async () => {
  const given = join(folder(), "absent");
  await expect(findNginx({ given, path: dirname(REAL) })).rejects.toThrow(
    `${given} can't be used: it does not run`,
  );
});
