import { EchoBackend } from "../../../e2e/harness/echo-backend.js";
import { selfSigned } from "../../../e2e/harness/certificates.js";
import { sendBytes } from "../../../e2e/harness/http-client.js";
import { Http2Client } from "../../../e2e/harness/http2-client.js";
import { LuaGateway } from "../../support/lua-gateway.js";
import { tlsListener, withTls } from "../../support/tls-gateway.js";
import { onePlace } from "../../../src/model/route.js";

/** The listeners of Gateway API's own table: none, one exact name, a wildcard, and a name below the wildcard. */
const LISTENERS = [
  "",
  "second.example",
  "*.wildcard.example",
  "fourth.wildcard.example",
  "127.0.0.1",
];

let backend: EchoBackend;
let gateway: LuaGateway;
beforeAll(async () => {
  backend = await EchoBackend.start("backend");
  const pair = await selfSigned("first.example");
  const listeners = LISTENERS.map((hostname) => tlsListener(hostname));
  const ids = listeners.map(({ id }) => id);
  gateway = await LuaGateway.start({
    backend: backend.port,
    routes: Object.fromEntries(ids.map((id) => [id, {}])),
    model: (model) => {
      const made = withTls(pair, listeners, ids)(model);
      // The listener for any host serves one host only.
      const host = { kind: "exact", host: "first.example" } as const;
      const bindings = made.bindings.map((one) =>
        one.route === "any" ? { ...one, at: onePlace("any", host) } : one,
      );
      return { ...made, bindings };
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await backend.close();
});

const REASON = "BadRequest : misdirected request";

const TABLE = [
  ["first.example", "first.example", 200],
  ["first.example", "unknown.example", 404],
  ["unknown.example", "first.example", 200],
  ["first.example", "second.example", 421],
  ["first.example", "third.wildcard.example", 421],
  ["second.example", "second.example", 200],
  ["second.example", "first.example", 421],
  ["second.example", "unknown.example", 421],
  ["second.example", "fourth.wildcard.example", 421],
  ["third.wildcard.example", "third.wildcard.example", 200],
  ["third.wildcard.example", "other.deep.wildcard.example", 200],
  ["third.wildcard.example", "fourth.wildcard.example", 421],
  ["fourth.wildcard.example", "fourth.wildcard.example", 200],
  ["fourth.wildcard.example", "third.wildcard.example", 421],
  ["", "first.example", 200],
  ["", "second.example", 421],
] as const;

/** What goes with a status: 421 says why. */
const reasonOf = (status: number) => (status === 421 ? REASON : undefined);

describe("over HTTP/1.1", () => {
  it.each(TABLE)("server name %p and host %s give %d", async (servername, host, status) => {
    const response = await gateway.send({ host, tls: { servername, rejectUnauthorized: false } });

    expect(response.status).toBe(status);
    if (status !== 404) expect(response.header("x-alb-err-reason")).toBe(reasonOf(status));
  });
});

test("a client that names no host asks for the address", async () => {
  const target = gateway.target({ tls: { rejectUnauthorized: false } });
  const response = await sendBytes(target, "GET / HTTP/1.0\r\n\r\n");

  expect(response.status).toBe(421);
});

describe("over HTTP/2", () => {
  it.each(TABLE)("server name %p and host %s give %d", async (servername, host, status) => {
    const client = await Http2Client.open({ port: gateway.nginx.port, servername });
    const response = await client.send({ ":authority": host });
    await client.close();

    expect(response.status).toBe(status);
    if (status !== 404) expect(response.headers["x-alb-err-reason"]).toBe(reasonOf(status));
  });
});

it("compares names without case, port and final dot", async () => {
  const tls = { servername: "SECOND.example", rejectUnauthorized: false };
  const response = await gateway.send({ host: "Second.Example.:8443", tls });

  expect(response.status).toBe(200);
});

it("tells gRPC clients that nothing matches, and that they are misdirected, in grpc-status", async () => {
  const client = await Http2Client.open({ port: gateway.nginx.port, servername: "first.example" });
  const send = async (authority: string) =>
    client.send({
      ":method": "POST",
      ":authority": authority,
      "content-type": "application/grpc",
      te: "trailers",
    });
  const [unmatched, misdirected] = [await send("unknown.example"), await send("second.example")];
  await client.close();

  expect([unmatched.status, unmatched.headers["grpc-status"]]).toEqual([200, "12"]);
  expect([misdirected.status, misdirected.headers["grpc-status"]]).toEqual([200, "2"]);
});
