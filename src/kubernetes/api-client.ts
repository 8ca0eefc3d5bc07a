/**
 * Plain JSON to and from the API server. The generated clients of @kubernetes/client-node turn objects into classes with
 * Dates; here objects stay what they are on the wire, as manifests are.
 */
import { type RequestOptions, Agent, request } from "node:https";
import { type ClientRequest, type IncomingMessage, request as requestPlain } from "node:http";
import { text as readText } from "node:stream/consumers";
import { EnvironmentError } from "../support/errors.js";
import { delimiter, join } from "node:path";
import type { Cluster, User } from "@kubernetes/client-node";
import { errorText, inSeconds, isSet } from "../support/text.js";
import { parseObject } from "../support/json-object.js";
import { type ApiAccess, serviceAccount } from "./service-account.js";

export interface ApiCall {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Such as `/api/v1/namespaces`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  /** Of the body. Default: `application/json`, or a merge patch for PATCH. */
  readonly contentType?: string;
  /** Milliseconds until it fails. A call with a deadline does not wait for connections of others. */
  readonly deadline?: number;
}

/** An error that the API server answered with; `status` is 0 if it could not be reached. */
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

  /** Another client has changed or created the object in the meantime. */
  get isConflict(): boolean {
    return this.status === 409;
  }

  /** The namespace is being deleted, or is gone, with all its objects. */
  get isOfDyingNamespace(): boolean {
    if (this.status === 403) return this.message.includes("is being terminated");
    return this.status === 404 && /namespaces "[^"]*" not found/.test(this.message);
  }
}

/** For `catch`: null if the object does not exist, and if the name is taken. */
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
/** The time in the form of Kubernetes: RFC 3339, in seconds. */
export function now(): string {
  return inSeconds(new Date().toISOString());
}

/** Milliseconds for one call; lists of thousands of objects take the longest. */
const TIMEOUT = 60_000;
/** Milliseconds without a byte after which a connection is dead. A watch ends sooner than that (see KindWatch). */
const SILENCE = 20_000;

export class ApiClient {
  readonly #config: ApiAccess;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });
  /** Unlimited: every watch holds a connection, and the renewal of the leader's lease must not wait for one. */
  readonly #freeAgent = new Agent({ keepAlive: true });

  constructor(config: ApiAccess) {
    this.#config = config;
  }

  /** The body of a 2xx answer. Throws ApiError. */
  async call(call: ApiCall): Promise<unknown> {
    const agent = call.deadline === undefined ? this.#agent : this.#freeAgent;
    const answer = await this.#send(call, agent, AbortSignal.timeout(call.deadline ?? TIMEOUT));
    return valueOf(call, answer);
  }

  /** The events of a watch, until the API server ends it. Throws ApiError, also while events are read. */
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
      // The options contain the certificates, too. client-node's own agent keeps no connections, so it is used only for proxies.
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

  /** Done for each call, because tokens rotate. */
  async #authenticate(options: RequestOptions): Promise<void> {
    try {
      await this.#config.applyToHTTPSOptions(options);
    } catch (error: unknown) {
      const message = `the kubeconfig's credentials can't be used: ${errorText(error)}`;
      throw new ApiError(0, "", message, { cause: error });
    }
  }
}

/** Throws EnvironmentError if the certificates or keys can't be used, because no retry can help. */
function begin(start: () => ClientRequest): ClientRequest {
  try {
    return start();
  } catch (cause: unknown) {
    const message = `the kubeconfig's certificates can't be used: ${errorText(cause)}`;
    throw new EnvironmentError(message, { cause });
  }
}

async function valueOf(call: ApiCall, answer: IncomingMessage): Promise<unknown> {
  const text = await readText(answer).catch((cause: unknown) => {
    throw new ApiError(0, "", BROKEN_OFF, { cause });
  });
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

const BROKEN_OFF = "the API server's answer broke off";

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
    throw new ApiError(0, "", BROKEN_OFF, { cause });
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

function kubeConfigPaths({ HOME, KUBECONFIG }: typeof process.env): readonly string[] {
  if (isSet(KUBECONFIG)) return KUBECONFIG.split(delimiter);
  return isSet(HOME) ? [join(HOME, ".kube/config")] : [];
}

function namedFiles(cluster: Readonly<Cluster>, user: Readonly<User> | null): readonly string[] {
  return [cluster.caFile, user?.certFile, user?.keyFile].filter(isSet);
}

/**
 * From KUBECONFIG, ~/.kube/config, or the service account of the pod. `namespace`: of the current context; empty for none, and in a pod.
 * Throws EnvironmentError. `checkFile` throws for a file that can't be read to its end: client-node would wait for it for ever.
 */
export async function loadKubeConfig(checkFile: (path: string) => void = () => undefined): Promise<{
  readonly config: ApiAccess;
  readonly namespace: string;
}> {
  const pod = serviceAccount(process.env);
  if (pod !== undefined) return { config: pod, namespace: "" };
  const { KubeConfig } = await import("@kubernetes/client-node");
  kubeConfigPaths(process.env).forEach(checkFile);
  const config = new KubeConfig();
  try {
    config.loadFromDefault();
  } catch (error: unknown) {
    // Only the first line: the others quote the file, including tokens.
    const [reason] = errorText(error).split("\n", 1);
    throw new EnvironmentError(`the kubeconfig can't be read: ${reason}`, { cause: error });
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    throw new EnvironmentError(
      "no cluster was found: set KUBECONFIG, or run albc in a pod with a service account",
    );
  }
  namedFiles(cluster, config.getCurrentUser()).forEach(checkFile);
  const protocol = URL.canParse(cluster.server) ? new URL(cluster.server).protocol : "";
  if (protocol !== "https:" && protocol !== "http:") {
    throw new EnvironmentError(
      `the kubeconfig's server "${cluster.server}" is no https:// URL: correct it`,
    );
  }
  // client-node would throw at each call, so that tokens are not sent unencrypted by mistake.
  if (protocol === "http:" && !cluster.skipTLSVerify) {
    throw new EnvironmentError(
      `the kubeconfig's server ${cluster.server} is not encrypted: give an https:// server, or set insecure-skip-tls-verify for one that may be asked in the clear`,
    );
  }
  const namespace = config.getContextObject(config.getCurrentContext())?.namespace ?? "";
  return { config, namespace };
}
