/** A forward auth service that records what it is asked and answers as a test tells it. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import type { KeyPair } from "./certificates.js";
import { listen } from "./free-port.js";
import type { HeaderLines } from "./http-message.js";
import { ConnectionCounter, type RecordedRequest, record } from "./recorded-request.js";
import type { Closable } from "./scene.js";

export type AuthAnswer =
  | { readonly status: number; readonly headers?: HeaderLines; readonly body?: string }
  /** These bytes in place of an HTTP answer, then the end of the connection unless `open`. */
  | { readonly raw: string; readonly open?: boolean }
  /** No byte at all. */
  | "silence"
  /** The connection is reset. */
  | "reset";

/** More than the gateway lets through. */
const MAX_HEADER = 256 * 1024;
const ALLOWED: AuthAnswer = { status: 200 };

export class AuthService implements Closable {
  readonly port: number;
  /** Requests since the start, oldest first. */
  readonly requests: RecordedRequest[] = [];
  readonly #server: Server;
  readonly #answers = new Map<string, AuthAnswer>();
  readonly #connections: ConnectionCounter;

  private constructor(port: number, server: Server, connections: ConnectionCounter) {
    this.port = port;
    this.#server = server;
    this.#connections = connections;
  }

  static async start({
    tls,
    address = "127.0.0.1",
    port = 0,
  }: { tls?: KeyPair; address?: string; port?: number } = {}): Promise<AuthService> {
    const server: Server = tls
      ? createTlsServer({ cert: tls.certificate, key: tls.key, maxHeaderSize: MAX_HEADER })
      : createServer({ maxHeaderSize: MAX_HEADER });
    server.keepAliveTimeout = 0;
    const connections = new ConnectionCounter();
    server.on(tls ? "secureConnection" : "connection", (socket: Socket) => connections.add(socket));
    const bound = await listen(server, { host: address, port });
    const service = new AuthService(bound, server, connections);
    server.on("request", (request, response) => {
      service.#handle(request, response).catch(() => response.destroy());
    });
    return service;
  }

  get connections(): number {
    return this.#connections.count;
  }

  /** What requests for this path get from now on, query left aside; without a rule it is an empty 200. */
  answer(path: string, answer: AuthAnswer): void {
    this.#answers.set(path, answer);
  }

  /** Requests for this path, query left aside, oldest first. */
  asked(path: string): RecordedRequest[] {
    return this.requests.filter((request) => pathOf(request.url) === path);
  }

  /** The only request for this path since it was last taken; takes it. */
  take(path: string): RecordedRequest {
    const found = this.asked(path);
    const [only] = found;
    if (!only || found.length > 1) throw new Error(`asked ${found.length} times for ${path}`);
    this.forget(path);
    return only;
  }

  forget(path: string): void {
    const kept = this.requests.filter((request) => pathOf(request.url) !== path);
    this.requests.splice(0, Infinity, ...kept);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const recorded = await record(request, this.#connections.numberOf(request.socket));
    this.requests.push(recorded);
    const answer = this.#answers.get(pathOf(recorded.url)) ?? ALLOWED;
    if (answer === "silence") return;
    if (answer === "reset") request.socket.resetAndDestroy();
    else if ("raw" in answer) sendRaw(request.socket, answer);
    else sendAnswer(response, answer);
  }
}

function sendRaw(socket: Socket, { raw, open = false }: { raw: string; open?: boolean }): void {
  socket.write(raw, "latin1");
  if (!open) socket.end();
}

function sendAnswer(
  response: ServerResponse,
  { status, headers = [], body = "" }: { status: number; headers?: HeaderLines; body?: string },
): void {
  const length = ["Content-Length", String(Buffer.byteLength(body))];
  response.writeHead(status, [...headers.flat(), ...(status === 204 ? [] : length)]);
  response.end(body);
}

function pathOf(url: string): string {
  return url.replace(/\?.*/, "");
}
