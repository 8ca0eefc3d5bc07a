/** A backend that says what it received, as JSON, and answers as a test tells it. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { KeyPair } from "./certificates.js";
import { listen } from "./free-port.js";
import type { HeaderLines, HttpResponse } from "./http-message.js";
import { ConnectionCounter, RecordedRequest, record } from "./recorded-request.js";
import type { Closable } from "./scene.js";
import { echoWebSocket } from "./websocket.js";

/** What to answer; sent with the request, see `asking`. */
export interface EchoScript {
  readonly status?: number;
  readonly headers?: HeaderLines;
  /** Milliseconds before the answer. */
  readonly delay?: number;
  /** Bytes of the body in place of the JSON. */
  readonly bytes?: number;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** What the backend tells about a request. */
export interface Echo {
  readonly backend: string;
  readonly method: string;
  readonly url: string;
  readonly httpVersion: string;
  readonly headers: HeaderLines;
  readonly connection: number;
  readonly bodyLength: number;
  readonly bodySha256: string;
}

/** More than the gateway lets through. */
const MAX_HEADER = 256 * 1024;
const SCRIPT_HEADER = "x-echo-script";

/** The header line that makes an echo backend answer as told. */
export function asking(script: EchoScript): readonly [string, string] {
  return [SCRIPT_HEADER, JSON.stringify(script)];
}

/** What the backend received, from its answer to a client. */
export function echoOf(response: HttpResponse): RecordedRequest & Pick<Echo, "backend"> {
  if (response.header("x-echo") === undefined) {
    throw new Error(`no echo: ${response.statusLine} ${response.reason ?? ""} ${response.text}`);
  }
  const { backend, connection, ...echo } = response.json() as Echo;
  const raw = { ...echo, rawHeaders: echo.headers.flat() };
  const body = { length: echo.bodyLength, sha256: echo.bodySha256 };
  return Object.assign(new RecordedRequest(raw, connection, body), { backend });
}

export class EchoBackend implements Closable {
  readonly name: string;
  readonly port: number;
  readonly address: string;
  /** Requests since the start, oldest first, unless a handler of `on` took them. */
  readonly requests: RecordedRequest[] = [];
  readonly #server: Server;
  readonly #connections: ConnectionCounter;
  readonly #handlers: Map<string, Handler>;

  private constructor(
    names: { readonly name: string; readonly address: string; readonly port: number },
    server: Server,
    parts: { readonly connections: ConnectionCounter; readonly handlers: Map<string, Handler> },
  ) {
    this.name = names.name;
    this.port = names.port;
    this.address = names.address;
    this.#server = server;
    this.#connections = parts.connections;
    this.#handlers = parts.handlers;
  }

  /** Listens on a port of its own on 127.0.0.1, or on `address` and `port`; by TLS with `tls`. */
  static async start(
    name: string,
    {
      tls,
      address = "127.0.0.1",
      port = 0,
    }: { tls?: KeyPair; address?: string; port?: number } = {},
  ): Promise<EchoBackend> {
    const server: Server = tls
      ? createTlsServer({ cert: tls.certificate, key: tls.key, maxHeaderSize: MAX_HEADER })
      : createServer({ maxHeaderSize: MAX_HEADER });
    // The gateway decides how long connections live; a test may hold one for long.
    server.keepAliveTimeout = 0;
    server.requestTimeout = 0;
    const parts = { connections: new ConnectionCounter(), handlers: new Map<string, Handler>() };
    server.on(tls ? "secureConnection" : "connection", (s: Socket) => parts.connections.add(s));
    server.on("upgrade", echoWebSocket);
    const bound = await listen(server, { host: address, port });
    const backend = new EchoBackend({ name, address, port: bound }, server, parts);
    server.on("request", (request, response) => backend.#dispatch(request, response));
    return backend;
  }

  /** Connections that were ever made to it. */
  get connections(): number {
    return this.#connections.count;
  }

  /** Lets `handler` answer the requests for this path, query left aside. */
  on(path: string, handler: Handler): void {
    this.#handlers.set(path, handler);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #dispatch(request: IncomingMessage, response: ServerResponse): void {
    const handler = this.#handlers.get((request.url ?? "").replace(/\?.*/, ""));
    if (handler) handler(request, response);
    // A client that leaves in the middle is not the backend's failure.
    else this.#echo(request, response).catch(() => response.destroy());
  }

  async #echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const recorded = await record(request, this.#connections.numberOf(request.socket));
    this.requests.push(recorded);
    const script = JSON.parse(recorded.header(SCRIPT_HEADER) ?? "{}") as EchoScript;
    if (script.delay !== undefined) await delay(script.delay);
    const echo: Echo = { backend: this.name, ...recorded.facts };
    const body =
      script.bytes === undefined ? JSON.stringify(echo) : Buffer.alloc(script.bytes, "x");
    const status = script.status ?? 200;
    const empty = status === 204 || status === 304;
    response.writeHead(status, [
      ...["X-Echo", this.name],
      ...(script.headers ?? []).flat(),
      ...(empty ? [] : ["Content-Length", String(Buffer.byteLength(body))]),
    ]);
    response.end(empty || request.method === "HEAD" ? undefined : body);
  }
}
