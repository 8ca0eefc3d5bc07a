import { connect, type TLSSocket } from "node:tls";
import { once } from "node:events";
import { EchoBackend, echoOf } from "../../../e2e/harness/echo-backend.js";
import { Authority, selfSigned, type KeyPair } from "../../../e2e/harness/certificates.js";
import { Connection } from "../../../e2e/harness/http-client.js";
import { Http2Client } from "../../../e2e/harness/http2-client.js";
import type { ClientCertificates } from "../../../src/model/listener.js";
import { LuaGateway } from "../../support/lua-gateway.js";
import { tlsListener, withTls } from "../../support/tls-gateway.js";

let backend: EchoBackend;
let gateway: LuaGateway;
let clients: Record<"ofA" | "ofB" | "stranger", KeyPair>;

const open = "open.example";
const strictA = "a.strict.example";
const strictB = "b.strict.example";
const asking = "asking.example";

beforeAll(async () => {
  backend = await EchoBackend.start("backend");
  const [a, b, pair, stranger] = await Promise.all([
    Authority.create("A"),
    Authority.create("B"),
    selfSigned("server.example"),
    selfSigned("stranger"),
  ]);
  clients = { ofA: await a.issue("client-a"), ofB: await b.issue("client-b"), stranger };
  const wanting = (ca: Authority, mode: ClientCertificates["mode"]) => ({
    clientCertificates: { authorities: ca.pair.certificate, mode },
  });
  const listeners = [
    tlsListener(open),
    tlsListener(strictA, wanting(a, "required")),
    tlsListener(strictB, wanting(b, "required")),
    tlsListener(asking, wanting(a, "requested")),
  ];
  const ids = listeners.map(({ id }) => id);
  gateway = await LuaGateway.start({
    backend: backend.port,
    routes: Object.fromEntries(ids.map((id) => [id, {}])),
    model: withTls(pair, listeners, ids),
  });
});
afterAll(async () => {
  await gateway.close();
  await backend.close();
});

const tlsOf = (servername: string, client?: KeyPair) => ({
  servername,
  rejectUnauthorized: false,
  ...(client && { cert: client.certificate, key: client.key }),
});

/** Status of an answer, or `closed`. */
async function outcome(servername: string, client?: KeyPair, host = servername): Promise<unknown> {
  try {
    return (await gateway.send({ host, tls: tlsOf(servername, client) })).status;
  } catch {
    return "closed";
  }
}

describe("a listener that requires certificates", () => {
  it("serves a client with one of its authority", async () => {
    const response = await gateway.send({ host: strictA, tls: tlsOf(strictA, clients.ofA) });

    expect(echoOf(response).url).toBe("/");
  });

  it.each(["none", "ofB", "stranger"] as const)(
    "closes the connection of a client with %s",
    async (which) => {
      const client = which === "none" ? undefined : clients[which];

      expect(await outcome(strictA, client)).toBe("closed");
    },
  );

  it("is not reached by a Host of its own over another name", async () => {
    expect(await outcome(open, undefined, strictA)).toBe(421);
    expect(await outcome(strictB, clients.ofB, strictA)).toBe(421);
    expect(await outcome(asking, clients.ofA, strictA)).toBe(421);
  });

  it("does not let its clients go elsewhere", async () => {
    expect(await outcome(strictA, clients.ofA, open)).toBe(421);
    expect(await outcome(strictA, undefined, open)).toBe("closed");
  });

  it("answers no HTTP/2 request without a certificate", async () => {
    const client = await Http2Client.open({ port: gateway.nginx.port, servername: strictA });

    await expect(client.send({ ":authority": strictA })).rejects.toThrow();
    await client.close();
  });
});

describe("other listeners of the same port", () => {
  it("ask for none", async () => {
    expect(await outcome(open)).toBe(200);
    expect(await outcome(open, clients.stranger)).toBe(200);
  });

  it("serve everybody where certificates are only requested", async () => {
    expect(await outcome(asking)).toBe(200);
    expect(await outcome(asking, clients.ofA)).toBe(200);
    expect(await outcome(asking, clients.stranger)).toBe(200);
  });
});

/** A session of a connection that was served, if the server gives any. */
async function sessionOf(servername: string, client: KeyPair, version: "TLSv1.2" | "TLSv1.3") {
  const tls = { ...tlsOf(servername, client), minVersion: version, maxVersion: version };
  const connection = await Connection.open(gateway.target({ tls }));
  const socket = connection.socket as TLSSocket;
  let session: Buffer | undefined;
  socket.on("session", (given: Buffer) => (session = given));
  const response = await connection.send({ host: servername });
  expect(response.status).toBe(200);
  connection.close();
  return session ?? socket.getSession();
}

it.each(["TLSv1.2", "TLSv1.3"] as const)(
  "no session of %s brings an identity to another listener",
  async (version) => {
    const session = await sessionOf(strictA, clients.ofA, version);
    const socket = connect({
      port: gateway.nginx.port,
      host: "127.0.0.1",
      ...tlsOf(strictB),
      minVersion: version,
      maxVersion: version,
      ...(session && { session }),
    });
    await once(socket, "secureConnect");
    const reused = socket.isSessionReused();
    socket.write(`GET / HTTP/1.1\r\nHost: ${strictB}\r\n\r\n`);
    const answer: Buffer[] = [];
    socket.on("data", (bytes: Buffer) => answer.push(bytes));
    socket.on("error", () => undefined);
    await new Promise((resolve) => socket.once("close", resolve));

    expect(reused).toBe(false);
    expect(Buffer.concat(answer).toString()).toBe("");
  },
);
