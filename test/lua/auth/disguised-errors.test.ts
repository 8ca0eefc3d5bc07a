/** Nothing but an answer that says yes lets a request in: whatever the client claims to speak, and whoever answers for the auth service. */
import { EchoBackend } from "../../../e2e/harness/echo-backend.js";
import { Http2Client } from "../../../e2e/harness/http2-client.js";
import { useScene } from "../../../e2e/harness/scene.js";
import type { AuthConfig } from "../../../src/model/auth.js";
import { externalAuth, forwardAuth, text } from "../../support/forward-auth.js";
import { freePort } from "../../support/free-port.js";
import {
  authPolicy,
  LuaGateway,
  OWN_PORT,
  type TestRoute,
  withOwnPort,
} from "../../support/lua-gateway.js";
import { say, sayAndEnd, ScriptedServer } from "../../support/scripted-server.js";

const scene = useScene();
const GRPC = "application/grpc+proto";

const ORIGIN = "https://app.example";
const CORS = { origins: ["*"], methods: ["GET"], headers: [], credentials: false, maxAge: 60 };

/** What a gateway answers for an auth service behind it, by the host of the question. */
const BEHIND: Readonly<Record<string, TestRoute>> = {
  "no-endpoints": { backends: [{ upstream: "empty", weight: 1, protocol: "http" }] },
  "no-grpc-endpoints": { backends: [{ upstream: "empty", weight: 1, protocol: "grpc" }] },
  "no-backend": { backends: [] },
  closed: { auth: [authPolicy({ invalid: "secret default/x not found" })] },
  password: { auth: [authPolicy({ basic: { realm: "r", file: "users" } })] },
  denied: { deny: ["0.0.0.0/0"] },
  refused: { backends: [{ upstream: "refusing", weight: 1, protocol: "http" }] },
  "refused-grpc": { backends: [{ upstream: "refusing", weight: 1, protocol: "grpc" }] },
  "http-as-grpc": { backends: [{ upstream: "http", weight: 1, protocol: "grpc" }] },
  "cors-ingress": { cors: CORS, backends: [] },
  "cors-gateway": { cors: { ...CORS, dialect: "gateway" }, backends: [] },
  slow: {
    backends: [{ upstream: "silent", weight: 1, protocol: "http" }],
    deadlines: { request: 300 },
  },
};

const head = (...lines: readonly string[]) =>
  ["HTTP/1.1 200 OK", "Content-Type: application/grpc", ...lines].join("\r\n");
/** What answers in place of an auth service without a gateway in between. */
const SAID: Readonly<Record<string, string>> = {
  "a gRPC status": head("Content-Length: 0", "grpc-status: 14"),
  "a gRPC status that is no number": head("Content-Length: 0", "Grpc-Status: no"),
  "an empty gRPC status": head("Content-Length: 0", "grpc-status:"),
  "two gRPC statuses": head("Content-Length: 0", "grpc-status: 0", "grpc-status: 7"),
  "a reason": head("Content-Length: 0", "X-ALB-ERR-REASON: InvalidBalancer : no peer"),
  "a gRPC status in the trailer": `${head("Transfer-Encoding: chunked")}\r\n\r\n0\r\ngrpc-status: 12`,
  "a body and a gRPC status in the trailer": `${head("Transfer-Encoding: chunked")}\r\n\r\n1\r\nx\r\n0\r\nx: y\r\nGrpc-Status:7`,
};

/** How the auth service is asked. `body`: the client's goes on to it. */
const ASKED: Readonly<Record<string, (port: number, host: string) => AuthConfig>> = {
  ...Object.fromEntries(
    ["GET", "POST", "PUT", "OPTIONS"].map((method) => [
      `by ${method}`,
      (port, host) => {
        // A mark is bound to the host of the URL, so the service is found by its name.
        const upstream = port === OWN_PORT ? "self" : "said";
        return authPolicy({
          forward: forwardAuth(port, "/", { method, host: text(host), upstream }),
        });
      },
    ]),
  ),
  ...Object.fromEntries(
    [0, 1000].map((maxBody) => [
      maxBody === 0 ? "by ExternalAuth" : "by ExternalAuth with the body",
      (port) => {
        const headers = ["content-type", "content-encoding"];
        return authPolicy({ external: externalAuth(port, "", { headers, maxBody }) });
      },
    ]),
  ),
};

let backend: EchoBackend;
let auth: ScriptedServer;
let gateway: LuaGateway;
let client: Http2Client;

const hostOf = (behind: string, asked: string) =>
  `${behind}-${asked}.example`.replaceAll(" ", "-").toLowerCase();

/** The app asks with its own Host by ExternalAuth, so the service is found by the path. */
function routes(): Readonly<Record<string, TestRoute>> {
  const apps = Object.entries(ASKED).flatMap(([asked, policy]) => [
    ...[...Object.keys(BEHIND), "no-route", "external", "open"].map((behind) => {
      const app = { auth: [policy(OWN_PORT, `${behind}.example`)] };
      return [hostOf(behind, asked), app] as const;
    }),
    [hostOf("said", asked), { auth: [policy(auth.port, "said.example")] }] as const,
  ]);
  const behind = Object.entries(BEHIND).map(([name, route]) => [`${name}.example`, route]);
  const open = { backends: [{ upstream: "said", weight: 1, protocol: "http" }] };
  const external = { auth: [authPolicy({ external: externalAuth(auth.port, "/") })] };
  return Object.fromEntries([
    ...apps,
    ...behind,
    ["external.example", external],
    ["open.example", open],
  ]) as Record<string, TestRoute>;
}

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
  auth = await scene.use(ScriptedServer.start());
  const silent = await scene.use(ScriptedServer.start());
  silent.answer = () => undefined;
  const http = await scene.use(ScriptedServer.start());
  http.answer = sayAndEnd("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  const at = (id: string, port: number) => ({ id, endpoints: [["127.0.0.1", port] as const] });
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: routes(),
      credentials: [{ id: "users", entries: {} }],
      upstreams: [
        { id: "empty", endpoints: [] },
        at("refusing", await freePort()),
        at("silent", silent.port),
        at("http", http.port),
        at("said", auth.port),
      ],
      model: withOwnPort,
    }),
  );
  client = await scene.use(Http2Client.open({ port: gateway.nginx.port }));
});

/** Asks as a gRPC client by HTTP/1.1 and by HTTP/2; whether each got to the backend. */
async function getsIn(host: string): Promise<readonly boolean[]> {
  const count = backend.requests.length;
  const headers = [
    ["Content-Type", GRPC],
    ["Origin", ORIGIN],
    ["Access-Control-Request-Method", "GET"],
  ] as const;
  await gateway.send({ host, method: "POST", headers, body: "four" });
  const first = backend.requests.length;
  await client.send(
    { ":method": "POST", ":path": "/", ":authority": host, "content-type": GRPC },
    "four",
  );
  return [first > count, backend.requests.length > first];
}

const FORWARD = Object.keys(ASKED).filter((asked) => !asked.includes("ExternalAuth"));

describe.each(FORWARD)("asked %s", (asked) => {
  it.each([...Object.keys(BEHIND), "no-route"])(
    "a gateway's answer for an auth service, %s, is a refusal",
    async (behind) => {
      expect(await getsIn(hostOf(behind, asked))).toEqual([false, false]);
    },
  );
});

describe.each(FORWARD)("asked %s", (asked) => {
  it("a service's own answer of 200 through a gateway lets the request in", async () => {
    auth.answer = say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    expect(await getsIn(hostOf("open", asked))).toEqual([true, true]);
  });

  it.each([201, 202, 204, 299])(
    "a gateway's answer %d of an ExternalAuth that refuses is a refusal",
    async (status) => {
      auth.answer = say(
        `HTTP/1.1 ${String(status)} X\r\n${status === 204 ? "" : "Content-Length: 0\r\n"}\r\n`,
      );
      expect(await getsIn(hostOf("external", asked))).toEqual([false, false]);
      const refusal = await gateway.send({ host: "external.example" });
      expect([refusal.status, refusal.reason]).toEqual([
        status,
        `AuthFail : auth-service-status: ${String(status)}`,
      ]);
    },
  );
});

describe.each(Object.keys(ASKED))("asked %s", (asked) => {
  it.each(Object.entries(SAID))("an answer of 200 with %s is a refusal", async (_, answer) => {
    auth.answer = say(`${answer}\r\n\r\n`);
    expect(await getsIn(hostOf("said", asked))).toEqual([false, false]);
    const plain = await gateway.send({ host: hostOf("said", asked) });
    expect(plain.status).toBeGreaterThanOrEqual(500);
    expect(plain.reason).toMatch(/^AuthFail : /);
  });

  it("an answer of 200 lets the request in, and so does one with the gRPC status 0", async () => {
    for (const line of ["X: y", "grpc-status: 0"]) {
      auth.answer = say(`${head("Content-Length: 0", line)}\r\n\r\n`);
      expect(await getsIn(hostOf("said", asked))).toEqual([true, true]);
    }
  });
});
