import type { ByteReader } from "./byte-reader.js";

/** Header lines in the order of the wire, repeated ones included. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** Values of all lines of that name. */
export function headerValues(lines: HeaderLines, name: string): string[] {
  const lower = name.toLowerCase();
  return lines.filter(([key]) => key.toLowerCase() === lower).map(([, value]) => value);
}

/** An answer exactly as it stood on the wire. */
export class HttpResponse {
  readonly status: number;
  readonly statusLine: string;
  readonly headers: HeaderLines;
  readonly body: Buffer;
  /** Statuses of the 1xx answers before it. */
  readonly informational: readonly number[];

  constructor(head: ResponseHead, body: Buffer) {
    this.status = head.status;
    this.statusLine = head.statusLine;
    this.headers = head.headers;
    this.informational = head.informational;
    this.body = body;
  }

  /** The value of a header that comes at most once. */
  header(name: string): string | undefined {
    const values = this.all(name);
    if (values.length > 1) throw new Error(`${name} came ${values.length} times`);
    return values[0];
  }

  all(name: string): string[] {
    return headerValues(this.headers, name);
  }

  /** Why the gateway refused, when it did. */
  get reason(): string | undefined {
    return this.header("x-alb-err-reason");
  }

  get text(): string {
    return this.body.toString("utf8");
  }

  json(): unknown {
    return JSON.parse(this.text);
  }
}

export interface ResponseHead {
  readonly status: number;
  readonly statusLine: string;
  readonly headers: HeaderLines;
  readonly informational: readonly number[];
}

/** Reads up to the empty line of the final answer. */
export async function readHead(reader: ByteReader): Promise<ResponseHead> {
  const informational: number[] = [];
  for (;;) {
    const statusLine = await reader.line();
    const match = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine);
    if (!match) throw new Error(`no status line: ${JSON.stringify(statusLine)}`);
    const status = Number(match[1]);
    const headers = await readHeaders(reader);
    // 101 is final: what follows is another protocol.
    if (status >= 200 || status === 101) return { status, statusLine, headers, informational };
    informational.push(status);
  }
}

/** Reads the body that belongs to a head. Source: RFC 9112, 6.3. */
export async function readBody(
  reader: ByteReader,
  head: ResponseHead,
  method: string,
): Promise<Buffer> {
  if (method === "HEAD" || head.status === 204 || head.status === 304 || head.status === 101) {
    return Buffer.alloc(0);
  }
  const coding = headerValues(head.headers, "transfer-encoding");
  const lengths = headerValues(head.headers, "content-length");
  if (coding.length > 0 && lengths.length > 0) throw new Error("a length and a transfer coding");
  if (coding.length > 0) return readChunks(reader);
  const [length] = lengths;
  return length === undefined ? reader.rest() : reader.bytes(Number(length));
}

async function readHeaders(reader: ByteReader): Promise<HeaderLines> {
  const headers: [string, string][] = [];
  for (let line = await reader.line(); line !== ""; line = await reader.line()) {
    const colon = line.indexOf(":");
    if (colon < 1) throw new Error(`no header line: ${JSON.stringify(line)}`);
    headers.push([line.slice(0, colon), line.slice(colon + 1).trim()]);
  }
  return headers;
}

async function readChunks(reader: ByteReader): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = await readChunk(reader);
    if (chunk.length === 0) {
      await readHeaders(reader);
      return Buffer.concat(chunks);
    }
    chunks.push(chunk);
  }
}

/** One chunk; an empty one is the last. The trailer section follows the last one and is not read. */
export async function readChunk(reader: ByteReader): Promise<Buffer> {
  const line = await reader.line();
  const size = /^[0-9a-f]+/i.exec(line);
  if (!size) throw new Error(`no chunk size: ${JSON.stringify(line)}`);
  const chunk = await reader.bytes(parseInt(size[0], 16));
  if (chunk.length > 0) await reader.line();
  return chunk;
}
