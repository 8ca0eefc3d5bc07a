import { type Server, type Socket, createServer } from "node:net";
import { listen } from "./free-port.js";
import type { Closable } from "./scene.js";

/** What it does when the first bytes come: bytes to say before it hangs up, or one of the words. */
export type Rudeness = "reset" | "silence" | { readonly say: string };

/** A TCP server that does not speak HTTP properly. */
export class RudeServer implements Closable {
  readonly port: number;
  /** Bytes of each connection, oldest first, as latin1. */
  readonly heard: string[];
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(port: number, server: Server, parts: [Set<Socket>, string[]]) {
    this.port = port;
    this.#server = server;
    [this.#sockets, this.heard] = parts;
  }

  static async start(rudeness: Rudeness): Promise<RudeServer> {
    const sockets = new Set<Socket>();
    const heard: string[] = [];
    const server = createServer((socket) => {
      const number = heard.push("") - 1;
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("data", (bytes) => {
        heard[number] = (heard[number] ?? "") + bytes.toString("latin1");
      });
      socket.on("close", () => sockets.delete(socket));
      socket.once("data", () => misbehave(socket, rudeness));
    });
    return new RudeServer(await listen(server), server, [sockets, heard]);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function misbehave(socket: Socket, rudeness: Rudeness): void {
  if (rudeness === "silence") return;
  if (rudeness === "reset") socket.resetAndDestroy();
  else socket.end(rudeness.say, "latin1");
}
