import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type HeaderLines, headerValues } from "./http-message.js";

/** A request as a server of ours saw it. */
export class RecordedRequest {
  readonly method: string;
  /** Request target as received. */
  readonly url: string;
  readonly httpVersion: string;
  readonly headers: HeaderLines;
  /** Number of the connection, counted from 1 for each server. */
  readonly connection: number;
  readonly bodyLength: number;
  /** Hex. */
  readonly bodySha256: string;

  constructor(
    request: Pick<IncomingMessage, "method" | "url" | "httpVersion" | "rawHeaders">,
    connection: number,
    body: { readonly length: number; readonly sha256: string },
  ) {
    this.method = request.method ?? "";
    this.url = request.url ?? "";
    this.httpVersion = request.httpVersion;
    this.headers = pairs(request.rawHeaders);
    this.connection = connection;
    this.bodyLength = body.length;
    this.bodySha256 = body.sha256;
  }

  /** All of it as plain data. */
  get facts(): Omit<RecordedRequest, "facts" | "header" | "all"> {
    const { method, url, httpVersion, headers, connection, bodyLength, bodySha256 } = this;
    return { method, url, httpVersion, headers, connection, bodyLength, bodySha256 };
  }

  /** The value of a header that comes at most once. */
  header(name: string): string | undefined {
    const values = this.all(name);
    if (values.length > 1) throw new Error(`${name} came ${values.length} times: ${values.join()}`);
    return values[0];
  }

  all(name: string): string[] {
    return headerValues(this.headers, name);
  }
}

/** Reads a request to its end without keeping its body. */
export async function record(
  request: IncomingMessage,
  connection: number,
): Promise<RecordedRequest> {
  const digest = createHash("sha256");
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    digest.update(chunk);
    length += chunk.length;
  }
  return new RecordedRequest(request, connection, { length, sha256: digest.digest("hex") });
}

/** Numbers the connections of one server. */
export class ConnectionCounter {
  readonly #numbers = new WeakMap<Socket, number>();
  count = 0;

  add(socket: Socket): void {
    this.count += 1;
    this.#numbers.set(socket, this.count);
  }

  numberOf(socket: Socket): number {
    return this.#numbers.get(socket) ?? 0;
  }
}

function pairs(raw: readonly string[]): HeaderLines {
  const lines: [string, string][] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) lines.push([raw[i] ?? "", raw[i + 1] ?? ""]);
  return lines;
}
