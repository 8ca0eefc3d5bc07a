import { asking, EchoBackend, echoOf } from "../../../e2e/harness/echo-backend.js";
import { selfSigned } from "../../../e2e/harness/certificates.js";
import { useScene } from "../../../e2e/harness/scene.js";
import type { Mirror } from "../../../src/model/filters.js";
import { freePort } from "../../support/free-port.js";
import { LuaGateway, type TestRoute } from "../../support/lua-gateway.js";
import { say, ScriptedServer } from "../../support/scripted-server.js";
import { until } from "../../support/until.js";

const scene = useScene();

const mirrorTo = (upstream: string, share: readonly [number, number] = [1, 1]): Mirror => ({
  upstream,
  protocol: "http",
  numerator: share[0],
  denominator: share[1],
});

const ROUTES: Readonly<Record<string, TestRoute>> = {
  "all.example": { mirrors: [mirrorTo("a")] },
  "two.example": { mirrors: [mirrorTo("a"), mirrorTo("b")] },
  "share.example": { mirrors: [mirrorTo("a", [3, 7])] },
  "never.example": { mirrors: [mirrorTo("a", [0, 100])] },
  "secure.example": { mirrors: [{ ...mirrorTo("secure"), protocol: "https" }] },
  "broken.example": { mirrors: [mirrorTo("closed"), mirrorTo("silent"), mirrorTo("empty")] },
  "silent.example": { mirrors: [mirrorTo("silent")], source: ["HTTPRoute", "greedy", "x", "spec"] },
  "changed.example": {
    mirrors: [mirrorTo("a")],
    rewrite: ["prefix", "/old", "/new"],
    host: "inner.example",
    requestHeaders: { set: [["X-Set", "1"]], remove: ["x-gone"] },
  },
  "backend.example": {
    backends: [
      {
        upstream: "backend",
        weight: 1,
        protocol: "http",
        filters: { mirrors: [mirrorTo("b")], rewrite: ["full", "/b"] },
      },
    ],
  },
  "spread.example": { mirrors: [mirrorTo("both")] },
};

let backend: EchoBackend;
let a: EchoBackend;
let b: EchoBackend;
let secure: EchoBackend;
let silent: ScriptedServer;
let gateway: LuaGateway;

beforeAll(async () => {
  [backend, a, b, secure, silent] = await Promise.all([
    scene.use(EchoBackend.start("backend")),
    scene.use(EchoBackend.start("a")),
    scene.use(EchoBackend.start("b")),
    scene.use(EchoBackend.start("secure", { tls: await selfSigned("secure.example") })),
    scene.use(ScriptedServer.start()),
  ]);
  silent.answer = say();
  const to = (id: string, ...ports: readonly number[]) => ({
    id,
    endpoints: ports.map((port) => ["127.0.0.1", port] as const),
  });
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: ROUTES,
      upstreams: [
        to("a", a.port),
        to("b", b.port),
        to("both", a.port, b.port),
        to("secure", secure.port),
        to("closed", await freePort()),
        to("silent", silent.port),
        to("empty"),
      ],
    }),
  );
});

beforeEach(() => {
  for (const server of [backend, a, b, secure, silent]) server.requests.splice(0);
});

describe("mirrors", () => {
  it("get what the backend gets, and answer nobody", async () => {
    const response = await gateway.send({
      host: "all.example",
      path: "/a%20b//c?d=e",
      headers: [
        ["X-Test", "1"],
        ["X-Test", "2"],
        ["X-Forwarded-For", "192.0.2.1"],
        ["X_Real_IP", "192.0.2.2"],
        ["Connection", "keep-alive, X-Hop"],
        ["X-Hop", "1"],
        asking({ status: 500 }),
      ],
    });
    await until(() => a.requests.length === 1);
    const [main, copy] = [backend.requests[0], a.requests[0]];

    expect(response.status).toBe(500);
    expect(response.header("x-echo")).toBe("backend");
    expect(copy?.facts).toMatchObject({ method: "GET", url: "/a%20b//c?d=e", bodyLength: 0 });
    for (const name of [
      ...["host", "x-test", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"],
      ...["x-forwarded-port", "x-real-ip", "x-scheme", "x-request-id", "x_real_ip"],
    ]) {
      expect([name, copy?.all(name)]).toEqual([name, main?.all(name)]);
    }
    expect(copy?.header("x-hop")).toBeUndefined();
  });

  it("get the body", async () => {
    for (const size of [1, 100_000, 131_072]) {
      const response = await gateway.send({
        host: "all.example",
        method: "POST",
        body: Buffer.alloc(size, "x"),
      });
      await until(() => a.requests.length === 1);

      expect(a.requests.splice(0)[0]?.facts.bodySha256).toBe(echoOf(response).facts.bodySha256);
    }
  });

  it("get the whole body whatever Content_Length says", async () => {
    for (const length of ["0", "1", "many"]) {
      const headers = [["Content_Length", length]] as const;
      await gateway.send({ host: "all.example", method: "POST", headers, body: "all of it" });
      await until(() => a.requests.length === 1);

      expect(a.requests.splice(0)[0]?.facts.bodyLength).toBe(9);
    }
  });

  it("do not get bodies that are too large or of unknown length", async () => {
    const post = { host: "all.example", method: "POST" };
    gateway.newLog();
    await gateway.send({ ...post, body: Buffer.alloc(131_073) });
    await gateway.send({ ...post, body: "abc", chunked: true });
    await gateway.send({ ...post, path: "/last" });
    await until(() => a.requests.length > 0);
    const told = gateway.newLog().match(/\d+ requests not mirrored, .*? length/g);

    expect(a.requests.map(({ facts }) => facts.url)).toEqual(["/last"]);
    expect(backend.requests).toHaveLength(3);
    // Once in a while, not for each.
    expect(told).toEqual([
      "1 requests not mirrored, the last one of route all.example: body of more than 128 KiB or of unknown length",
    ]);
  });

  it("may be several", async () => {
    await gateway.send({ host: "two.example" });
    await until(() => a.requests.length === 1 && b.requests.length === 1);
  });

  it("get exactly their share", async () => {
    for (let i = 0; i < 70; i++) await gateway.send({ host: "share.example" });
    await gateway.send({ host: "all.example", path: "/last" });
    await until(() => a.requests.some(({ facts }) => facts.url === "/last"));

    expect(a.requests.filter(({ facts }) => facts.url !== "/last")).toHaveLength(30);
  });

  it("of no share get nothing", async () => {
    for (let i = 0; i < 20; i++) await gateway.send({ host: "never.example" });
    await gateway.send({ host: "all.example", path: "/last" });
    await until(() => a.requests.length > 0);

    expect(a.requests.map(({ facts }) => facts.url)).toEqual(["/last"]);
  });

  it("take the endpoints in turn", async () => {
    for (let i = 0; i < 6; i++) await gateway.send({ host: "spread.example" });
    await until(() => a.requests.length === 3 && b.requests.length === 3);
  });

  it("may speak TLS", async () => {
    await gateway.send({ host: "secure.example" });
    await until(() => secure.requests.length === 1);
  });

  it("see what the filters have made of the request", async () => {
    await gateway.send({ host: "changed.example", path: "/old/x?y", headers: [["X-Gone", "1"]] });
    await until(() => a.requests.length === 1);
    const copy = a.requests[0];

    expect(copy?.facts.url).toBe("/new/x?y");
    expect(copy?.all("host")).toEqual(["inner.example"]);
    expect(copy?.header("x-set")).toBe("1");
    expect(copy?.header("x-gone")).toBeUndefined();
  });

  it("of a backend see what its filters have made of the request", async () => {
    await gateway.send({ host: "backend.example", path: "/x" });
    await until(() => b.requests.length === 1);

    expect(b.requests[0]?.facts.url).toBe("/b");
  });

  it("that fail or never answer are not noticed by clients", async () => {
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => gateway.send({ host: "broken.example" })),
    );
    await until(() => silent.requests.length === 5);

    expect(responses.map((response) => response.status)).toEqual([200, 200, 200, 200, 200]);
    expect(gateway.newLog()).not.toMatch(/\[(error|alert|crit|emerg)\]/);
  });

  it("that never answer cost a bounded number of connections, and no other namespace its copies", async () => {
    for (let round = 0; round < 15; round++) {
      await Promise.all(Array.from({ length: 10 }, () => gateway.send({ host: "silent.example" })));
    }
    await until(() => silent.requests.length >= 60);
    for (let i = 0; i < 40; i++) await gateway.send({ host: "all.example" });
    await until(() => a.requests.length === 40);

    expect(silent.requests.length).toBeLessThanOrEqual(64);
    expect(backend.requests).toHaveLength(190);
  });
});
