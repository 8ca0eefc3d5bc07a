import { createSecureServer } from "node:http2";
import type { TLSSocket } from "node:tls";
import { selfSigned } from "../../../e2e/harness/certificates.js";
import { listen } from "../../../e2e/harness/free-port.js";
import { Http2Client } from "../../../e2e/harness/http2-client.js";
import { useScene } from "../../../e2e/harness/scene.js";
import { LuaGateway, type TestRoute } from "../../support/lua-gateway.js";
import { headersOf, say, ScriptedServer } from "../../support/scripted-server.js";
import { until } from "../../support/until.js";

const scene = useScene();
let gateway: LuaGateway;
let backend: ScriptedServer;
let secure: ScriptedServer;
/** The same of requests by HTTP/2. */
const calls: [string, string, number][] = [];

const LONG = `${"long-label.".repeat(8)}example`;
const NAMES = ["evil.example", "victim.example", LONG, `x${LONG.slice(1)}`];
/** Of requests by TLS: the connection's server name, the request's host, and the connection's number. */
const seen: [string, string, number][] = [];
const overTls = (protocol: "https" | "grpcs"): TestRoute => ({
  backends: [{ upstream: protocol, weight: 1, protocol }],
});

beforeAll(async () => {
  backend = await scene.use(ScriptedServer.start());
  const tls = await selfSigned("any.example");
  secure = await scene.use(ScriptedServer.start({ tls }));
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: {
        "plain.example": {},
        "filtered.example": { host: "inner.example" },
        "deadline.example": { deadlines: { request: 5000 } },
        shop1: {
          mirrors: [{ upstream: "https", protocol: "https", numerator: 1, denominator: 1 }],
        },
        shop2: {
          mirrors: [{ upstream: "https", protocol: "https", numerator: 1, denominator: 1 }],
        },
        ...Object.fromEntries(NAMES.map((name) => [name, overTls("https")])),
        ...Object.fromEntries(NAMES.map((name) => [`g-${name}`, overTls("grpcs")])),
      },
      upstreams: [
        { id: "https", endpoints: [["127.0.0.1", secure.port]] },
        { id: "grpcs", endpoints: [["127.0.0.1", await startCalls(tls)]] },
      ],
    }),
  );
});

async function startCalls(tls: Awaited<ReturnType<typeof selfSigned>>): Promise<number> {
  const server = createSecureServer({ cert: tls.certificate, key: tls.key });
  const numbers = new Map<unknown, number>();
  server.on("session", (session) => {
    numbers.set(session, numbers.size + 1);
    server.once("close", () => session.destroy());
  });
  server.on("stream", (stream, headers) => {
    const { session } = stream;
    const { servername } = session?.socket as TLSSocket;
    calls.push([String(servername), String(headers.host), numbers.get(session) ?? 0]);
    stream.respond({ ":status": 200 }, { endStream: true });
  });
  const port = await listen(server);
  const close = () => {
    for (const session of numbers.keys()) (session as { destroy(): void }).destroy();
    return new Promise<void>((resolve) => void server.close(() => resolve()));
  };
  await scene.use(Promise.resolve({ close }));
  return port;
}

// A backend may close a connection at the moment when the gateway takes it again. nginx then repeats the request, and asks for an endpoint
// anew.
test.each(["plain.example", "filtered.example", "deadline.example"])(
  "a request of %s on a connection that the backend has closed is sent again",
  async (host) => {
    const answer = say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    backend.answer = (socket, request) => {
      if (request.number === 1) answer(socket, request);
      else socket.resetAndDestroy();
    };
    for (let sent = 0; sent < 6; sent += 1) {
      expect((await gateway.send({ host })).status).toBe(200);
    }
    expect(backend.requests.some(({ number }) => number > 1)).toBe(true);
  },
);

describe("a connection by TLS that is not verified serves the server name that it was made for", () => {
  beforeEach(() => {
    seen.splice(0);
    const answer = say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    secure.answer = (socket, request) => {
      const { servername } = socket as TLSSocket;
      const [host = ""] = headersOf(request).get("host") ?? [];
      seen.push([String(servername), host, request.connection]);
      answer(socket, request);
    };
  });

  test("by HTTP/1.1", async () => {
    for (const host of [...NAMES, ...NAMES, ...NAMES]) await gateway.send({ host });

    expect(seen.map(([name]) => name)).toEqual(seen.map(([, host]) => host));
    expect(new Set(seen.map(([, , connection]) => connection)).size).toBe(NAMES.length);
  });

  test("of a mirror", async () => {
    for (const [i, host] of ["shop1", "shop2", "shop1", "shop2"].entries()) {
      await gateway.send({ host });
      await until(() => seen.length > i);
    }

    expect(seen.map(([name]) => name)).toEqual(seen.map(([, host]) => host));
    expect(new Set(seen.map(([, , connection]) => connection)).size).toBe(2);
  });

  test("by HTTP/2", async () => {
    const client = await scene.use(Http2Client.open({ port: gateway.nginx.port }));
    for (const name of [...NAMES, ...NAMES, ...NAMES]) {
      const call = { ":method": "POST", ":path": "/s/m", ":authority": `g-${name}` };
      expect((await client.send(call)).status).toBe(200);
    }

    expect(calls.map(([name]) => name)).toEqual(calls.map(([, host]) => host));
    // Those on which the backend says more than its answer are not kept.
    expect(new Set(calls.map(([, , connection]) => connection)).size).toBeLessThan(calls.length);
  });
});
