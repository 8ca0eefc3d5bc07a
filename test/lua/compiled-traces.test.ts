import { fileURLToPath } from "node:url";
import { EchoBackend } from "../../e2e/harness/echo-backend.js";
import { Connection } from "../../e2e/harness/http-client.js";
import { basic } from "../../e2e/harness/htpasswd.js";
import { useScene } from "../../e2e/harness/scene.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { credentialSet } from "../support/credentials.js";
import { freePort } from "../support/free-port.js";
import { authPolicy, LuaGateway } from "../support/lua-gateway.js";

const TEST_LUA = fileURLToPath(new URL(".", import.meta.url));

/** Answered outside of the gateway's servers: tells what LuaJIT has compiled. */
const teller = (port: number) => `
  server {
    listen 127.0.0.1:${port};
    location = /start { content_by_lua_block {
      package.path = "${TEST_LUA}?.lua;" .. package.path
      require("traces").start()
    } }
    location = /tell { content_by_lua_block { require("traces").tell() } }
  }`;

const TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

const scene = useScene();
let tellerPort: number;

async function start(mode: "off" | "headers"): Promise<LuaGateway> {
  const backend = await scene.use(EchoBackend.start("web"));
  const second = await scene.use(EchoBackend.start("second"));
  tellerPort = await freePort();
  return scene.use(
    LuaGateway.start({
      backend: backend.port,
      credentials: [await credentialSet("users", { ann: "secret" })],
      routes: {
        "open.example": {},
        "sampled.example": { traceRate: 50 },
        "filtered.example": {
          requestHeaders: { set: [["X-A", "1"]] },
          responseHeaders: { set: [["X-B", "2"]] },
        },
        "steps.example": {
          requestSteps: [{ headers: [["X-A", ["of ", ["host", "raw"]]]] }],
          responseSteps: [
            {
              headers: [
                ["X-B", [["request_id", "raw"]]],
                ["X-C", []],
              ],
              statuses: [200, 404],
            },
            { adds: true, headers: [["X-D", ["1"]]], types: ["application/json"] },
          ],
        },
        "forward.example": {
          auth: [
            authPolicy({
              forward: {
                ...{ scheme: "http", host: ["127.0.0.1"], port: [String(backend.port)] },
                ...{ target: ["/auth"], method: "GET", responseHeaders: ["x-user"] },
              },
            }),
          ],
        },
        "several.example": { backends: [{ upstream: "several", weight: 1, protocol: "http" }] },
        "basic.example": { auth: [authPolicy({ basic: { realm: "r", file: "users" } })] },
      },
      upstreams: [
        {
          id: "several",
          endpoints: [backend, second].map(({ port }) => ["127.0.0.1", port] as const),
        },
      ],
      environment: { "teller.conf": teller(tellerPort) },
      options: {
        dataPlane: {
          ...DEFAULT_OPTIONS.dataPlane,
          workers: 1,
          trace: { ...DEFAULT_OPTIONS.dataPlane.trace, mode },
        },
      },
    }),
  );
}

/** One function that LuaJIT gives up on costs a third of what a request does: no test of behaviour would see it. */
test.each([
  ["a plain route", "open.example", []],
  ["a route with several endpoints", "several.example", []],
  ["a plain route in a new trace", "open.example", [], "headers"],
  ["a plain route in a client's trace", "open.example", [["traceparent", TRACEPARENT]], "headers"],
  ["a route with a trace rate", "sampled.example", [], "headers"],
  ["a route with header filters", "filtered.example", []],
  ["a route with steps of header changes", "steps.example", []],
  // Up to the question to the auth service: after that, the request goes on in the middle of functions.
  ["a route with forward auth", "forward.example", []],
  ["a route with basic auth", "basic.example", [["Authorization", basic("ann", "secret")]]],
] as const)(
  "LuaJIT compiles all that a request of %s runs through",
  async (_, host, headers, mode: "off" | "headers" = "off") => {
    const isCompiled = async (): Promise<boolean> => {
      const gateway = await start(mode);
      const ask = (path: string) => gateway.send({ port: tellerPort, host: "teller", path });
      await ask("/start");
      for (let round = 0; round < 40; round += 1) {
        // nginx ends a connection after 1,000 requests.
        const connection = await Connection.open(gateway.target());
        for (let n = 0; n < 100; n += 1)
          await connection.send({ host, headers, path: `/items/${n}?view=short` });
        connection.close();
        const { text } = await ask("/tell");
        if (text.trim() === '["access","balance","header filter","log"]') return true;
      }
      return false;
    };
    // Of a worker that begins to record at bad moments LuaJIT may give up on a function for good, by chance.
    expect((await isCompiled()) || (await isCompiled()) || (await isCompiled())).toBe(true);
  },
);
