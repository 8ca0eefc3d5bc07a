import { POLICY_FORMAT } from "../../src/model/policy.js";
import { until } from "../support/until.js";
import { startLuaNginx, type LuaNginx } from "../support/lua-nginx.js";

let nginx: LuaNginx;
beforeEach(async () => {
  nginx = await startLuaNginx();
});
afterEach(() => nginx.stop());

const call = (name: string, ...args: readonly unknown[]): Promise<readonly unknown[]> =>
  nginx.call("policy_store", name, ...args);
const route = (key: string, text: string): readonly string[] => [
  "routes",
  key,
  JSON.stringify({ text }),
];

test("a worker serves what was committed last, shard by shard", async () => {
  await call("full", "v1", [route("a", "one"), route("b", "one")]);
  expect(await call("served", "routes", "a")).toEqual(["one", "v1"]);
  await call("delta", "v2", [route("a", "two"), ["routes", "b"]]);
  expect(await call("served", "routes", "a")).toEqual(["two", "v2"]);
  expect(await call("served", "routes", "b")).toEqual(["", "v2"]);
});

test("a reader at the older commit is told to catch up instead of mixing commits", async () => {
  await call("full", "v1", [route("a", "one"), route("b", "one")]);
  const [seq, epoch] = await call("committed");
  await call("delta", "v2", [route("a", "two")]);
  expect(await call("read", epoch, seq, "routes", "a")).toEqual(["", true]);
  expect(await call("read", epoch, seq, "routes", "b")).toEqual(['{"text":"one"}', false]);
});

test("a lookup that meets a newer shard moves the worker to the newer commit", async () => {
  await call("full", "v1", [route("a", "one"), route("b", "one")]);
  expect(await call("served", "routes", "a")).toEqual(["one", "v1"]);
  await call("delta", "v2", [route("a", "two"), route("b", "two")]);
  // Decoded before, so served as it was …
  expect(await call("get", "routes", "a")).toEqual(["one", "v1"]);
  // … until something of the new commit is needed.
  expect(await call("get", "routes", "b")).toEqual(["two", "v2"]);
  expect(await call("get", "routes", "a")).toEqual(["two", "v2"]);
});

test("a worker that a lookup moved on reports it, too", async () => {
  await nginx.stop();
  nginx = await startLuaNginx({
    http: `init_worker_by_lua_block { require("alb.phases.worker").init() }`,
  });
  await call("full", "v1", [route("a", "one")]);
  await call("delta", "v2", [route("b", "two")]);
  expect(await call("delta_and_get", "v3", [route("b", "three")], "routes", "b")).toEqual([
    "three",
  ]);
  await until(async () => (await call("reported"))[0] === "v3");
});

test("a worker that expects a commit takes it sooner", async () => {
  await nginx.stop();
  nginx = await startLuaNginx({
    http: `init_worker_by_lua_block { require("alb.phases.worker").init() }`,
  });
  await call("full", "v1", [route("a", "one")]);
  const [usual] = await call("delay", 20, false);
  const [expected] = await call("delay", 20, true);
  expect(Number(expected)).toBeLessThan(Number(usual) / 2);
});

test("announcements that follow each other don't make a worker look more often", async () => {
  await nginx.stop();
  nginx = await startLuaNginx({
    http: `init_worker_by_lua_block { require("alb.phases.worker").init() }`,
  });
  // Every 2 ms, and every 20 ms.
  const [looks] = await call("looks");
  expect(looks).toBeLessThan(600);
});

test("replacing everything drops what is not in the new policy", async () => {
  await call("full", "v1", [route("a", "one"), route("b", "one")]);
  await call("served", "routes", "b");
  await call("full", "v2", [route("a", "two")]);
  expect(await call("served", "routes", "a")).toEqual(["two", "v2"]);
  expect(await call("served", "routes", "b")).toEqual(["", "v2"]);
});

test("a worker that missed more commits than are logged drops all it knows", async () => {
  await call("full", "v1", [route("a", "one"), route("b", "one")]);
  await call("served", "routes", "a");
  for (let i = 0; i < 100; i++) await call("delta", `v${String(i + 2)}`, [route("b", String(i))]);
  await call("delta", "last", [route("a", "two")]);
  expect(await call("served", "routes", "a")).toEqual(["two", "last"]);
  expect(await call("served", "routes", "b")).toEqual(["99", "last"]);
});

test("a changed auth policy is changed in the routes that use it, and no other route is prepared anew", async () => {
  const withAuth = (id: string, auth?: string): readonly string[] => [
    "routes",
    id,
    JSON.stringify(auth === undefined ? {} : { auth: [auth] }),
  ];
  const policy = (id: string, problem: string): readonly string[] => [
    "auths",
    id,
    JSON.stringify({ invalid: problem }),
  ];
  const inherited = (auth: string): readonly string[] => [
    "inherited",
    "listener",
    JSON.stringify({ policies: [auth] }),
  ];
  const routes = [["of a"], ["of b"], ["of c"], ["inherits", "listener"]];
  const prepared = (): Promise<readonly unknown[]> => call("prepared", routes);
  await call("full", "v1", [
    withAuth("of a", "a"),
    withAuth("of b", "b"),
    withAuth("of c", "c"),
    withAuth("inherits"),
    inherited("a"),
    policy("a", "a 1"),
    policy("b", "b 1"),
  ]);
  const missing = "policy c is missing";
  expect(await prepared()).toEqual(["of a, of b, of c, inherits", ["a 1", "b 1", missing, "a 1"]]);
  await call("delta", "v2", [policy("a", "a 2")]);
  expect(await prepared()).toEqual(["of a, inherits", ["a 2", "b 1", missing, "a 2"]]);
  await call("delta", "v3", [policy("c", "c 3")]);
  expect(await prepared()).toEqual(["of c", ["a 2", "b 1", "c 3", "a 2"]]);
  await call("delta", "v4", [inherited("b")]);
  expect(await prepared()).toEqual(["inherits", ["a 2", "b 1", "c 3", "b 1"]]);
  // What a route no longer uses does not concern it.
  await call("delta", "v5", [policy("a", "a 5"), withAuth("of b", "a")]);
  expect(await prepared()).toEqual(["of a, of b", ["a 5", "a 5", "c 3", "b 1"]]);
  await call("delta", "v6", [policy("b", "b 6")]);
  expect(await prepared()).toEqual(["inherits", ["a 5", "a 5", "c 3", "b 6"]]);
  await call("delta", "v7", [["settings", "-", JSON.stringify({ authTimeout: 1 })]]);
  // The gateway's error pages are settings, so each route is prepared again; only a start with other options changes them.
  const all = "of a, of b, of c, inherits";
  expect(await prepared()).toEqual([all, ["a 5", "a 5", "c 3", "b 6"]]);
});

test("a change that does not fit is undone as a whole", async () => {
  await call("full", "v1", [route("a", "one"), route("b", "one")]);
  const before = await call("committed");
  expect(await call("too_large", "v2")).toEqual([false, "no memory"]);
  expect(await call("committed")).toEqual(before);
  expect(await call("served", "routes", "a")).toEqual(["one", "v1"]);
  expect(await call("served", "routes", "b")).toEqual(["one", "v1"]);
});

describe("thousands of shards", () => {
  test.each(["full", "delta"])("are written with pauses: %s", async (kind) => {
    await call("full", "v1", [route("a", "one")]);
    const [ok, , pauses] = await call("many", kind, "v2", 1000, "two");
    expect(ok).toBe(true);
    expect(pauses).toBeGreaterThanOrEqual(5);
    expect(await call("served", "routes", "r1000")).toEqual(["two", "v2"]);
  });

  test("are forgotten together by a worker that has some of them", async () => {
    await call("many", "full", "v1", 9000, "one");
    expect(await call("served", "routes", "r9000")).toEqual(["one", "v1"]);
    await call("many", "delta", "v2", 9000, "two");
    expect(await call("served", "routes", "r9000")).toEqual(["two", "v2"]);
    await call("delta", "v3", [route("r1", "three")]);
    expect(await call("served", "routes", "r9000")).toEqual(["two", "v3"]);
    // Of what it replaced nothing is left but that of the last commit.
    expect(await call("size")).toEqual([9001]);
  });

  test("leave nothing behind when they are replaced", async () => {
    await call("many", "full", "v1", 1000, "one");
    await call("many", "full", "v2", 1000, "two");
    expect(await call("size")).toEqual([1000]);
    await call("full", "v3", [route("r7", "three")]);
    expect(await call("size")).toEqual([1]);
    expect(await call("served", "routes", "r7")).toEqual(["three", "v3"]);
  });

  test.each(["full", "delta"])("yield to who commits in a pause: %s", async (kind) => {
    await call("many", "full", "v1", 1000, "one");
    const [ok, error] = await call("many", kind, "v2", 1000, "two", "v3");
    expect([ok, error]).toEqual([false, "overtaken"]);
    expect(await call("served", "routes", "r1")).toEqual(["other", "v3"]);
    expect(await call("served", "routes", "r2")).toEqual(["", "v3"]);
    await call("full", "v4", [route("r1", "four")]);
    expect(await call("served", "routes", "r1")).toEqual(["four", "v4"]);
  });
});

test("nothing of what a writer began before it died is served, and a whole policy clears it away", async () => {
  for (const kind of ["delta", "full"]) {
    await call("many", "full", "v1", 1000, "one");
    expect(await call("die", kind, "v2", 1000)).toEqual([false, "killed"]);
    expect(await call("delta", "v3", [route("r1000", "three")])).toEqual([false, "unfinished"]);
    expect(await call("served", "routes", "r1")).toEqual(["one", "v1"]);
    await call("many", "full", "v3", 1000, "three");
    expect(await call("served", "routes", "r1")).toEqual(["three", "v3"]);
    expect(await call("size")).toEqual([1000]);
    expect((await call("delta", "v4", [route("r1", "four")]))[0]).toBe(true);
    expect(await call("served", "routes", "r1")).toEqual(["four", "v4"]);
  }
});

test.each([
  [`albc-policy ${POLICY_FORMAT} - v1\n`, [["-", "v1", 0], null]],
  [
    `albc-policy ${POLICY_FORMAT} v1 v2\n=\troutes\ta\t{"x":1}\n-\thosts\tl|h\n`,
    [["v1", "v2", 2], null],
  ],
  ["albc-policy 9 - v1\n", ["", "policy format 9 is not supported"]],
  ["", ["", "malformed first line"]],
  [`albc-policy ${POLICY_FORMAT} - v1\nx\n`, ["", "line 2: malformed line"]],
  [`albc-policy ${POLICY_FORMAT} - v1\n=\tnothing\ta\t1\n`, ["", "line 2: unknown map"]],
  [`albc-policy ${POLICY_FORMAT} - v1\n=\troutes\ta\n`, ["", "line 2: malformed line"]],
])("the control protocol: %j", async (body, result) => {
  expect(await call("parse", body)).toEqual(result);
});
