/** An endpoint that can't be reached gets no requests until a probe connects to it. */
import { existsSync } from "node:fs";
import { EchoBackend } from "../../../e2e/harness/echo-backend.js";
import { Scene } from "../../../e2e/harness/scene.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import { POLICY_FORMAT } from "../../../src/model/policy.js";
import type { Upstream } from "../../../src/model/upstream.js";
import { ControlClient } from "../../../src/output/control-client.js";
import { freePort } from "../../support/free-port.js";
import { authPolicy, LuaGateway, type TestRoute } from "../../support/lua-gateway.js";
import { OtherMachine } from "../../support/other-machine.js";
import { ScriptedServer } from "../../support/scripted-server.js";
import { until } from "../../support/until.js";
import { MOST_MS, workerTime } from "../../support/worker-time.js";

const scene = new Scene();
afterEach(() => scene.close());
const host = "a.example";

const upstreamOf = (id: string, ports: readonly number[]): Upstream => ({
  id,
  endpoints: ports.map((port) => ["127.0.0.1", port] as const),
});

const to = (upstream: string): TestRoute => ({
  backends: [{ upstream, weight: 1, protocol: "http" }],
});

const livingOnes = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => scene.use(EchoBackend.start(String(i)))));

async function start(
  ports: readonly number[],
  route: TestRoute = {},
  workers = 1,
): Promise<LuaGateway> {
  return scene.use(
    LuaGateway.start({
      backend: ports[0] ?? 0,
      routes: {
        [host]: { ...to("pool"), ...route },
        "other.example": to("other"),
        "hashed.example": { ...to("pool"), affinity: ["header", "X-Client"] },
      },
      upstreams: [upstreamOf("pool", ports), upstreamOf("other", ports)],
      options: { dataPlane: { ...DEFAULT_OPTIONS.dataPlane, workers } },
    }),
  );
}

async function statuses(gateway: LuaGateway, count: number, name = host): Promise<Set<number>> {
  const all = new Set<number>();
  for (let i = 0; i < count; i += 1) all.add((await gateway.send({ host: name })).status);
  return all;
}

const OK = new Set([200]);

/** Forward auth at the upstream `auth`. */
const asking = (scheme: "http" | "https") => ({
  ...{ scheme, host: ["service"], port: ["80"], target: ["/auth"], method: "GET" },
  ...{ responseHeaders: [], upstream: "auth" },
});

/** A server that ends each connection in this way when a request has come. */
async function breaking(how: "destroy" | "resetAndDestroy"): Promise<ScriptedServer> {
  const server = await scene.use(ScriptedServer.start());
  server.answer = (socket) => socket[how]();
  return server;
}

const BAD = {
  refuses: freePort,
  closes: async () => (await breaking("destroy")).port,
  resets: async () => (await breaking("resetAndDestroy")).port,
};

const retrying: TestRoute = { retry: { codes: [503], attempts: 1 } };

test.each([
  [2, "refuses", {}],
  [4, "refuses", {}],
  [4, "refuses", retrying],
  [2, "closes", {}],
  [4, "closes", retrying],
  [4, "resets", {}],
  [100, "refuses", {}],
] as const)("one of %d endpoints that %s is tried once", async (count, how, route) => {
  const living = await livingOnes(count - 1);
  const gateway = await start([await BAD[how](), ...living.map(({ port }) => port)], route);
  const each = 6;
  expect(await statuses(gateway, living.length * each)).toEqual(OK);
  const log = gateway.newLog();
  expect(log.match(/\[error\]/g)).toHaveLength(1);
  expect(log).toContain(`is left out: ${how === "refuses" ? "connect_failed" : "closed_early"}`);
  const counts = living.map(({ requests }) => requests.length);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2);
});

test("requests with one try avoid it once the first has failed", async () => {
  const [living] = await livingOnes(1);
  const route: TestRoute = { retry: { codes: [], attempts: 0 } };
  const gateway = await start([await freePort(), living?.port ?? 0], route);
  const all: number[] = [];
  for (let i = 0; i < 12; i += 1) all.push((await gateway.send({ host })).status);
  expect(all.filter((status) => status !== 200)).toEqual([502]);
  expect(all.indexOf(502)).toBeLessThan(2);
});

test("it gets requests again soon after it is back", async () => {
  const [living] = await livingOnes(1);
  const port = await freePort();
  const gateway = await start([port, living?.port ?? 0], {}, 2);
  expect(await statuses(gateway, 20)).toEqual(OK);
  const back = await scene.use(EchoBackend.start("back", { port }));
  await until(async () => {
    await statuses(gateway, 1);
    return back.requests.length > 0;
  }, 2000);
  // Each worker learns it within a moment.
  await until(async () => {
    back.requests.splice(0);
    await statuses(gateway, 12);
    return back.requests.length === 6;
  });
  expect(gateway.newLog()).toMatch(/endpoint \S+ of pool is back after/);
});

test("all are tried if none can be reached", async () => {
  const gateway = await start([await freePort(), await freePort()]);
  expect(await statuses(gateway, 3)).toEqual(new Set([502]));
  expect(gateway.newLog().match(/\[error\]/g)).toHaveLength(6);
});

test("another tenant's upstream with the same addresses is not affected", async () => {
  const [living] = await livingOnes(1);
  const gateway = await start([await freePort(), living?.port ?? 0]);
  await statuses(gateway, 4);
  gateway.newLog();
  expect(await statuses(gateway, 4, "other.example")).toEqual(OK);
  expect(gateway.newLog().match(/is left out/g)).toHaveLength(1);
});

test("endpoints of another tenant that come and go don't keep its own out of the log", async () => {
  const [living] = await livingOnes(1);
  const dead = await Promise.all(Array.from({ length: 40 }, () => freePort()));
  const upstreams = ["loud/web/80", "quiet/web/80"].map((id) =>
    upstreamOf(id, [living?.port ?? 0, ...(id.startsWith("loud") ? dead : dead.slice(0, 1))]),
  );
  const routes = { [host]: to("loud/web/80"), "other.example": to("quiet/web/80") };
  const gateway = await scene.use(LuaGateway.start({ backend: 0, routes, upstreams }));
  await statuses(gateway, 40);
  expect(gateway.newLog().match(/is left out/g)?.length).toBe(10);
  await statuses(gateway, 4, "other.example");
  expect(gateway.newLog()).toContain("of quiet/web/80 is left out");
});

test("neither a kept connection that is closed nor a late response counts", async () => {
  const server = await scene.use(ScriptedServer.start());
  const answer = server.answer;
  server.answer = (socket, request) => {
    if (request.head.startsWith("GET /late ")) return;
    if (request.number === 1) answer(socket, request);
    else socket.resetAndDestroy();
  };
  const [living] = await livingOnes(1);
  const timeouts = { connect: 5000, send: 200, read: 200 };
  const gateway = await start([server.port, living?.port ?? 0], { timeouts });
  expect(await statuses(gateway, 20)).toEqual(OK);
  expect(server.requests.some(({ number }) => number > 1)).toBe(true);
  const late = [1, 2].map(() => gateway.send({ host, path: "/late" }));
  const answers = (await Promise.all(late)).map(({ status }) => status);
  expect(answers.sort()).toEqual([200, 504]);
  expect(gateway.newLog()).not.toContain("is left out");
});

test("workers of a reload know it, and an address that comes anew is another endpoint", async () => {
  const [living] = await livingOnes(1);
  const dead = await freePort();
  const gateway = await start([dead, living?.port ?? 0]);
  await statuses(gateway, 4);
  const control = new ControlClient(gateway.nginx.dir);
  const [out] = (await control.status()).out ?? [];
  expect(out).toMatchObject({ upstream: "pool", endpoint: `127.0.0.1:${dead}` });
  expect(await control.counters()).toMatchObject({
    outages: { "pool\tconnect_failed": 1 },
    out: { pool: 1 },
  });
  const [before] = (await control.status()).workers;
  await control.reload();
  // The old worker takes connections for a moment longer.
  await until(() => !existsSync(`/proc/${String(before?.pid)}`));
  gateway.newLog();
  expect(await statuses(gateway, 4)).toEqual(OK);
  expect(gateway.newLog()).not.toContain("connect() failed");

  for (const ports of [[living?.port ?? 0], [dead, living?.port ?? 0]]) {
    const { version } = await control.status();
    const json = JSON.stringify(upstreamOf("pool", ports));
    const change = `albc-policy ${POLICY_FORMAT} ${version} ${version}x\n=\tupstreams\tpool\t${json}\n`;
    expect(await control.put(change)).toEqual({ kind: "accepted" });
    await until(async () => {
      const { workers } = await control.status();
      return workers.every((worker) => worker.version === `${version}x`);
    });
  }
  expect(await statuses(gateway, 4)).toEqual(OK);
  expect(gateway.newLog()).toContain("connect() failed");
});

test("sessions go elsewhere meanwhile and keep their cookie, and only hashes of it move", async () => {
  const living = await livingOnes(3);
  const ports = living.map(({ port }) => port);
  const gateway = await start(ports, { session: { in: "cookie", name: "sid", path: "/" } });
  const ask = async (cookie: string) => {
    const response = await gateway.send({ host, headers: [["Cookie", cookie]] });
    return { by: response.header("x-echo"), sets: response.header("set-cookie") };
  };
  const { by, sets } = await ask("a=b");
  const [cookie = ""] = sets?.split(";") ?? [];
  const client = (n: number) =>
    gateway.send({ host: "hashed.example", headers: [["X-Client", String(n)]] });
  const placed = async () =>
    Promise.all(Array.from({ length: 30 }, async (_, n) => (await client(n)).header("x-echo")));
  const before = await placed();
  const gone = living.find(({ name }) => name === by);
  await gone?.close();
  await placed();
  for (let n = 0; n < 4; n += 1) {
    const next = await ask(cookie);
    expect(next.by).not.toBe(by);
    expect(next.sets).toBeUndefined();
  }
  const after = await placed();
  expect(before.filter((name, n) => name !== by && name !== after[n])).toEqual([]);
  expect(after).not.toContain(by);
  await scene.use(EchoBackend.start("back", { port: gone?.port ?? 0 }));
  await until(async () => (await ask(cookie)).by === "back");
});

test("a request that no endpoint answers puts none out", async () => {
  const servers = await Promise.all([1, 2, 3].map(() => scene.use(ScriptedServer.start())));
  for (const server of servers) {
    const { answer } = server;
    server.answer = (socket, request) => {
      if (request.head.startsWith("GET /panic ")) socket.destroy();
      else if (request.head.startsWith("GET /large "))
        socket.write(`HTTP/1.1 302 Found\r\nLocation: /${"x".repeat(20_000)}\r\n\r\n`);
      else answer(socket, request);
    };
  }
  const gateway = await start(servers.map(({ port }) => port));
  for (const path of ["/panic", "/large", "/panic"])
    expect((await gateway.send({ host, path })).status).toBe(502);
  expect(await statuses(gateway, 6)).toEqual(OK);
  expect(gateway.newLog()).not.toContain("is left out");
});

test("in an upstream of 20,000 endpoints that refuse, a request costs a worker little", async () => {
  const port = await freePort();
  const endpoints = Array.from({ length: 20_000 }, (_, i) => {
    return [`127.1.${i >> 8}.${i & 255}`, port] as const;
  });
  const gateway = await scene.use(
    LuaGateway.start({
      backend: 0,
      routes: { [host]: to("pool") },
      upstreams: [{ id: "pool", endpoints }],
    }),
  );
  await statuses(gateway, 1);
  const ran = await workerTime(gateway.nginx);
  const before = ran();
  await statuses(gateway, 100);
  expect((ran() - before) / 100).toBeLessThan(MOST_MS / 2);
});

test("a deadline that ends a connection's start puts no endpoint out", async () => {
  if (!OtherMachine.isPossible) return;
  const machine = await scene.use(OtherMachine.start());
  machine.drop();
  const [living] = await livingOnes(1);
  const upstream = upstreamOf("pool", [living?.port ?? 0]);
  const gateway = await scene.use(
    LuaGateway.start({
      backend: 0,
      routes: { [host]: { ...to("pool"), deadlines: { backendRequest: 50 } } },
      upstreams: [{ ...upstream, endpoints: [...upstream.endpoints, [machine.address, 80]] }],
    }),
  );
  await statuses(gateway, 4);
  expect(gateway.newLog()).not.toContain("is left out");
});

test("what TLS says to an auth question puts no endpoint out: others ask the same Service without it", async () => {
  const [web, ...living] = await livingOnes(3);
  const gateway = await scene.use(
    LuaGateway.start({
      backend: web?.port ?? 0,
      routes: { [host]: { auth: [authPolicy({ forward: asking("https") })] } },
      upstreams: [
        upstreamOf(
          "auth",
          living.map(({ port }) => port),
        ),
      ],
    }),
  );
  expect(await statuses(gateway, 6)).not.toContain(200);
  const log = gateway.newLog();
  expect(log).toContain("TLS: ");
  expect(log).not.toContain("is left out");
});

test("auth services and mirrors avoid one that refuses", async () => {
  const [web, ...living] = await livingOnes(3);
  const ports = [await freePort(), ...living.map(({ port }) => port)];
  const gateway = await scene.use(
    LuaGateway.start({
      backend: web?.port ?? 0,
      routes: {
        [host]: {
          auth: [authPolicy({ forward: asking("http") })],
          mirrors: [{ upstream: "mirror", protocol: "http", numerator: 1, denominator: 1 }],
        },
      },
      upstreams: [upstreamOf("auth", ports), upstreamOf("mirror", ports)],
    }),
  );
  let log = "";
  await until(async () => {
    await gateway.send({ host });
    log += gateway.newLog();
    return ["auth", "mirror"].every((id) => log.includes(`of ${id} is left out: connect_failed`));
  });
  expect(await statuses(gateway, 4)).toEqual(OK);
});
