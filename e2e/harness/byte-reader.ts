import type { Duplex } from "node:stream";
import { within } from "./wait.js";

/** The peer closed or reset the connection before everything that was asked for had come. */
export class ConnectionEnded extends Error {
  override readonly name = "ConnectionEnded";
  /** Whether at least one byte of the answer had come. */
  readonly partial: boolean;

  constructor(partial: boolean, cause?: unknown) {
    super(partial ? "the connection ended within an answer" : "the connection ended", { cause });
    this.partial = partial;
  }
}

/** Reads exact amounts from a stream. One reader a stream, one read at a time. */
export class ByteReader {
  /** Milliseconds that one read may take. */
  deadline = 20_000;
  #buffer: Buffer = Buffer.alloc(0);
  #ended = false;
  #cause: unknown;
  #wake: () => void = () => undefined;

  constructor(stream: Duplex) {
    stream.on("data", (chunk: Buffer) => {
      this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
      this.#wake();
    });
    const end = (cause?: unknown) => {
      this.#ended = true;
      this.#cause ??= cause;
      this.#wake();
    };
    stream.on("error", end);
    stream.on("end", () => end());
    stream.on("close", () => end());
  }

  /** What has come and has not been read. */
  get pending(): Buffer {
    return this.#buffer;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** A line without its CR LF, as latin1: one character a byte. */
  async line(): Promise<string> {
    const end = await this.#until(() => {
      const index = this.#buffer.indexOf("\n");
      return index < 0 ? undefined : index + 1;
    });
    return this.#take(end)
      .toString("latin1")
      .replace(/\r?\n$/, "");
  }

  async bytes(count: number): Promise<Buffer> {
    return this.#take(await this.#until(() => (this.#buffer.length >= count ? count : undefined)));
  }

  /** Whatever comes next, at least one byte. */
  async some(): Promise<Buffer> {
    return this.#take(await this.#until(() => this.#buffer.length || undefined));
  }

  /** Everything until the peer closes. */
  async rest(): Promise<Buffer> {
    await this.#wait(() => this.#ended || undefined);
    return this.#take(this.#buffer.length);
  }

  #take(count: number): Buffer {
    const taken = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(count);
    return taken;
  }

  async #until(ready: () => number | undefined): Promise<number> {
    const found = await this.#wait(() => ready() ?? (this.#ended ? -1 : undefined));
    if (found < 0) throw new ConnectionEnded(this.#buffer.length > 0, this.#cause);
    return found;
  }

  async #wait<T>(ready: () => T | undefined): Promise<T> {
    const now = ready();
    if (now !== undefined) return now;
    const found = new Promise<T>((resolve) => {
      this.#wake = () => {
        const value = ready();
        if (value !== undefined) resolve(value);
      };
    });
    try {
      return await within("reading an answer", found, this.deadline);
    } finally {
      this.#wake = () => undefined;
    }
  }
}
