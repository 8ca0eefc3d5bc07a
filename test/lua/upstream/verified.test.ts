import { Authority } from "../../../e2e/harness/certificates.js";
import { EchoBackend, echoOf } from "../../../e2e/harness/echo-backend.js";
import { Connection, formatRequest } from "../../../e2e/harness/http-client.js";
import { headerValues } from "../../../e2e/harness/http-message.js";
import { useScene } from "../../../e2e/harness/scene.js";
import type { BackendTls } from "../../../src/model/upstream.js";
import { LuaGateway, type TestRoute } from "../../support/lua-gateway.js";
import { until } from "../../support/until.js";

const scene = useScene();

let gateway: LuaGateway;
let backends: readonly EchoBackend[];

const verified = (upstream: string, tls = "good") =>
  ({ upstream, protocol: "https", tls }) as const;

const ROUTES: Readonly<Record<string, TestRoute>> = {
  "session.example": {
    backends: [{ ...verified("both"), weight: 1 }],
    session: { in: "cookie", name: "sid", path: "/" },
  },
  "first.example": { backends: [{ ...verified("first"), weight: 1 }] },
  "tried.example": {
    backends: [{ ...verified("both"), weight: 1 }],
    retry: { codes: [503], attempts: 2 },
  },
  "mirror.example": { mirrors: [{ ...verified("first"), numerator: 1, denominator: 1 }] },
  "untrusted.example": {
    mirrors: [{ ...verified("first", "other"), numerator: 1, denominator: 1 }],
  },
};

beforeAll(async () => {
  const authority = await Authority.create("backends");
  const other = await Authority.create("others");
  const tls = await authority.issue("inner.example");
  backends = await Promise.all(
    ["first", "second"].map((name) => scene.use(EchoBackend.start(name, { tls }))),
  );
  const plain = await scene.use(EchoBackend.start("plain"));
  const endpoints = backends.map(({ port }) => ["127.0.0.1", port] as const);
  const profile = (id: string, pem: string): BackendTls => ({
    id,
    hostname: "inner.example",
    authorities: { kind: "pem", pem },
  });
  gateway = await scene.use(
    LuaGateway.start({
      backend: plain.port,
      routes: ROUTES,
      upstreams: [
        { id: "both", endpoints },
        { id: "first", endpoints: endpoints.slice(0, 1) },
      ],
      model: (model) => ({
        ...model,
        backendTls: [
          profile("good", authority.pair.certificate),
          profile("other", other.pair.certificate),
        ],
      }),
    }),
  );
});

beforeEach(() => backends.forEach(({ requests }) => requests.splice(0)));

describe("backends by verified TLS", () => {
  it("can say that their responses are not buffered", async () => {
    let finish: (() => void) | undefined;
    backends[0]?.on("/begun", (_, response) => {
      response.writeHead(200, { "Content-Length": "7", "X-Accel-Buffering": "no" });
      response.write("one ");
      finish = () => response.end("two");
    });
    const connection = await Connection.open(gateway.target());
    connection.write(formatRequest({ host: "first.example", path: "/begun" }));
    const head = await connection.receiveHead();
    const part = String(await connection.reader.bytes(4));
    finish?.();
    connection.close();

    expect([head.status, part]).toEqual([200, "one "]);
    expect(headerValues(head.headers, "x-accel-buffering")).toEqual([]);
  });

  it("keep their sessions", async () => {
    for (let i = 0; i < 4; i++) {
      const first = await gateway.send({ host: "session.example" });
      const cookie = first.header("set-cookie")?.split(";")[0] ?? "";
      expect(cookie).toMatch(/^sid=[\w-]{32}$/);
      for (let again = 0; again < 3; again++) {
        const next = await gateway.send({ host: "session.example", headers: [["Cookie", cookie]] });
        expect(echoOf(next).backend).toBe(echoOf(first).backend);
        expect(next.all("set-cookie")).toEqual([]);
      }
    }
  });

  it("are tried again", async () => {
    const script = ["x-echo-script", JSON.stringify({ status: 503 })] as const;
    const response = await gateway.send({
      host: "tried.example",
      method: "POST",
      body: "a",
      headers: [script],
    });

    expect(response.status).toBe(503);
    expect(backends.flatMap(({ requests }) => requests)).toHaveLength(3);
  });

  it("get copies of requests", async () => {
    const [first] = backends;
    await gateway.send({
      host: "mirror.example",
      method: "POST",
      path: "/a%20b?c",
      body: "content",
    });
    await until(() => first?.requests.length === 1);

    expect(first?.requests[0]?.facts).toMatchObject({
      method: "POST",
      url: "/a%20b?c",
      bodyLength: 7,
    });
    expect(first?.requests[0]?.all("host")).toEqual(["mirror.example"]);
  });

  it("get none when they are not the ones that they should be", async () => {
    const [first] = backends;
    await gateway.send({ host: "untrusted.example" });
    await gateway.send({ host: "mirror.example", path: "/last" });
    await until(() => first?.requests.length === 1);

    expect(first?.requests[0]?.facts.url).toBe("/last");
  });
});
