import { once } from "node:events";
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { Authority } from "../../../e2e/harness/certificates.js";
import { Http2Client } from "../../../e2e/harness/http2-client.js";
import { useScene, type Closable } from "../../../e2e/harness/scene.js";
import { LuaGateway } from "../../support/lua-gateway.js";

const scene = useScene();

/** HTTP/2 by TLS; answers with the statuses given, the last one for all that follow. */
class SecureBackend implements Closable {
  readonly bodies: string[] = [];
  statuses: readonly number[] = [200];
  readonly #server: Http2SecureServer;
  readonly #sessions = new Set<ServerHttp2Session>();

  constructor(server: Http2SecureServer) {
    this.#server = server;
    server.on("session", (session) => void this.#sessions.add(session));
    server.on("stream", (stream) => {
      const chunks: Buffer[] = [];
      stream.on("error", () => undefined);
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        this.bodies.push(Buffer.concat(chunks).toString());
        const [status = 200, ...rest] = this.statuses;
        if (rest.length > 0) this.statuses = rest;
        stream.respond({ ":status": status });
        stream.end("answer");
      });
    });
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

it("a call to a gRPC backend by verified TLS is tried again with its body", async () => {
  const authority = await Authority.create("backends");
  const { certificate: cert, key } = await authority.issue("inner.example");
  const server = createSecureServer({ cert, key });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const backend = await scene.use(Promise.resolve(new SecureBackend(server)));
  const source = { kind: "Test", namespace: "default", name: "test", field: "" };
  const gateway = await scene.use(
    LuaGateway.start({
      backend: 1,
      routes: {
        "grpc.example": {
          retry: { codes: [503], attempts: 2 },
          backends: [{ upstream: "grpc", weight: 1, protocol: "grpcs", tls: "good" }],
        },
      },
      upstreams: [{ id: "grpc", endpoints: [["127.0.0.1", port]] }],
      model: (model) => ({
        ...model,
        backendTls: [
          {
            id: "good",
            source,
            hostname: "inner.example",
            authorities: { kind: "pem", pem: authority.pair.certificate },
          },
        ],
      }),
    }),
  );
  const client = await scene.use(Http2Client.open({ port: gateway.nginx.port }));
  const call = { ":authority": "grpc.example", ":path": "/s/m", ":method": "POST" };
  // The first leaves connections that are kept.
  expect((await client.send(call, "first")).status).toBe(200);
  backend.statuses = [503, 503, 200];
  const response = await client.send(call, "content");

  expect([response.status, response.body.toString()]).toEqual([200, "answer"]);
  expect(backend.bodies).toEqual(["first", "content", "content", "content"]);
});
