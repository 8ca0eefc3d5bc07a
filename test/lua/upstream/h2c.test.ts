import { createServer, type IncomingHttpHeaders, type ServerHttp2Session } from "node:http2";
import { listen } from "../../../e2e/harness/free-port.js";
import { Http2Client } from "../../../e2e/harness/http2-client.js";
import { useScene, type Closable } from "../../../e2e/harness/scene.js";
import { freePort } from "../../support/free-port.js";
import { LuaGateway, type TestRoute } from "../../support/lua-gateway.js";

const scene = useScene();

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Speaks HTTP/2 in clear text and nothing else; answers with the statuses given, the last one for all that follow. */
class H2cBackend implements Closable {
  readonly received: Received[] = [];
  statuses: readonly number[] = [200];
  port = 0;
  readonly #server = createServer();
  readonly #sessions = new Set<ServerHttp2Session>();

  static async start(): Promise<H2cBackend> {
    const backend = new H2cBackend();
    backend.#server.on("session", (session) => void backend.#sessions.add(session));
    backend.#server.on("stream", (stream, headers) => {
      const chunks: Buffer[] = [];
      stream.on("error", () => undefined);
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        backend.received.push({ headers, body: Buffer.concat(chunks).toString() });
        const [status = 200, ...rest] = backend.statuses;
        if (rest.length > 0) backend.statuses = rest;
        if (status === 0) return;
        stream.respond({ ":status": status, "x-answer": "h2c" });
        stream.end("answer");
      });
    });
    backend.port = await listen(backend.#server);
    return backend;
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const h2c = (upstream: string, route: TestRoute = {}): TestRoute => ({
  ...route,
  backends: [{ upstream, weight: 1, protocol: "h2c" }],
});

const ROUTES: Readonly<Record<string, TestRoute>> = {
  "plain.example": h2c("h2c"),
  "changed.example": h2c("h2c", {
    rewrite: ["prefix", "/old", "/new"],
    host: "inner.example",
  }),
  "retry.example": h2c("h2c", { retry: { codes: [503], attempts: 2 } }),
  "deadline.example": h2c("h2c", { deadlines: { request: 300 } }),
  "limited.example": h2c("h2c", { bodyLimit: 5 }),
  "closed.example": h2c("closed"),
};

let backend: H2cBackend;
let gateway: LuaGateway;

beforeAll(async () => {
  backend = await scene.use(H2cBackend.start());
  gateway = await scene.use(
    LuaGateway.start({
      backend: 1,
      routes: ROUTES,
      upstreams: [
        { id: "h2c", endpoints: [["127.0.0.1", backend.port]] },
        { id: "closed", endpoints: [["127.0.0.1", await freePort()]] },
      ],
    }),
  );
});

beforeEach(() => {
  backend.received.splice(0);
  backend.statuses = [200];
});

describe("a backend that speaks h2c", () => {
  it("gets method, target, host, headers and body", async () => {
    const response = await gateway.send({
      host: "plain.example",
      method: "POST",
      path: "/a%20b?c=d",
      headers: [["X-Test", "1"]],
      body: "content",
    });

    expect([response.status, response.text]).toEqual([200, "answer"]);
    expect(response.header("x-answer")).toBe("h2c");
    expect(backend.received).toEqual([
      {
        headers: expect.objectContaining({
          ":method": "POST",
          ":path": "/a%20b?c=d",
          host: "plain.example",
          "x-test": "1",
          "x-forwarded-host": "plain.example",
        }) as IncomingHttpHeaders,
        body: "content",
      },
    ]);
  });

  it("is asked by clients of HTTP/2 as well", async () => {
    const client = await scene.use(Http2Client.open({ port: gateway.nginx.port }));
    const response = await client.send({ ":authority": "plain.example", ":path": "/x" });

    expect([response.status, response.body.toString()]).toEqual([200, "answer"]);
    expect(backend.received[0]?.headers).toMatchObject({ ":path": "/x", host: "plain.example" });
  });

  it("sees rewritten paths and hosts", async () => {
    await gateway.send({ host: "changed.example", path: "/old/a%20b?c" });

    expect(backend.received[0]?.headers).toMatchObject({
      ":path": "/new/a%20b?c",
      host: "inner.example",
    });
  });

  it("sees each byte of a rewritten path as it is, or is not asked", async () => {
    const escapes = Array.from({ length: 256 }, (_, byte) =>
      byte < 16 ? `%0${byte.toString(16)}` : `%${byte.toString(16).toUpperCase()}`,
    );
    for (const escape of escapes.filter((each) => each !== "%00" && each !== "%2E")) {
      backend.received.splice(0);
      const { status } = await gateway.send({ host: "changed.example", path: `/old/a${escape}b` });
      const seen = backend.received[0]?.headers[":path"];
      expect([status, status === 400 || seen?.toLowerCase()]).toEqual(
        status === 400 ? [400, true] : [200, `/new/a${escape}b`.toLowerCase()],
      );
    }
    expect((await gateway.send({ host: "changed.example", path: "/old/%C3%A9" })).status).toBe(200);
    expect((await gateway.send({ host: "changed.example", path: "/old/a%2Fb" })).reason).toBe(
      "BadRequest : escape not allowed in a rewritten path to HTTP/2",
    );
  });

  it("has its errors passed on as they are", async () => {
    backend.statuses = [404, 500];

    expect((await gateway.send({ host: "plain.example" })).status).toBe(404);
    expect((await gateway.send({ host: "plain.example" })).status).toBe(500);
  });

  it("that is not there is a 502, not an outcome of gRPC", async () => {
    const response = await gateway.send({ host: "closed.example" });

    expect([response.status, response.reason]).toEqual([
      502,
      "BackendError : no valid response from backend",
    ]);
    expect(response.header("grpc-status")).toBeUndefined();
  });

  it.each([7, 100_000])("is tried again with a body of %d bytes", async (size) => {
    const body = "x".repeat(size);
    // One before leaves a connection that is kept.
    await gateway.send({ host: "plain.example" });
    backend.statuses = [503, 503, 200];
    const response = await gateway.send({ host: "retry.example", method: "POST", body });

    expect(response.status).toBe(200);
    expect(backend.received.slice(1).map((request) => request.body === body)).toEqual([
      ...[true, true, true],
    ]);
  });

  it("has a deadline", async () => {
    backend.statuses = [0];
    const response = await gateway.send({ host: "deadline.example" });

    expect([response.status, response.reason]).toEqual([504, "TimeoutViaAlb"]);
  });

  it("gets no body above the limit", async () => {
    const post = { host: "limited.example", method: "POST", chunked: true };

    expect((await gateway.send({ ...post, body: "12345" })).status).toBe(200);
    expect((await gateway.send({ ...post, body: "123456" })).status).toBe(413);
    expect(backend.received).toHaveLength(1);
  });
});
