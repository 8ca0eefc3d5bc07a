/**
 * Plain JSON to and from the API server. The generated clients of @kubernetes/client-node turn objects into classes with
 * Dates; here objects stay what they are on the wire, as manifests are.
 */
import { Agent, request } from "node:https";
import type { RequestOptions } from "node:https";
import { request as requestPlain } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import type { KubeConfig } from "@kubernetes/client-node";
import { EnvironmentError } from "../support/errors.js";
import { errorText } from "../support/text.js";
import { parseObject } from "../support/json-object.js";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface ApiCall {
  readonly method?: Method;
  /** Such as `/api/v1/namespaces`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  /** Of the body; `application/json` by default, for PATCH a merge patch. */
  readonly contentType?: string;
  /** Milliseconds until it fails. Such a call waits for no other call's connection. */
  readonly deadline?: number;
}

/** The API server answered with an error, or could not be reached (then `status` is 0). */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** `reason` of the Status object, such as `AlreadyExists` or `Expired`. */
  readonly reason: string;

  constructor(status: number, reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.reason = reason;
  }

  /** Nothing new may be made there, or it is gone already; with a namespace go all its objects. */
  get isOfDyingNamespace(): boolean {
    if (this.status === 403) return this.message.includes("is being terminated");
    return this.status === 404 && /namespaces "[^"]*" not found/.test(this.message);
  }
}

/** For `catch`: null for a missing object, and for a name that is taken. */
export function ifNotFound(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null;
  throw error;
}
export function ifExists(error: unknown): null {
  if (error instanceof ApiError && error.reason === "AlreadyExists") return null;
  throw error;
}

/** albc's name in requests: user agent, field manager, source of events, and value of the managed-by label. */
export const AGENT = "albc";
/** As Kubernetes writes times: RFC 3339, seconds. */
export function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, "Z");
}

/** Milliseconds for one call; lists of thousands of objects take the most. */
const TIMEOUT = 60_000;
/** Milliseconds without a byte after which a connection is dead. A watch ends sooner than that (see KindWatch). */
const SILENCE = 20_000;

export class ApiClient {
  readonly #config: KubeConfig;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });
  /** Every watch holds a connection, and the leader's lease can't wait for one. */
  readonly #freeAgent = new Agent({ keepAlive: true });

  constructor(config: KubeConfig) {
    this.#config = config;
  }

  /** The body of a 2xx answer. Throws ApiError. */
  async call(call: ApiCall): Promise<unknown> {
    const agent = call.deadline === undefined ? this.#agent : this.#freeAgent;
    const answer = await this.#send(call, agent, AbortSignal.timeout(call.deadline ?? TIMEOUT));
    return valueOf(call, answer);
  }

  /** The events of a watch, until the API server ends it. Throws ApiError, while events are read too. */
  async watch(call: ApiCall, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    const answer = await this.#send(call, this.#freeAgent, signal);
    if (answer.statusCode !== 200) await valueOf(call, answer);
    return eventsOf(answer);
  }

  close(): void {
    this.#agent.destroy();
    this.#freeAgent.destroy();
  }

  async #send(call: ApiCall, ownAgent: Agent, signal: AbortSignal): Promise<IncomingMessage> {
    const cluster = this.#config.getCurrentCluster();
    if (cluster === null) throw new ApiError(0, "", "the kubeconfig names no cluster");
    const url = new URL(cluster.server.replace(/\/$/, "") + call.path);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const options: RequestOptions = {
      method: call.method ?? "GET",
      headers: headersOf(call, body),
      timeout: SILENCE,
      signal,
    };
    await this.#authenticate(options);
    return new Promise<IncomingMessage>((resolve, reject) => {
      const secure = url.protocol === "https:";
      const start = secure ? request : requestPlain;
      // Certificates stand in the options too; client-node's own agent, which keeps no connection, is for proxies alone.
      const agent = cluster.proxyUrl === undefined && secure ? { agent: ownAgent } : {};
      const asked = begin(() => start(url, { ...options, ...agent }));
      asked.on("response", (answer: IncomingMessage) => {
        resolve(answer);
      });
      asked.on("timeout", () => {
        asked.destroy(new Error(`it was silent for ${String(SILENCE / 1000)} s`));
      });
      asked.on("error", (error) => {
        const message = `the API server can't be reached: ${error.message}`;
        reject(new ApiError(0, "", message, { cause: error }));
      });
      asked.end(body);
    });
  }

  /** Reads tokens that rotate, so it is asked for each call. */
  async #authenticate(options: RequestOptions): Promise<void> {
    try {
      await this.#config.applyToHTTPSOptions(options);
    } catch (error: unknown) {
      const message = `the kubeconfig's credentials can't be used: ${errorText(error)}`;
      throw new ApiError(0, "", message, { cause: error });
    }
  }
}

/** Throws EnvironmentError when TLS can't be made of the certificates and keys, which no later try changes. */
function begin(start: () => ClientRequest): ClientRequest {
  try {
    return start();
  } catch (cause: unknown) {
    const message = `the kubeconfig's certificates can't be used: ${errorText(cause)}`;
    throw new EnvironmentError(message, { cause });
  }
}

async function valueOf(call: ApiCall, answer: IncomingMessage): Promise<unknown> {
  const text = await bodyOf(answer);
  const status = answer.statusCode ?? 0;
  const value = parseObject(text);
  if (status >= 200 && status < 300) return value;
  const { reason, message } = value ?? {};
  const said = typeof message === "string" ? message : text.slice(0, 300);
  throw new ApiError(
    status,
    typeof reason === "string" ? reason : "",
    `${call.method ?? "GET"} ${call.path}: ${status} ${said}`,
  );
}

/** One event a line. */
async function* eventsOf(answer: IncomingMessage): AsyncGenerator {
  answer.setEncoding("utf8");
  let rest = "";
  try {
    for await (const chunk of answer) {
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield parseObject(line);
    }
  } catch (cause: unknown) {
    throw new ApiError(0, "", "the API server's answer broke off", { cause });
  }
}

function headersOf(call: ApiCall, body: string | undefined): Record<string, string | number> {
  const type =
    call.contentType ??
    (call.method === "PATCH" ? "application/merge-patch+json" : "application/json");
  return {
    Accept: "application/json",
    "User-Agent": AGENT,
    ...(body !== undefined && {
      "Content-Type": type,
      "Content-Length": Buffer.byteLength(body),
    }),
  };
}

function bodyOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    answer.on("data", (chunk: Buffer) => chunks.push(chunk));
    answer.on("end", () => {
      resolve(Buffer.concat(chunks).toString("utf8"));
    });
    answer.on("error", (cause) => {
      reject(new ApiError(0, "", "the API server's answer broke off", { cause }));
    });
  });
}
