import {
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  createServer,
} from "node:http2";
import { listen } from "./free-port.js";
import type { Closable } from "./scene.js";

/** Answers every call with its own message: HTTP/2 in clear text, the outcome in the trailers, as gRPC does. */
export class GrpcBackend implements Closable {
  readonly port: number;
  /** Headers of the calls, oldest first. */
  readonly calls: IncomingHttpHeaders[] = [];
  readonly #server: Http2Server;
  readonly #sessions: Set<ServerHttp2Session>;

  private constructor(port: number, server: Http2Server, sessions: Set<ServerHttp2Session>) {
    this.port = port;
    this.#server = server;
    this.#sessions = sessions;
  }

  static async start(): Promise<GrpcBackend> {
    const server = createServer();
    const sessions = new Set<ServerHttp2Session>();
    server.on("session", (session) => {
      sessions.add(session);
      session.on("close", () => sessions.delete(session));
    });
    const backend = new GrpcBackend(await listen(server), server, sessions);
    server.on("stream", (stream, headers) => backend.#answer(stream, headers));
    return backend;
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    this.calls.push(headers);
    stream.on("error", () => undefined);
    stream.respond(
      { ":status": 200, "content-type": "application/grpc" },
      { waitForTrailers: true },
    );
    stream.on("wantTrailers", () => {
      stream.sendTrailers({ "grpc-status": "0", "grpc-message": "done" });
    });
    stream.pipe(stream);
  }
}

/** A message in gRPC's framing: uncompressed, its length in four bytes. */
export function grpcMessage(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}
