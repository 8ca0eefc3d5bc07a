/** Backends and clients of connections and datagrams: what comes in says where it has been. */
import { type Socket as DatagramSocket, createSocket } from "node:dgram";
import { once } from "node:events";
import { type Server, type Socket, connect, createServer } from "node:net";
import {
  type ConnectionOptions,
  connect as connectTls,
  createServer as createTlsServer,
} from "node:tls";
import type { KeyPair } from "./certificates.js";
import { listen } from "./free-port.js";
import type { Closable } from "./scene.js";
import { within } from "./wait.js";

/** Says its name at once, over TLS with the server name that it was asked for, then what it is told. */
export class StreamBackend implements Closable {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(port: number, server: Server, sockets: Set<Socket>) {
    this.port = port;
    this.#server = server;
    this.#sockets = sockets;
  }

  static async start(name: string, pair?: KeyPair): Promise<StreamBackend> {
    const sockets = new Set<Socket>();
    const serve = (socket: Socket, said: string): void => {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
      socket.write(said);
      socket.on("data", (bytes) => socket.write(bytes));
    };
    const server =
      pair === undefined
        ? createServer((socket) => {
            serve(socket, name);
          })
        : createTlsServer({ cert: pair.certificate, key: pair.key }, (socket) => {
            serve(socket, `${name} ${String(socket.servername)}`);
          });
    return new StreamBackend(await listen(server), server, sockets);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Answers each datagram with its name and what it got. */
export class DatagramBackend implements Closable {
  readonly port: number;
  readonly #socket: DatagramSocket;

  private constructor(socket: DatagramSocket) {
    this.port = socket.address().port;
    this.#socket = socket;
  }

  static async start(name: string): Promise<DatagramBackend> {
    const socket = createSocket("udp4");
    socket.on("message", (bytes, from) => {
      socket.send(`${name} ${bytes.toString()}`, from.port, from.address);
    });
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    return new DatagramBackend(socket);
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#socket.close(resolve));
  }
}

/** What the first bytes are; `closed` when none come. */
export async function firstWords(port: number, tls?: ConnectionOptions): Promise<string> {
  const socket = open(port, tls);
  try {
    return await within("the first words", wordsOf(socket));
  } finally {
    socket.destroy();
  }
}

/** The subjectAltName of the certificate that is shown for the name. */
export async function namesShown(port: number, servername: string): Promise<string> {
  const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false, servername });
  try {
    await within("the handshake", once(socket, "secureConnect"));
    return String(socket.getPeerCertificate().subjectaltname);
  } finally {
    socket.destroy();
  }
}

/** A connection that stays, once the other side has said something. */
export async function talk(port: number): Promise<Socket> {
  const socket = open(port);
  await within("the first words", once(socket, "data"));
  return socket;
}

/** Sends the bytes and gives what comes back. */
export async function answerTo(socket: Socket, said: string): Promise<string> {
  socket.write(said);
  const [bytes] = (await within("an answer", once(socket, "data"))) as [Buffer];
  return bytes.toString();
}

/** From a port of its own; undefined when nothing comes in `limit` milliseconds. */
export async function ask(port: number, said: string, limit = 5000): Promise<string | undefined> {
  const socket = createSocket("udp4");
  try {
    const answer = once(socket, "message") as Promise<[Buffer]>;
    answer.catch(() => undefined);
    socket.send(said, port, "127.0.0.1");
    const [bytes] = await within("an answer", answer, limit);
    return bytes.toString();
  } catch {
    return undefined;
  } finally {
    socket.close();
  }
}

function open(port: number, tls?: ConnectionOptions): Socket {
  const socket =
    tls === undefined
      ? connect(port, "127.0.0.1")
      : connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false, ...tls });
  socket.setNoDelay(true);
  return socket;
}

function wordsOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.on("data", (bytes) => {
      resolve(bytes.toString());
    });
    for (const event of ["error", "close", "end"]) {
      socket.on(event, () => {
        resolve("closed");
      });
    }
  });
}
