import { Connection } from "../../e2e/harness/http-client.js";
import { Http2Client } from "../../e2e/harness/http2-client.js";
import { useScene } from "../../e2e/harness/scene.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { forwardAuth } from "../support/forward-auth.js";
import { authPolicy, LuaGateway } from "../support/lua-gateway.js";
import { ScriptedServer } from "../support/scripted-server.js";
import { until } from "../support/until.js";

const scene = useScene();
const CONNECTIONS = 12;
const STREAMS = 50;
const REQUESTS = 200;
const REASON = "BadRequest : too many requests at once";
const POST = { ":method": "POST", ":path": "/", ":authority": "open.example" };
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
let gateway: LuaGateway;
let backend: ScriptedServer;
let authService: ScriptedServer;

beforeAll(async () => {
  backend = await scene.use(ScriptedServer.start());
  authService = await scene.use(ScriptedServer.start());
  authService.answer = () => undefined;
  const auth = [authPolicy({ forward: forwardAuth(authService.port, "/") })];
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: {
        "open.example": {},
        "deadline.example": { deadlines: { request: 60_000 } },
        "auth.example": { auth },
        "weighted.example": {
          backends: [1, 2].map((weight) => ({ upstream: "backend", weight, protocol: "http" })),
        },
      },
      options: {
        auth: { ...DEFAULT_OPTIONS.auth, timeout: 60_000 },
        dataPlane: {
          ...DEFAULT_OPTIONS.dataPlane,
          workers: 1,
          accessLog: "off",
          http2Streams: STREAMS,
          clientRequests: REQUESTS,
          trustedProxies: ["127.0.0.1/32"],
        },
      },
    }),
  );
});

beforeEach(() => {
  backend.answer = () => undefined;
});

afterEach(async () => {
  // A client that has gone is not noticed while its request is being authorized.
  for (const socket of authService.open) socket.destroy();
  await until(async () => backend.open.size + authService.open.size === 0);
});

/** Begins as many requests as a connection takes; counts the answers by status and reason. */
async function flood(headersOf: (n: number) => Readonly<Record<string, string>>) {
  const answers = new Map<string, number>();
  const clients = await Promise.all(
    Array.from({ length: CONNECTIONS }, () =>
      scene.use(Http2Client.open({ port: gateway.nginx.port })),
    ),
  );
  for (const client of clients) {
    for (let n = 0; n < STREAMS; n += 1) {
      const stream = client.begin({ ...POST, ...headersOf(n) });
      stream.write("begin");
      stream.on("response", (headers) => {
        const key = `${headers[":status"]} ${String(headers["x-alb-err-reason"])}`;
        answers.set(key, (answers.get(key) ?? 0) + 1);
      });
    }
  }
  const refused = () => answers.get(`429 ${REASON}`) ?? 0;
  const close = async () => {
    await Promise.all(clients.map((client) => client.close()));
  };
  return { answers, refused, close };
}

const REFUSED = CONNECTIONS * STREAMS - REQUESTS;

it.each([
  ["open.example", () => backend],
  ["deadline.example", () => backend],
  // Those that wait for authorization count, too.
  ["auth.example", () => authService],
])(
  "concurrent requests of one address to %s are limited over all its connections",
  async (authority, serverOf) => {
    const server = serverOf();
    const { answers, refused, close } = await flood(() => ({ ":authority": authority }));
    await until(async () => refused() >= REFUSED && server.open.size >= REQUESTS);

    expect(Object.fromEntries(answers)).toEqual({ [`429 ${REASON}`]: REFUSED });
    expect(server.open.size).toBe(REQUESTS);

    const other = await scene.use(
      Http2Client.open({ port: gateway.nginx.port, from: "127.0.0.2" }),
    );
    const passes = other.begin({ ...POST, ":authority": authority });
    await until(async () => server.open.size > REQUESTS);
    passes.close();
    await close();
  },
);

it("requests by HTTP/1.1 count as well", async () => {
  const connections = await Promise.all(
    Array.from({ length: REQUESTS + 10 }, () => Connection.open(gateway.target())),
  );
  const refused: number[] = [];
  for (const connection of connections) {
    connection.write("GET / HTTP/1.1\r\nHost: open.example\r\n\r\n");
    void connection.receive().then(
      ({ status }) => refused.push(status),
      () => undefined,
    );
  }
  await until(async () => refused.length >= 10 && backend.open.size >= REQUESTS);

  expect(refused).toEqual(Array(10).fill(429));
  for (const connection of connections) connection.close();
});

it("a network of IPv6 counts as one client, behind a trusted proxy as well", async () => {
  const { refused, close } = await flood((n) => ({ "x-forwarded-for": `2001:db8::${n + 1}` }));
  await until(async () => refused() >= REFUSED && backend.open.size >= REQUESTS);

  expect(refused()).toBe(REFUSED);
  const other = await Connection.open(gateway.target());
  const from = "X-Forwarded-For: 2001:db8:0:1::1\r\n";
  other.write(`GET / HTTP/1.1\r\nHost: open.example\r\n${from}\r\n`);
  await until(async () => backend.open.size > REQUESTS);
  other.close();
  await close();
});

it.each(["open.example", "weighted.example"])(
  "the backend of %s hears of a request when its short body has come",
  async (authority) => {
    const before = backend.connections;
    const client = await scene.use(Http2Client.open({ port: gateway.nginx.port }));
    const stream = client.begin({ ...POST, ":authority": authority, "content-length": "10" });
    stream.write("begin");
    // Another request, begun later, is through: the first could have been.
    backend.answer = (socket) => socket.end(OK);
    expect((await client.send({ ...POST, ":authority": authority }, "whole")).status).toBe(200);
    expect(backend.connections).toBe(before + 1);

    const answered = new Promise((resolve) => stream.on("response", resolve));
    stream.end("--end");
    expect(await answered).toMatchObject({ ":status": 200 });
    await client.close();
  },
);

it("clients are served again when their requests have ended", async () => {
  backend.answer = (socket) => socket.end(OK);

  expect((await gateway.send({ host: "open.example" })).status).toBe(200);
});
