/** As much of RFC 6455 as an echo needs: text frames below 126 bytes, unfragmented. */
import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { ByteReader } from "./byte-reader.js";
import { type Connection, type Request, formatRequest } from "./http-client.js";
import type { ResponseHead } from "./http-message.js";

const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

function acceptValue(key: string): string {
  return createHash("sha1")
    .update(key + MAGIC)
    .digest("base64");
}

/** Answers an upgrade request and sends every text message back. */
export function echoWebSocket(request: IncomingMessage, socket: Duplex): void {
  const key = String(request.headers["sec-websocket-key"]);
  socket.write(
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
      `Sec-WebSocket-Accept: ${acceptValue(key)}\r\n\r\n`,
  );
  void echoFrames(new ByteReader(socket), socket);
}

async function echoFrames(reader: ByteReader, socket: Duplex): Promise<void> {
  reader.deadline = 120_000;
  try {
    for (;;) socket.write(frame(await readFrame(reader), undefined));
  } catch {
    // The other end left, which is how an echo ends.
    socket.destroy();
  }
}

/** The client's end of a WebSocket. */
export class WebSocketClient {
  readonly #connection: Connection;

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Asks for an upgrade; gives the answer, and a client when it was accepted. */
  static async upgrade(
    connection: Connection,
    request: Request,
  ): Promise<{ readonly head: ResponseHead; readonly client?: WebSocketClient }> {
    const key = randomBytes(16).toString("base64");
    const headers = [
      ["Upgrade", "websocket"],
      ["Connection", "Upgrade"],
      ["Sec-WebSocket-Version", "13"],
      ["Sec-WebSocket-Key", key],
      ...(request.headers ?? []),
    ] as const;
    connection.write(formatRequest({ ...request, headers }));
    const head = await connection.receiveHead();
    return head.status === 101 ? { head, client: new WebSocketClient(connection) } : { head };
  }

  /** Sends a text and waits for the next one. */
  async exchange(text: string): Promise<string> {
    this.#connection.write(frame(Buffer.from(text), randomBytes(4)));
    return (await readFrame(this.#connection.reader)).toString();
  }
}

function frame(payload: Buffer, mask: Buffer | undefined): Buffer {
  const head = Buffer.from([0x81, payload.length | (mask ? 0x80 : 0)]);
  return mask ? Buffer.concat([head, mask, xor(payload, mask)]) : Buffer.concat([head, payload]);
}

async function readFrame(reader: ByteReader): Promise<Buffer> {
  const [first = 0, second = 0] = await reader.bytes(2);
  if (first !== 0x81) throw new Error(`no text frame: ${first.toString(16)}`);
  const mask = second & 0x80 ? Buffer.from(await reader.bytes(4)) : undefined;
  const payload = await reader.bytes(second & 0x7f);
  return mask ? xor(payload, mask) : payload;
}

function xor(bytes: Buffer, mask: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
}
