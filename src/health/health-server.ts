/** HTTP server for the kubelet and Prometheus. Its answers contain no secret. */
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { EnvironmentError } from "../support/errors.js";

export interface HealthServerOptions {
  /** `ADDRESS:PORT`, IPv6 in brackets. */
  readonly address: string;
  /** As in Probes. */
  readonly problem: () => string | undefined;
  readonly reluctance: () => Promise<string | undefined>;
  readonly remark: () => string;
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>;
}

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly text: string;
}

/** Milliseconds for a whole request. */
const REQUEST_LIMIT = 10_000;
const PLAIN = "text/plain; charset=utf-8";

export class HealthServer {
  readonly #options: HealthServerOptions;
  readonly #server: Server;

  private constructor(options: HealthServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch(() => response.destroy());
    });
    this.#server.requestTimeout = REQUEST_LIMIT;
  }

  /** Throws EnvironmentError if it can't listen on the address. */
  static async start(options: HealthServerOptions): Promise<HealthServer> {
    const health = new HealthServer(options);
    const [, host = "", port = ""] = /^\[?(.*?)\]?:(\d+)$/.exec(options.address) ?? [];
    await new Promise<void>((resolve, reject) => {
      health.#server.once("error", (error) => {
        const message = `can't listen on the health address ${options.address}: ${error.message}`;
        reject(new EnvironmentError(message, { cause: error }));
      });
      health.#server.listen({ host, port: Number(port) }, resolve);
    });
    return health;
  }

  async close(): Promise<void> {
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, type = PLAIN, text } = await this.#answer(request);
    response.writeHead(status, {
      "Content-Type": type,
      "Cache-Control": "no-store",
      ...(status === 405 && { Allow: "GET, HEAD" }),
    });
    response.end(request.method === "HEAD" ? undefined : text);
  }

  async #answer({ method = "", url = "" }: IncomingMessage): Promise<Answer> {
    if (method !== "GET" && method !== "HEAD") return { status: 405, text: "only GET and HEAD\n" };
    switch (url.replace(/\?.*$/s, "")) {
      case "/healthz":
        return verdict(this.#options.problem(), "");
      case "/readyz":
        return verdict(await this.#options.reluctance(), this.#options.remark());
      case "/metrics": {
        const { contentType, text } = await this.#options.metrics();
        return { status: 200, type: contentType, text };
      }
      default:
        return { status: 404, text: "there are /healthz, /readyz and /metrics\n" };
    }
  }
}

function verdict(reason: string | undefined, remark: string): Answer {
  return reason === undefined
    ? { status: 200, text: `ok\n${remark}` }
    : { status: 503, text: `${reason}\n` };
}
