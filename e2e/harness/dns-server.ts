import { type RemoteInfo, type Socket, createSocket } from "node:dgram";
import { once } from "node:events";
import type { Closable } from "./scene.js";

const TYPE_A = 1;
const NO_SUCH_NAME = 3;

/** A name server for IPv4 addresses (RFC 1035): one question, one answer. */
export class DnsServer implements Closable {
  readonly port: number;
  /** Names that were asked for, in lower case, oldest first. */
  readonly asked: string[] = [];
  readonly #socket: Socket;
  readonly #addresses: ReadonlyMap<string, string>;

  private constructor(socket: Socket, addresses: ReadonlyMap<string, string>) {
    this.port = socket.address().port;
    this.#socket = socket;
    this.#addresses = addresses;
    socket.on("message", (query, from) => this.#answer(query, from));
  }

  /** `addresses` by name; other names do not exist. */
  static async start(addresses: Readonly<Record<string, string>>): Promise<DnsServer> {
    const socket = createSocket("udp4");
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    return new DnsServer(socket, new Map(Object.entries(addresses)));
  }

  async close(): Promise<void> {
    this.#socket.close();
    await once(this.#socket, "close");
  }

  #answer(query: Buffer, from: RemoteInfo): void {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
    const question = query.subarray(12, at + 5);
    const name = labels.join(".").toLowerCase();
    this.asked.push(name);
    const address = this.#addresses.get(name);
    const isAddress = query.readUInt16BE(at + 1) === TYPE_A && address !== undefined;
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (address === undefined ? NO_SUCH_NAME : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(isAddress ? 1 : 0, 6);
    const answer = isAddress ? record(address) : Buffer.alloc(0);
    this.#socket.send(Buffer.concat([header, question, answer]), from.port, from.address);
  }
}

/** An A record of the question's name (a pointer to it), valid for a second. */
function record(address: string): Buffer {
  const head = [0xc0, 0x0c, 0, TYPE_A, 0, 1, 0, 0, 0, 1, 0, 4];
  return Buffer.from([...head, ...address.split(".").map(Number)]);
}
