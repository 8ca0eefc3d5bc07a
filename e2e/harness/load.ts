import { setTimeout as delay } from "node:timers/promises";
import { ConnectionEnded } from "./byte-reader.js";
import { Connection, type Request, type Target } from "./http-client.js";
import type { HttpResponse } from "./http-message.js";
import type { Closable } from "./scene.js";
import { waitFor } from "./wait.js";

export interface LoadReport {
  readonly completed: number;
  readonly statuses: Readonly<Record<number, number>>;
  /** Requests without a whole answer, and answers that `check` refused; what happened to each. */
  readonly failures: readonly string[];
  /** Kept connections that had been closed before a request on them got any answer; it was sent again on a new one. */
  readonly reopened: number;
}

export interface LoadOptions {
  readonly target: Target;
  /** Requests that each connection sends in turn. */
  readonly requests: readonly Request[];
  readonly connections?: number;
  /** Milliseconds between an answer and the next request of a connection: a steady load, not a saturated machine. */
  readonly pause?: number;
  /** Says what is wrong with an answer. */
  readonly check?: (response: HttpResponse, request: Request) => string | undefined;
}

/** A check: anything but 200 is wrong. */
export function only200({ status, reason }: HttpResponse): string | undefined {
  return status === 200 ? undefined : `${status} ${reason ?? ""}`;
}

/** Requests on several kept-alive connections, one after another on each, until told to stop. */
export class Load implements Closable {
  readonly #options: LoadOptions;
  readonly #statuses: Record<number, number> = {};
  readonly #failures: string[] = [];
  readonly #loops: Promise<void>[] = [];
  #completed = 0;
  #reopened = 0;
  #stopped = false;

  constructor(options: LoadOptions) {
    this.#options = options;
    for (let i = 0; i < (options.connections ?? 4); i += 1) this.#loops.push(this.#loop(i));
  }

  /** Waits until `count` more requests have had their answers. */
  async more(count: number, deadline?: number): Promise<void> {
    const goal = this.#completed + count;
    const what = `${count} more requests are answered`;
    await waitFor(what, () => this.#completed >= goal, deadline === undefined ? {} : { deadline });
  }

  async stop(): Promise<LoadReport> {
    await this.close();
    return {
      completed: this.#completed,
      statuses: this.#statuses,
      failures: this.#failures,
      reopened: this.#reopened,
    };
  }

  async close(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#loops);
  }

  async #loop(first: number): Promise<void> {
    const { requests, pause = 2 } = this.#options;
    const kept: { connection?: Connection } = {};
    for (let i = first; !this.#stopped; i += 1) {
      const request = requests[i % requests.length] ?? {};
      try {
        this.#count(await this.#send(kept, request), request);
      } catch (error: unknown) {
        this.#failures.push(`${request.path ?? "/"}: ${String(error)}`);
        kept.connection?.close();
        delete kept.connection;
      }
      await delay(pause);
    }
    kept.connection?.close();
  }

  async #send(kept: { connection?: Connection }, request: Request): Promise<HttpResponse> {
    const old = kept.connection;
    const connection = old && !old.reader.ended ? old : await Connection.open(this.#options.target);
    kept.connection = connection;
    try {
      return keep(kept, await connection.send(request));
    } catch (error: unknown) {
      // RFC 9112, 9.3.1: a client may repeat what a closing connection has not answered.
      if (connection !== old || !(error instanceof ConnectionEnded) || error.partial) throw error;
      this.#reopened += 1;
      kept.connection = await Connection.open(this.#options.target);
      return keep(kept, await kept.connection.send(request));
    }
  }

  #count(response: HttpResponse, request: Request): void {
    this.#completed += 1;
    this.#statuses[response.status] = (this.#statuses[response.status] ?? 0) + 1;
    const wrong = this.#options.check?.(response, request);
    if (wrong !== undefined) this.#failures.push(`${request.path ?? "/"}: ${wrong}`);
  }
}

/** Forgets the connection when the gateway says that it closes it. */
function keep(kept: { connection?: Connection }, response: HttpResponse): HttpResponse {
  if (response.header("connection")?.toLowerCase() === "close") {
    kept.connection?.close();
    delete kept.connection;
  }
  return response;
}
