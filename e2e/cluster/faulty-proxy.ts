/**
 * Stands between albc and an API server. While it is faulty, messages are late and overtake those of other connections, connections
 * break, and answers are lost after the API server has carried out the request, as a seed decides. What is said about leases gets
 * through: a replica that loses its lease is no leader for a while, however quiet things are.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Server, createServer, request } from "node:https";
import { writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { KubeConfig } from "@kubernetes/client-node";
import { selfSigned } from "../harness/certificates.js";
import { listen } from "../harness/free-port.js";
import type { Closable } from "../harness/scene.js";
import { makeTempFolder, removeFolder } from "../harness/temp-folder.js";
import { randomNumbers } from "./random-numbers.js";

/** Milliseconds. */
const SHORT = 10;
const LATE = 100;
const VERY_LATE = 400;
/** A watch that ends sooner makes the pauses grow after which albc begins it again. */
const YOUNG = 1500;

export class FaultyProxy implements Closable {
  /** The API server's, with the address of the proxy. */
  readonly kubeconfig: string;
  isFaulty = false;
  #heldEnd = "";
  /** An answer waits that `hold` is to keep. */
  holds = false;
  /** Paths that were asked to be watched since this was emptied. */
  readonly watched = new Set<string>();
  readonly #folder: string;
  readonly #target: URL;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #silent: ReadonlySet<Socket> = new Set();
  #random: () => number = () => 1;
  /** The last message about an object or list was lost, so the next gets through: pauses double with each failure. */
  readonly #lost = new Set<string>();

  private constructor(folder: string, target: URL, server: Server) {
    this.#folder = folder;
    this.#target = target;
    this.#server = server;
    this.kubeconfig = join(folder, "kubeconfig");
    server.on("secureConnection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    server.on("request", (asked: IncomingMessage, answer: ServerResponse) => {
      this.#pass(asked, answer).catch(() => asked.socket.destroy());
    });
  }

  static async start(config: KubeConfig): Promise<FaultyProxy> {
    const { certificate, key } = await selfSigned("127.0.0.1");
    const server = createServer({ cert: certificate, key });
    const port = await listen(server, { host: "127.0.0.1" });
    const target = new URL(config.getCurrentCluster()?.server ?? "");
    const proxy = new FaultyProxy(await makeTempFolder(), target, server);
    const own = `https://127.0.0.1:${String(port)}`;
    const text = config.exportConfig().replaceAll(target.origin, own);
    await writeFile(proxy.kubeconfig, text);
    return proxy;
  }

  /** What goes wrong from now on. */
  misbehave(seed: number): void {
    this.#random = randomNumbers(seed);
    this.isFaulty = true;
  }

  /** Every connection breaks; new ones can be made. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Connections stay open, but nothing gets through any more; new ones can be made. */
  silence(): void {
    this.#silent = new Set(this.#sockets);
  }

  /** Answers that grant something at paths with this end wait from now on, in every version of the API; "" lets all go on. */
  hold(end: string): void {
    this.#heldEnd = end;
    this.holds = false;
  }

  async close(): Promise<void> {
    this.hold("");
    this.cut();
    this.#server.close();
    await removeFolder(this.#folder);
  }

  async #pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { path, isWatch, isLease } = purpose(asked);
    const late = isLease ? 0 : this.#lateness();
    const loss = isLease || isWatch ? "none" : this.#loss(path);
    await pause(late);
    if (loss === "request") throw new Error("lost");
    const given = await this.#forward(asked, answer);
    if (isWatch) return this.#passEvents(given, answer, path);
    const body = Buffer.concat(await given.toArray());
    await pause(isLease ? 0 : this.#lateness());
    if (given.statusCode === 200) await this.#whileHeld(path);
    if (loss === "answer") throw new Error("lost");
    await this.#whileSilent(answer);
    answer.writeHead(given.statusCode ?? 502, given.headers).end(body);
  }

  #forward(asked: IncomingMessage, answer: ServerResponse): Promise<IncomingMessage> {
    const { method, url, headers } = asked;
    const there = request(new URL(url ?? "", this.#target), {
      ...{ method, headers: { ...headers, host: this.#target.host } },
      // A test's own API server; its certificate is signed by nobody.
      rejectUnauthorized: false,
    });
    asked.pipe(there);
    answer.on("close", () => there.destroy());
    return new Promise((resolve, reject) => {
      there.on("response", resolve).on("error", reject);
    });
  }

  /** In their order, but later or sooner than those of other watches. */
  async #passEvents(given: IncomingMessage, answer: ServerResponse, path: string): Promise<void> {
    if (given.statusCode === 200) this.watched.add(path);
    const began = performance.now();
    await this.#whileSilent(answer);
    answer.writeHead(given.statusCode ?? 502, given.headers).flushHeaders();
    for await (const events of given) {
      await pause(this.#lateness());
      await this.#whileSilent(answer);
      if (performance.now() > began + YOUNG && this.#happens(0.1)) throw new Error("cut");
      answer.write(events);
    }
    await this.#whileSilent(answer);
    answer.end();
  }

  async #whileHeld(path: string): Promise<void> {
    while (this.#heldEnd !== "" && path.endsWith(this.#heldEnd)) {
      this.holds = true;
      await pause(SHORT);
    }
  }

  async #whileSilent({ socket }: ServerResponse): Promise<void> {
    while (socket !== null && this.#silent.has(socket) && !socket.destroyed) await pause(LATE);
  }

  #lateness(): number {
    if (this.#happens(0.5)) return this.#random() * LATE;
    return this.#happens(0.1) ? VERY_LATE : 0;
  }

  #loss(path: string): "none" | "request" | "answer" {
    if (this.#lost.delete(path) || !this.#happens(0.15)) return "none";
    this.#lost.add(path);
    return this.#happens(0.7) ? "answer" : "request";
  }

  #happens(probability: number): boolean {
    return this.isFaulty && this.#random() < probability;
  }
}

function purpose({ url = "" }: IncomingMessage) {
  const { pathname, searchParams } = new URL(url, "https://any");
  return {
    path: pathname,
    isWatch: searchParams.get("watch") === "true",
    isLease: pathname.includes("/leases"),
  };
}
