/** An HTTP/1.1 client that sends exactly what it is told: any target, any header lines, any bytes. */
import { once } from "node:events";
import { type Socket, connect as connectTcp } from "node:net";
import { type ConnectionOptions, type TLSSocket, connect as connectTls } from "node:tls";
import { ByteReader } from "./byte-reader.js";
import {
  type HeaderLines,
  HttpResponse,
  type ResponseHead,
  readBody,
  readHead,
} from "./http-message.js";

export interface Target {
  readonly port: number;
  readonly address?: string;
  /** Source address of the connection. */
  readonly from?: string;
  /** TLS when given; certificates are not checked unless `ca` is there. */
  readonly tls?: ConnectionOptions;
}

export interface Request {
  readonly method?: string;
  /** Request target, sent as it is. */
  readonly path?: string;
  /** Host header; left out when empty. */
  readonly host?: string;
  readonly headers?: HeaderLines;
  readonly body?: string | Buffer;
  /** Sends the body in chunks of its own framing instead of with a length. */
  readonly chunked?: boolean;
}

export class Connection {
  readonly reader: ByteReader;
  readonly socket: Socket;

  private constructor(socket: Socket) {
    this.socket = socket;
    this.reader = new ByteReader(socket);
  }

  static async open(target: Target): Promise<Connection> {
    const socket = openSocket(target);
    socket.setNoDelay(true);
    // Attached before the wait, so that nothing the peer says at once is lost.
    const connection = new Connection(socket);
    await once(socket, target.tls ? "secureConnect" : "connect");
    return connection;
  }

  write(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /** Writes and waits until the bytes have left this process, so that a large body is not kept in memory. */
  async writeSlowly(bytes: Buffer): Promise<void> {
    if (!this.socket.write(bytes)) await once(this.socket, "drain");
  }

  async send(request: Request): Promise<HttpResponse> {
    this.write(formatRequest(request));
    return this.receive(request.method);
  }

  async receive(method = "GET"): Promise<HttpResponse> {
    const head = await this.receiveHead();
    return new HttpResponse(head, await readBody(this.reader, head, method));
  }

  async receiveHead(): Promise<ResponseHead> {
    return readHead(this.reader);
  }

  close(): void {
    this.socket.destroy();
  }
}

/** One request on a connection of its own. */
export async function send(target: Target, request: Request): Promise<HttpResponse> {
  const connection = await Connection.open(target);
  try {
    return await connection.send(request);
  } finally {
    connection.close();
  }
}

/** These bytes on a connection of its own, and the first answer to them. */
export async function sendBytes(target: Target, bytes: string | Buffer): Promise<HttpResponse> {
  const connection = await Connection.open(target);
  try {
    connection.write(bytes);
    return await connection.receive();
  } finally {
    connection.close();
  }
}

/** The certificate that a server shows for a server name. */
export async function peerCertificate(
  port: number,
  servername: string,
): Promise<{ readonly subject: string; readonly names: string }> {
  const socket = openSocket({ port, tls: { servername } }) as TLSSocket;
  try {
    await once(socket, "secureConnect");
    const { subject, subjectaltname } = socket.getPeerCertificate();
    return { subject: String(subject.CN), names: subjectaltname ?? "" };
  } finally {
    socket.destroy();
  }
}

export function formatRequest(request: Request): Buffer {
  const { chunked = false } = request;
  if (request.body === undefined) return formatHead(request);
  const body = Buffer.from(request.body);
  const framing = chunked
    ? (["Transfer-Encoding", "chunked"] as const)
    : (["Content-Length", String(body.length)] as const);
  const head = formatHead({ ...request, headers: [...(request.headers ?? []), framing] });
  return Buffer.concat(chunked ? [head, formatChunk(body), formatChunk()] : [head, body]);
}

function formatHead({
  method = "GET",
  path = "/",
  host = "localhost",
  headers = [],
}: Request): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...(host === "" ? [] : [`Host: ${host}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

/** A chunk, or the last one with an empty trailer section. */
export function formatChunk(bytes: Buffer = Buffer.alloc(0)): Buffer {
  if (bytes.length === 0) return Buffer.from("0\r\n\r\n");
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from("\r\n"),
  ]);
}

function openSocket({ port, address = "127.0.0.1", from, tls }: Target): Socket {
  const where = { port, host: address, ...(from !== undefined && { localAddress: from }) };
  if (!tls) return connectTcp(where);
  return connectTls({ ...where, rejectUnauthorized: tls.ca !== undefined, ...tls });
}
