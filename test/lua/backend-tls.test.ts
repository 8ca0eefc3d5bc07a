import { createSecureServer, type Http2SecureServer } from "node:http2";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { Authority, selfSigned, type KeyPair } from "../../e2e/harness/certificates.js";
import type { BackendTls } from "../../src/model/upstream.js";
import { SecretText } from "../../src/support/secret-text.js";
import { Http2Client } from "../../e2e/harness/http2-client.js";
import { LuaGateway, type TestRoute } from "../support/lua-gateway.js";

/** What a backend saw of a request. */
interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly servername: string;
  readonly client: string | undefined;
  readonly body: string;
}

let servers: Server[] = [];
let requests = 0;

/** A backend that answers what it saw, as JSON. */
async function startBackend(pair: KeyPair, clientCa?: string): Promise<number> {
  const server = createServer(
    {
      cert: pair.certificate,
      key: pair.key,
      ...(clientCa !== undefined && { requestCert: true, rejectUnauthorized: true, ca: clientCa }),
    },
    (request, response) => {
      requests += 1;
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const socket = request.socket as unknown as {
          servername?: string | false;
          getPeerCertificate(): { subject?: { CN?: string } };
        };
        const status = Number(request.headers["x-answer"] ?? 200);
        response.writeHead(status, { "content-type": "application/json" });
        response.end(
          JSON.stringify({
            method: request.method,
            url: request.url,
            headers: request.headers,
            servername: socket.servername === false ? "" : socket.servername,
            client: socket.getPeerCertificate().subject?.CN,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      });
    },
  );
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

let ca: Authority;
let gateway: LuaGateway;
let grpc: Http2SecureServer;

const profile = (id: string, over: Partial<BackendTls> = {}): BackendTls => ({
  id,
  hostname: "backend.example",
  authorities: { kind: "pem", pem: ca.pair.certificate },
  ...over,
});

const through = (tls: string, upstream: string): TestRoute => ({
  backends: [{ upstream, weight: 1, protocol: "https", tls }],
});

beforeAll(async () => {
  ca = await Authority.create("backends");
  const other = await Authority.create("others");
  const good = await ca.issue("backend.example");
  const ports = {
    good: await startBackend(good),
    wrongName: await startBackend(await ca.issue("elsewhere.example")),
    wrongCa: await startBackend(await other.issue("backend.example")),
    selfSigned: await startBackend(await selfSigned("backend.example")),
    named: await startBackend(
      await ca.issue("first.example", "*.wild.example", "URI:spiffe://mesh/backend"),
    ),
    mutual: await startBackend(good, ca.pair.certificate),
  };
  const client = await ca.issue("the-gateway");
  grpc = createSecureServer({ cert: good.certificate, key: good.key });
  grpc.on("stream", (stream, headers) => {
    const path = headers[":path"];
    stream.respond(
      { "content-type": "application/grpc", "x-path": path },
      { waitForTrailers: true },
    );
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end("answer");
  });
  grpc.listen(0, "127.0.0.1");
  await once(grpc, "listening");
  const san = (kind: "hostname" | "uri", ...values: string[]) => ({
    names: values.map((value) => [kind, value] as const),
  });
  const profiles: readonly BackendTls[] = [
    profile("ca-plain"),
    profile("ca-elsewhere", { hostname: "elsewhere.example" }),
    profile("client-plain", { clientCertificate: "client" }),
    profile("ca-first", san("hostname", "nobody.example", "first.example")),
    profile("ca-wild", san("hostname", "a.wild.example")),
    profile("ca-deep", san("hostname", "b.a.wild.example")),
    profile("ca-uri", san("uri", "spiffe://mesh/backend")),
    profile("ca-longer", san("uri", "spiffe://mesh/backend2", "spiffe://mesh/backen")),
    profile("client-names", {
      ...san("hostname", "backend.example"),
      clientCertificate: "client",
    }),
    { id: "none-client", authorities: { kind: "none" }, clientCertificate: "client" },
  ];
  const grpcBackend = (tls: string): TestRoute => ({
    backends: [{ upstream: "grpc", weight: 1, protocol: "grpcs", tls }],
  });
  gateway = await LuaGateway.start({
    backend: 1,
    routes: {
      good: through("ca-plain", "good"),
      "wrong-name": through("ca-plain", "wrongName"),
      "wrong-ca": through("ca-plain", "wrongCa"),
      "self-signed": through("ca-plain", "selfSigned"),
      mutual: through("client-plain", "mutual"),
      "mutual-without": through("ca-plain", "mutual"),
      unchecked: through("none-client", "mutual"),
      "san-first": through("ca-first", "named"),
      "san-wild": through("ca-wild", "named"),
      "san-deep": through("ca-deep", "named"),
      "san-uri": through("ca-uri", "named"),
      "san-uri-longer": through("ca-longer", "named"),
      "san-wrong-ca": through("client-names", "wrongCa"),
      "san-mutual": through("client-names", "mutual"),
      "pool-a": through("ca-plain", "good"),
      "pool-b": through("client-plain", "good"),
      grpc: grpcBackend("ca-plain"),
      "grpc-wrong": grpcBackend("ca-elsewhere"),
      "grpc-san": grpcBackend("ca-first"),
    },
    upstreams: [
      ...Object.entries(ports).map(([id, port]) => ({
        id,
        endpoints: [["127.0.0.1", port] as const],
      })),
      {
        id: "grpc",
        endpoints: [["127.0.0.1", (grpc.address() as AddressInfo).port]],
      },
    ],
    model: (model) => ({
      ...model,
      backendTls: profiles,
      certificates: [{ id: "client", chain: client.certificate, key: new SecretText(client.key) }],
    }),
  });
});
afterAll(async () => {
  await gateway.close();
  grpc.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers = [];
});

async function ask(host: string, over: Partial<Parameters<LuaGateway["send"]>[0]> = {}) {
  const response = await gateway.send({ host, ...over });
  expect(response.status).toBe(200);
  return JSON.parse(response.text) as Seen;
}

async function expectRefused(host: string) {
  const before = requests;
  const response = await gateway.send({ host });

  expect(response.status).toBe(502);
  expect(response.header("x-alb-err-reason")).toBe("BackendError : no valid response from backend");
  expect(requests).toBe(before);
}

describe("a backend whose certificate fits", () => {
  it.each(["good", "san-first", "san-wild", "san-uri"])(
    "gets the request of %s as the client sent it",
    async (host) => {
      const path = "/a%2Fb/%C3%A4//c?x=%20y&z";
      const seen = await ask(host, { path, method: "PUT", body: "the body" });

      expect([seen.method, seen.url, seen.body]).toEqual(["PUT", path, "the body"]);
      expect(seen.headers["host"]).toBe(host);
      expect(seen.servername).toBe("backend.example");
      expect(seen.headers["x-forwarded-host"]).toBe(host);
      const own = Object.keys(seen.headers).filter((name) => name.startsWith("x-albc"));
      expect(own).toEqual(["x-albc-turns"]);
    },
  );

  it.each(["good", "san-first"])("gets a body in chunks by %s", async (host) => {
    const body = "x".repeat(300_000);
    const seen = await ask(host, { method: "POST", body, chunked: true });

    expect(seen.body.length).toBe(body.length);
  });

  it.each(["good", "san-first"])("answers errors of its own by %s", async (host) => {
    const response = await gateway.send({ host, headers: [["X-Answer", "503"]] });

    expect(response.status).toBe(503);
    expect(response.header("x-alb-err-reason")).toBeUndefined();
  });

  it.each(["mutual", "san-mutual", "unchecked"])("sees our certificate by %s", async (host) => {
    expect((await ask(host)).client).toBe("the-gateway");
  });
});

describe("no request reaches a backend whose certificate", () => {
  it.each([
    ["is for another name", "wrong-name"],
    ["is of another authority", "wrong-ca"],
    ["is signed by itself", "self-signed"],
    ["has a wildcard that is too high", "san-deep"],
    ["has other URIs only", "san-uri-longer"],
    ["has the name but another authority", "san-wrong-ca"],
  ])("%s", async (_name, host) => {
    await expectRefused(host);
  });
});

it("a backend that wants our certificate answers nothing without", async () => {
  const response = await gateway.send({ host: "mutual-without" });

  expect(response.status).toBeGreaterThanOrEqual(400);
});

it("connections of one TLS are not used for another", async () => {
  for (let i = 0; i < 5; i++) {
    expect((await ask("pool-a")).client).toBeUndefined();
    expect((await ask("pool-b")).servername).toBe("backend.example");
  }
});

describe("gRPC", () => {
  const call = async (authority: string) => {
    const client = await Http2Client.open({ port: gateway.nginx.port });
    try {
      return await client.send({
        ":method": "POST",
        ":path": "/package.Service/Method",
        ":authority": authority,
        "content-type": "application/grpc",
        te: "trailers",
      });
    } finally {
      await client.close();
    }
  };

  it("reaches a backend whose certificate fits", async () => {
    const { status, headers, trailers, body } = await call("grpc");

    expect([status, body.toString(), trailers["grpc-status"]]).toEqual([200, "answer", "0"]);
    expect(headers["x-path"]).toBe("/package.Service/Method");
  });

  it("is refused by a backend of another name", async () => {
    const { status, headers } = await call("grpc-wrong");

    expect([status, headers["grpc-status"]]).toEqual([200, "14"]);
  });

  it("is refused where other names than the host's are to be checked", async () => {
    const { status, headers } = await call("grpc-san");

    expect([status, headers["grpc-status"]]).toEqual([200, "14"]);
  });
});
