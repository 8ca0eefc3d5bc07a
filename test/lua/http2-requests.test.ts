import { Http2Client } from "../../e2e/harness/http2-client.js";
import { useScene } from "../../e2e/harness/scene.js";
import { DEFAULT_OPTIONS } from "../../src/options.js";
import { LuaGateway } from "../support/lua-gateway.js";
import { ScriptedServer } from "../support/scripted-server.js";
import { until } from "../support/until.js";

const scene = useScene();
const CONNECTIONS = 12;
const STREAMS = 50;
const REQUESTS = 200;
const REASON = "BadRequest : too many requests at once";
const POST = { ":method": "POST", ":path": "/", ":authority": "open.example" };
let gateway: LuaGateway;
let backend: ScriptedServer;

beforeAll(async () => {
  backend = await scene.use(ScriptedServer.start());
  backend.answer = () => undefined;
  const dataPlane = { ...DEFAULT_OPTIONS.dataPlane, workers: 1, accessLog: "off" };
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: {
        "open.example": {},
        "deadline.example": { deadlines: { request: 60_000 } },
      },
      options: { dataPlane: { ...dataPlane, http2Streams: STREAMS, http2Requests: REQUESTS } },
    }),
  );
});

/** Begins as many requests as a connection takes; counts the answers by status and reason. */
async function flood(authority: string) {
  const answers = new Map<string, number>();
  const clients = await Promise.all(
    Array.from({ length: CONNECTIONS }, () =>
      scene.use(Http2Client.open({ port: gateway.nginx.port })),
    ),
  );
  for (const client of clients) {
    for (let n = 0; n < STREAMS; n += 1) {
      const stream = client.begin({ ...POST, ":authority": authority });
      stream.write("begin");
      stream.on("response", (headers) => {
        const key = `${headers[":status"]} ${String(headers["x-alb-err-reason"])}`;
        answers.set(key, (answers.get(key) ?? 0) + 1);
      });
    }
  }
  return { answers, clients };
}

it.each(["open.example", "deadline.example"])(
  "requests at once by HTTP/2 of one address to %s are limited over all its connections",
  async (authority) => {
    const { answers, clients } = await flood(authority);
    const refused = CONNECTIONS * STREAMS - REQUESTS;
    await until(async () => (answers.get(`429 ${REASON}`) ?? 0) >= refused);
    await until(async () => backend.open.size >= REQUESTS);

    expect(Object.fromEntries(answers)).toEqual({ [`429 ${REASON}`]: refused });
    expect(backend.open.size).toBe(REQUESTS);

    const other = await scene.use(
      Http2Client.open({ port: gateway.nginx.port, from: "127.0.0.2" }),
    );
    const passes = other.begin(POST);
    await until(async () => backend.open.size > REQUESTS);
    passes.close();

    for (const client of clients) await client.close();
    await until(async () => backend.open.size === 0);
  },
);

it("they are served again when the others have ended", async () => {
  backend.answer = (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  const client = await scene.use(Http2Client.open({ port: gateway.nginx.port }));
  const { status } = await client.send({ ":path": "/", ":authority": "open.example" });

  expect(status).toBe(200);
});
