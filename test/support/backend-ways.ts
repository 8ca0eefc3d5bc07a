/** The ways in which backends are spoken to, and backends for them that do with each request what a test wants. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import {
  createSecureServer,
  createServer as createHttp2Server,
  type ServerHttp2Session,
} from "node:http2";
import { createServer as createTlsServer } from "node:https";
import type { Server, Socket } from "node:net";
import type { Authority, KeyPair } from "../../e2e/harness/certificates.js";
import { listen } from "../../e2e/harness/free-port.js";
import type { Closable } from "../../e2e/harness/scene.js";
import { echoWebSocket } from "../../e2e/harness/websocket.js";
import type { BackendProtocol, BackendTls } from "../../src/model/upstream.js";

interface Way {
  readonly protocol: BackendProtocol;
  /** Id of a profile of `profilesOf`. */
  readonly tls?: string;
}

const NAMES = [
  "plain",
  "h2c",
  "grpc",
  "tls",
  "grpcs",
  "verified",
  "verified-grpcs",
  "named",
] as const;

export const WAYS: Readonly<Record<(typeof NAMES)[number], Way>> = {
  plain: { protocol: "http" },
  h2c: { protocol: "h2c" },
  grpc: { protocol: "grpc" },
  tls: { protocol: "https" },
  grpcs: { protocol: "grpcs" },
  verified: { protocol: "https", tls: "ca-hostname" },
  "verified-grpcs": { protocol: "grpcs", tls: "ca-hostname" },
  named: { protocol: "https", tls: "ca-names" },
};

export type WayName = (typeof NAMES)[number];
export const WAY_NAMES: readonly WayName[] = NAMES;
export const HTTP1_WAYS = WAY_NAMES.filter((name) =>
  ["http", "https"].includes(WAYS[name].protocol),
);
export const VERIFIED_WAYS = WAY_NAMES.filter((name) => WAYS[name].tls !== undefined);

/** A certificate of `issue` fits both. */
export function profilesOf(authority: Authority): readonly BackendTls[] {
  const authorities = { kind: "pem", pem: authority.pair.certificate } as const;
  return [
    { id: "ca-hostname", hostname: "inner.example", authorities },
    {
      id: "ca-names",
      hostname: "inner.example",
      names: [
        ["hostname", "nobody.example"],
        ["uri", "spiffe://mesh/backend"],
      ],
      authorities,
    },
  ];
}

export async function issue(authority: Authority): Promise<KeyPair> {
  return authority.issue("inner.example", "URI:spiffe://mesh/backend");
}

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly host: string;
  readonly body: string;
  /** Counted from 1. */
  readonly connection: number;
}

type Exchange = (response: ServerResponse, received: Received) => void;

/** Speaks one protocol; what it answers is told by `next`, the last of these for all that follow. */
export class WayBackend implements Closable {
  readonly port: number;
  readonly received: Received[] = [];
  /** Bytes of bodies that have come so far, those of unfinished requests among them. */
  bodyBytes = 0;
  connections = 0;
  #next: readonly Exchange[] = [status(200)];
  readonly #server: Server;
  readonly #sockets = new Map<object, number>();

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  static async start(protocol: BackendProtocol, tls: KeyPair): Promise<WayBackend> {
    const pair = { cert: tls.certificate, key: tls.key };
    const server: Server = {
      http: () => createServer(),
      https: () => createTlsServer(pair),
      h2c: () => createHttp2Server(),
      grpc: () => createHttp2Server(),
      grpcs: () => createSecureServer(pair),
    }[protocol]();
    const backend = new WayBackend(server, await listen(server));
    const secure = protocol === "https" || protocol === "grpcs";
    server.on(secure ? "secureConnection" : "connection", (socket: Socket) => backend.#add(socket));
    server.on("upgrade", echoWebSocket);
    server.on("request", (request: IncomingMessage, response: ServerResponse) =>
      backend.#serve(request, response),
    );
    return backend;
  }

  set next(exchanges: readonly Exchange[]) {
    this.#next = exchanges;
  }

  /** Waits for nothing; what came before is forgotten. */
  reset(...exchanges: readonly Exchange[]): void {
    this.received.splice(0);
    this.connections = 0;
    this.bodyBytes = 0;
    this.next = exchanges.length === 0 ? [status(200)] : exchanges;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.keys()) (socket as Socket).destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #add(socket: Socket): void {
    this.connections += 1;
    this.#sockets.set(socket, this.#sockets.size + 1);
    socket.on("error", () => undefined);
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const socket = socketOf(response) ?? request.socket;
    const connection = this.#sockets.get(socket) ?? 0;
    const parts: Buffer[] = [];
    request.on("error", () => undefined);
    request.on("data", (part: Buffer) => {
      this.bodyBytes += part.length;
      parts.push(part);
    });
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const host = String(headers.host ?? headers[":authority"] ?? "");
      const body = Buffer.concat(parts).toString();
      const received = { method, url, headers, host, body, connection };
      this.received.push(received);
      const [exchange = status(200), ...rest] = this.#next;
      if (rest.length > 0) this.#next = rest;
      void settled(response).then(() => exchange(response, received));
    });
  }
}

/**
 * An answer in one segment with the settings of its connection has nginx before 1.30 send the acknowledgement to the next endpoint
 * (docs/support.md). Most servers send their settings when the connection opens, node with the first answer.
 */
async function settled(response: ServerResponse): Promise<void> {
  const { stream } = response as { stream?: { session?: ServerHttp2Session } };
  const session = stream?.session;
  if (session?.pendingSettingsAck === true) await once(session, "localSettings");
}

/** Undefined by HTTP/1. */
function socketOf(response: ServerResponse): Socket | undefined {
  const { stream } = response as { stream?: { session?: { socket: object } } };
  const proxy = stream?.session?.socket;
  if (proxy === undefined) return undefined;
  // node shows a stand-in of the socket; only its own symbol leads to it.
  const session = stream?.session as unknown as Record<symbol, Socket>;
  const symbol = Object.getOwnPropertySymbols(session).find((it) => it.description === "socket");
  return symbol && session[symbol];
}

export function status(code: number, body = "answer"): Exchange {
  return (response) => {
    response.writeHead(code, { "content-length": String(body.length) });
    response.end(body);
  };
}

/** The request is done, but nobody learns of it. */
export const breaks: Exchange = (response) => {
  (socketOf(response) ?? response.socket)?.destroy();
};

export const silent: Exchange = () => undefined;

/** Begins a response of this length, and goes on with a byte each 40 ms. */
export function drips(length: number): Exchange {
  return (response) => {
    response.writeHead(200, { "content-length": String(length) });
    let sent = 0;
    const timer = setInterval(() => {
      sent += 1;
      if (sent <= length) response.write("x");
      if (sent < length) return;
      clearInterval(timer);
      response.end();
    }, 40);
    response.on("close", () => clearInterval(timer));
    response.on("error", () => undefined);
  };
}
