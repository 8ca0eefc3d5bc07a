import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { KeyPair } from "../../e2e/harness/certificates.js";
import { listen } from "../../e2e/harness/free-port.js";
import type { Closable } from "../../e2e/harness/scene.js";

/** What happens on a connection when a whole request head has come. */
export type Answer = (socket: Socket, request: ScriptedRequest) => void;

export interface ScriptedRequest {
  /** The head as it stood on the wire, latin1, without the empty line. */
  readonly head: string;
  /** Counted from 1: connection, and request on that connection. */
  readonly connection: number;
  readonly number: number;
}

/** A server whose answers are bytes: it can be as wrong as a test wants. */
export class ScriptedServer implements Closable {
  readonly port: number;
  readonly requests: ScriptedRequest[] = [];
  /** Connections that were made, and those that are open. */
  connections = 0;
  readonly open = new Set<Socket>();
  answer: Answer = say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  static async start({
    tls,
    address = "127.0.0.1",
  }: { tls?: KeyPair; address?: string } = {}): Promise<ScriptedServer> {
    const server = tls ? createTlsServer({ cert: tls.certificate, key: tls.key }) : createServer();
    const port = await listen(server, { host: address });
    const scripted = new ScriptedServer(server, port);
    server.on(tls ? "secureConnection" : "connection", (socket: Socket) => scripted.#serve(socket));
    return scripted;
  }

  async close(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The only request since the last call. */
  take(): ScriptedRequest {
    const taken = this.requests.splice(0);
    const [only] = taken;
    if (!only || taken.length > 1) throw new Error(`asked ${taken.length} times`);
    return only;
  }

  #serve(socket: Socket): void {
    this.connections += 1;
    const connection = this.connections;
    let text = "";
    let number = 0;
    this.open.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => undefined);
    socket.on("close", () => this.open.delete(socket));
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
        number += 1;
        const request = { head: text.slice(0, end), connection, number };
        text = text.slice(end + 4);
        this.requests.push(request);
        this.answer(socket, request);
      }
    });
  }
}

/** Says these bytes and keeps the connection open. */
export function say(...parts: readonly string[]): Answer {
  return (socket) => {
    for (const part of parts) socket.write(part, "latin1");
  };
}

/** Says these bytes and ends the connection. */
export function sayAndEnd(text: string): Answer {
  return (socket) => socket.end(text, "latin1");
}

/** Says the parts one after the other, each in a packet of its own. */
export function drip(parts: readonly string[], milliseconds: number): Answer {
  return (socket) => {
    const next = (index: number) => {
      if (index >= parts.length || socket.destroyed) return;
      socket.write(parts[index] ?? "", "latin1");
      setTimeout(() => next(index + 1), milliseconds);
    };
    next(0);
  };
}

/** Header values of a request by name in lower case, in order. */
export function headersOf(request: ScriptedRequest): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const line of request.head.split("\r\n").slice(1)) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return headers;
}
