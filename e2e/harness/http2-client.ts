import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  connect,
  constants,
} from "node:http2";
import type { Closable } from "./scene.js";
import { within } from "./wait.js";

export interface Http2Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A connection that speaks HTTP/2 only: by TLS and ALPN, or in clear text with prior knowledge (RFC 9113, 3.3). */
export class Http2Client implements Closable {
  readonly #session: ClientHttp2Session;

  private constructor(session: ClientHttp2Session) {
    this.#session = session;
    // Told by the streams that it breaks.
    session.on("error", () => undefined);
  }

  /** `from`: source address of the connection. */
  static async open(target: {
    port: number;
    servername?: string;
    from?: string;
  }): Promise<Http2Client> {
    const { port, servername, from } = target;
    const options = {
      ...(servername !== undefined && { servername, rejectUnauthorized: false }),
      ...(from !== undefined && { localAddress: from }),
    };
    const scheme = servername === undefined ? "http" : "https";
    const session = connect(`${scheme}://127.0.0.1:${port}`, options);
    const connected = new Promise<void>((resolve, reject) => {
      session.once("connect", () => resolve());
      session.once("error", reject);
    });
    await within("connecting by HTTP/2", connected);
    return new Http2Client(session);
  }

  /** Whether TLS agreed on HTTP/2 by ALPN. */
  get alpn(): string | undefined {
    return this.#session.alpnProtocol;
  }

  /** `headers` holds the pseudo-headers too; `:method`, `:path` and `:scheme` have defaults. */
  async send(headers: OutgoingHttpHeaders, body?: string | Buffer): Promise<Http2Response> {
    const stream = this.#session.request(headers, { endStream: body === undefined });
    const received: { headers: IncomingHttpHeaders; trailers: IncomingHttpHeaders } = {
      headers: {},
      trailers: {},
    };
    const chunks: Buffer[] = [];
    stream.on("response", (found) => void (received.headers = found));
    stream.on("trailers", (found: IncomingHttpHeaders) => void (received.trailers = found));
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    const ended = new Promise<void>((resolve, reject) => {
      stream.on("end", () => resolve());
      stream.on("error", reject);
    });
    if (body !== undefined) stream.end(body);
    await within("an answer by HTTP/2", ended);
    const { headers: answer, trailers } = received;
    const status = Number(answer[constants.HTTP2_HEADER_STATUS]);
    return { status, headers: answer, trailers, body: Buffer.concat(chunks) };
  }

  /** Begins a request whose body goes on until the stream is ended. */
  begin(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    const stream = this.#session.request(headers, { endStream: false });
    // A stream that is given up is no error of the test.
    stream.on("error", () => undefined);
    return stream;
  }

  async close(): Promise<void> {
    this.#session.destroy();
  }
}
