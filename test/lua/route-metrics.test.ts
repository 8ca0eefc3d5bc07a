import { POLICY_FORMAT } from "../../src/model/policy.js";
import { connect } from "node:net";
import { asking, EchoBackend } from "../../e2e/harness/echo-backend.js";
import { basic } from "../../e2e/harness/htpasswd.js";
import { useScene } from "../../e2e/harness/scene.js";
import { routeMetrics } from "../../src/health/route-metrics.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { ControlClient, type DataPlaneRow } from "../../src/output/control-client.js";
import { credentialSet } from "../support/credentials.js";
import { freePort } from "../support/free-port.js";
import { authPolicy, LuaGateway, type LuaGatewaySetup } from "../support/lua-gateway.js";
import { until } from "../support/until.js";

const scene = useScene();
const ANN = basic("ann", "secret");
/** Columns of lua/alb/request_counts.lua. */
const CLASSES = 5;
const BUCKETS = 7;
const TIME = CLASSES + BUCKETS;
const UPSTREAM = TIME + 1;
const SENT = UPSTREAM + BUCKETS + 1;

let gateway: LuaGateway;
let control: ControlClient;
let backend: EchoBackend;

/** `limit`: of rows. Ids of routes are their hosts. */
async function start(
  setup: Partial<LuaGatewaySetup> & { readonly limit?: number; readonly workers?: number } = {},
): Promise<void> {
  const { limit = 100, workers = 2, ...rest } = setup;
  backend = await scene.use(EchoBackend.start("web"));
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: { a: {}, b: {}, c: {} },
      ...rest,
      options: { dataPlane: { ...DEFAULT_OPTIONS.dataPlane, workers, routeMetrics: limit } },
    }),
  );
  control = new ControlClient(gateway.nginx.dir);
  await until(() =>
    control.status().then(
      ({ workers: running }) => running.length === workers,
      () => false,
    ),
  );
}

const valuesOf = (rows: readonly DataPlaneRow[], of: DataPlaneRow["of"], id: string) => [
  ...(rows.find((row) => row.of === of && row.id === id)?.values ?? []),
];

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, value) => sum + value, 0);

/** The row of a route's requests once it has so many. */
async function counted(id: string, requests: number): Promise<readonly number[]> {
  let values: readonly number[] = [];
  await until(async () => {
    values = valuesOf((await control.rows()).rows, "requests", id);
    return sumOf(values.slice(0, CLASSES)) >= requests;
  });
  expect(sumOf(values.slice(0, CLASSES))).toBe(requests);
  return values;
}

/** Sends text on a connection of its own; the bytes of the answer. */
async function exchange(text: string): Promise<number> {
  let received = 0;
  await new Promise<void>((resolve, reject) => {
    const socket = connect(gateway.nginx.port, "127.0.0.1", () => socket.write(text));
    socket.on("data", ({ length }) => (received += length));
    socket.on("end", () => socket.end());
    socket.on("close", () => resolve());
    socket.on("error", reject);
  });
  return received;
}

test("requests of a route are counted by class, time and bytes, over all workers", async () => {
  await start();
  const text = (body: string) =>
    `POST /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;
  const requests = ["", "x".repeat(700), "x".repeat(2000), "x".repeat(40_000)].map(text);
  const sent: number[] = [];
  for (const request of requests) sent.push(await exchange(request));
  for (let i = 0; i < 16; i++) await gateway.send({ host: "b" });
  await gateway.send({ host: "b", headers: [asking({ status: 503 })] });
  await gateway.send({ host: "b", headers: [asking({ delay: 150, status: 404 })] });
  await gateway.send({ host: "unknown" });

  const a = await counted("a", 4);
  expect(a.slice(0, CLASSES)).toEqual([0, 4, 0, 0, 0]);
  expect(a[SENT]).toBe(sumOf(sent));
  expect(a[SENT + 1]).toBe(sumOf(requests.map(({ length }) => length)));

  const b = await counted("b", 18);
  expect(b.slice(0, CLASSES)).toEqual([0, 16, 0, 1, 1]);
  for (const first of [CLASSES, UPSTREAM]) {
    expect(sumOf(b.slice(first, first + BUCKETS))).toBe(18);
    // Above 100 ms is the slow one at least.
    expect(sumOf(b.slice(first + 3, first + BUCKETS))).toBeGreaterThanOrEqual(1);
    expect(b[first + BUCKETS]).toBeGreaterThanOrEqual(150);
  }
  const { rows } = await control.rows();
  expect(rows.map(({ id }) => id).sort()).toEqual(["a", "b"]);
});

test("tries of several endpoints are one upstream time, a route without backends has none", async () => {
  const [dead, dumb] = [await freePort(), await freePort()];
  await start({
    routes: {
      a: { backends: [{ upstream: "two", weight: 1, protocol: "http" }] },
      b: { backends: [{ upstream: "none", weight: 1, protocol: "http" }] },
    },
    upstreams: [
      {
        id: "two",
        endpoints: [
          ["127.0.0.1", dead],
          ["127.0.0.1", dumb],
        ],
      },
      { id: "none", endpoints: [] },
    ],
  });
  for (const host of ["a", "b"]) await gateway.send({ host });
  const a = await counted("a", 1);
  expect(a.slice(0, CLASSES)).toEqual([0, 0, 0, 0, 1]);
  expect(sumOf(a.slice(UPSTREAM, UPSTREAM + BUCKETS))).toBe(1);
  const b = await counted("b", 1);
  expect(sumOf(b.slice(UPSTREAM, UPSTREAM + BUCKETS))).toBe(0);
  expect(sumOf(b.slice(CLASSES, CLASSES + BUCKETS))).toBe(1);
});

test("a client that leaves counts as 4xx", async () => {
  await start();
  const socket = connect(gateway.nginx.port, "127.0.0.1");
  const [name, value] = asking({ delay: 300 });
  socket.write(`GET / HTTP/1.1\r\nHost: a\r\n${name}: ${value}\r\n\r\n`);
  await until(() => Promise.resolve(backend.requests.length > 0));
  socket.destroy();
  expect((await counted("a", 1)).slice(0, CLASSES)).toEqual([0, 0, 0, 1, 0]);
});

test("checks are counted for the policy that decided, or for the route without one", async () => {
  const users = { basic: { realm: "r", file: "users" } } as const;
  const named = authPolicy({ id: "authpolicy/n/users", ...users });
  const other = authPolicy({ id: "authpolicy/n/other", ...users });
  const shared = authPolicy({ id: "auth-0123", ...users });
  await start({
    credentials: [await credentialSet("users", { ann: "secret" })],
    routes: {
      a: { auth: [named] },
      b: { auth: [shared] },
      c: { auth: [shared] },
      d: { deny: ["127.0.0.0/8"] },
      e: { auth: [named, other] },
      f: { auth: [authPolicy({ id: "authpolicy/n/broken", invalid: "auth-secret n/s" })] },
    },
  });
  const ask = (host: string, authorization = "") =>
    gateway.send({ host, headers: authorization === "" ? [] : [["Authorization", authorization]] });
  for (const host of ["a", "b", "c", "d", "e", "f"]) await ask(host);
  for (const host of ["a", "b", "e"]) await ask(host, ANN);
  await ask("c", basic("ann", "wrong"));
  const { rows, outcomes } = await control.rows();
  const checks = Object.fromEntries(
    rows.flatMap((row) =>
      row.of === "checks"
        ? [
            [
              row.id,
              Object.fromEntries(
                outcomes.map((name, i) => [name, row.values[i]]).filter(([, n]) => n !== 0),
              ),
            ],
          ]
        : [],
    ),
  );
  expect(checks).toEqual({
    "authpolicy/n/users": { basic_missing: 2, passed: 2 },
    "authpolicy/n/other": { passed: 1 },
    "authpolicy/n/broken": { auth_invalid: 1 },
    b: { basic_missing: 1, passed: 1 },
    c: { basic_missing: 1, basic_wrong: 1 },
    d: { source_refused: 1 },
  });
});

/** Waits until none of these workers is in use. */
async function untilReplaced(old: readonly number[]): Promise<void> {
  await until(async () => {
    const status = await control.status().catch(() => undefined);
    return (
      status?.workers.length === status?.expected &&
      (status?.workers.every(({ pid }) => !old.includes(pid)) ?? false)
    );
  });
}

test("reloads and killed workers lose no count, nor does a request that outlives its worker", async () => {
  await start();
  const pids = async () => (await control.status()).workers.map(({ pid }) => pid);
  let total = 0;
  const ask = async (count: number) => {
    for (let i = 0; i < count; i++) await gateway.send({ host: "a" });
    total += count;
  };
  await ask(20);
  for (let reload = 0; reload < 3; reload += 1) {
    const old = await pids();
    const slow = gateway.send({ host: "a", headers: [asking({ delay: 700 })] });
    process.kill(gateway.nginx.pid, "SIGHUP");
    await untilReplaced(old);
    await ask(10);
    expect((await slow).status).toBe(200);
    total += 1;
    await counted("a", total);
  }
  const old = await pids();
  for (const pid of old) process.kill(pid, "SIGKILL");
  await untilReplaced(old);
  await ask(10);
  await counted("a", total);
});

/** Counters of removed routes are given back at the second question. */
const hasty = (port: number) => `
  server {
    listen 127.0.0.1:${String(port)};
    location / { content_by_lua_block { require("alb.rows").RETENTION = -1 } }
  }`;

test("routes beyond the limit share a row; a removed route gives its row back", async () => {
  const port = await freePort();
  await start({ limit: 2, workers: 1, environment: { "hasty.conf": hasty(port) } });
  for (const host of ["a", "b", "b", "c"]) await gateway.send({ host });
  await counted("", 1);
  await counted("b", 2);

  const remove = async (id: string, to: string) => {
    const { version } = await control.status();
    const body = `albc-policy ${POLICY_FORMAT} ${version} ${to}\n-\troutes\t${id}\n`;
    expect(await control.put(body)).toEqual({ kind: "accepted" });
  };
  await remove("b", "v2");
  await remove("another", "v3");
  // Its counts stay for a while, in case that it comes back.
  await control.rows();
  await counted("b", 2);
  await gateway.send({ host: "hasty", port });
  expect(valuesOf((await control.rows()).rows, "requests", "b")).toEqual([]);

  // Decoded again, the route that had none gets the row.
  const { version } = await control.status();
  const shard = JSON.stringify({
    source: ["Test", "n", "c", ""],
    backends: [{ upstream: "backend", weight: 1, protocol: "http" }],
  });
  await control.put(`albc-policy ${POLICY_FORMAT} ${version} v4\n=\troutes\tc\t${shard}\n`);
  await gateway.send({ host: "c" });
  await counted("c", 1);
  await counted("a", 1);
  await counted("", 1);
});

test("nothing is counted if it is switched off", async () => {
  await start({ limit: 0 });
  await gateway.send({ host: "a" });
  expect((await control.rows()).rows).toEqual([]);
  expect(Buffer.concat(routeMetrics(await control.rows()))).toHaveLength(0);
});
