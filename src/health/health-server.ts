/** The server of the health address. Every pod may reach it, so it shares its connections among the addresses that ask. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { Socket } from "node:net";
import { Registry } from "prom-client";
import { EnvironmentError } from "../support/errors.js";
import { addressAndPort, canonicalAddress } from "../support/ip-address.js";
import type { Probes } from "./probes.js";
import { PAGE_HEADERS } from "./status-page.js";

/** Milliseconds for the head of a request, also on a new connection, and for a whole request. Node looks for late ones at intervals. */
const OPTIONS = { headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 1000 };
/** Milliseconds for an answer. */
const LONGEST_ANSWER = 30_000;

/** A kubelet, load balancers and a few Prometheus need a dozen; the file limit of a process may be 1,024. */
const MOST_CONNECTIONS = 256;

/** Bytes of metrics and status pages under way to clients, which may read slowly: metrics of 10,000 routes are 30 MB. */
const MOST_BYTES = 128 * 1024 * 1024;

/** At most so much for all connections. Of more, the address that has most loses its oldest, so that probes of other addresses get through. */
class Share {
  readonly #most: number;
  /** What each connection has, oldest first. */
  readonly #amounts = new Map<Socket, number>();
  #sum = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(socket: Socket, amount = 1): void {
    this.remove(socket);
    this.#amounts.set(socket, amount);
    this.#sum += amount;
    while (this.#sum > this.#most && this.#amounts.size > 1) this.#endOne();
  }

  remove(socket: Socket): void {
    this.#sum -= this.#amounts.get(socket) ?? 0;
    this.#amounts.delete(socket);
  }

  #endOne(): void {
    const sums = new Map<string | undefined, number>();
    for (const [{ remoteAddress }, amount] of this.#amounts)
      sums.set(remoteAddress, (sums.get(remoteAddress) ?? 0) + amount);
    const most = Math.max(...sums.values());
    for (const socket of this.#amounts.keys()) {
      if (sums.get(socket.remoteAddress) !== most) continue;
      this.remove(socket);
      socket.destroy();
      return;
    }
  }
}

interface Pages {
  readonly metrics: () => Promise<readonly (string | Buffer)[]>;
  /** A page; undefined until there is something to show. Absent: there is none. */
  readonly status?: (() => Promise<string | undefined>) | undefined;
}

type Answers = Pages & Pick<Probes, "problem" | "reluctance" | "remark">;

/**
 * HTTP server for the kubelet and Prometheus. Its answers contain no secret. `address`: `ADDRESS:PORT`, IPv6 in brackets. Throws
 * EnvironmentError if it can't listen there.
 */
export async function startHealthServer(
  address: string,
  probes: Pick<Probes, "problem" | "reluctance" | "remark">,
  {
    names = [],
    ...pages
  }: Pages & {
    /** Of the address, beside IP addresses and names without a dot. One that begins with a dot stands for all below it. */
    readonly names?: readonly string[];
  },
): Promise<Server> {
  const answers = {
    problem: () => probes.problem(),
    reluctance: shared(() => probes.reluctance()),
    remark: () => probes.remark(),
    metrics: shared(pages.metrics),
    status: pages.status && shared(pages.status),
  };
  const known = names.map((name) => name.toLowerCase());
  const bytes = new Share(MOST_BYTES);
  const server = createServer(OPTIONS, (request, response) => {
    const { socket, headers } = request;
    const end = setTimeout(() => socket.destroy(), LONGEST_ANSWER);
    response.once("close", () => {
      clearTimeout(end);
      bytes.remove(socket);
    });
    const isOwn = isOwnName(headers.host, known);
    answer({ request, response, answers, bytes, isOwn }).catch(() => response.destroy());
  });
  shareConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => {
      const message = `can't listen on the health address ${address}: ${cause.message}`;
      reject(new EnvironmentError(message, { cause }));
    });
    server.listen(addressAndPort(address), resolve);
  });
  return server;
}

function shareConnections(server: Server): void {
  const connections = new Share(MOST_CONNECTIONS);
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => {
      connections.remove(socket);
    });
  });
}

/**
 * Whether no page of others can have made a browser ask (DNS rebinding): such a page knows the health address by a name in a domain of its
 * owner. Browsers always send a Host header.
 */
function isOwnName(host: string | undefined, known: readonly string[]): boolean {
  if (host === undefined) return true;
  const [, bracketed, plain = ""] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
  if (canonicalAddress(bracketed ?? plain) !== undefined) return true;
  const name = plain.toLowerCase().replace(/\.$/, "");
  if (!/^[\w.-]+$/.test(name)) return false;
  return (
    !name.includes(".") ||
    known.some((each) => (each.startsWith(".") ? name.endsWith(each) : name === each))
  );
}

/** All who ask while it is worked out get the same result, so that probes get their time and memory. */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  return () => {
    current ??= work().finally(() => {
      current = undefined;
    });
    return current;
  };
}

/** One request, and what its answer needs. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answers: Answers;
  readonly bytes: Share;
  /** See isOwnName. */
  readonly isOwn: boolean;
}

async function answer(exchange: Exchange): Promise<void> {
  const { request, answers, isOwn } = exchange;
  const [path] = String(request.url).split("?", 1);
  if (request.method !== "GET" && request.method !== "HEAD") {
    send(exchange, 405, "only GET and HEAD\n", { Allow: "GET, HEAD" });
  } else if (path === "/healthz") {
    sendVerdict(exchange, answers.problem());
  } else if (path === "/readyz") {
    sendVerdict(exchange, await answers.reluctance(), answers.remark());
  } else if (path !== "/metrics" && path !== "/status") {
    send(exchange, 404, "there are /healthz, /readyz, /metrics and /status\n");
  } else if (!isOwn) {
    send(exchange, 421, "this name is not known; the option healthHosts lists further names\n");
  } else if (path === "/metrics") {
    const headers = { "Content-Type": Registry.PROMETHEUS_CONTENT_TYPE };
    send(exchange, 200, await answers.metrics(), headers);
  } else if (answers.status === undefined) {
    send(exchange, 404, "this page needs the option statusPage\n");
  } else {
    const page = await answers.status();
    if (page !== undefined) send(exchange, 200, page, PAGE_HEADERS);
    else send(exchange, 503, "no configuration is applied yet\n");
  }
}

/** A load balancer may probe by any name, but reasons name files. */
function sendVerdict(exchange: Exchange, reason: string | undefined, remark = ""): void {
  const { isOwn } = exchange;
  if (reason === undefined) send(exchange, 200, `ok\n${isOwn ? remark : ""}`);
  else send(exchange, 503, isOwn ? `${reason}\n` : "not ok\n");
}

function send(
  { request: { method, socket }, response, bytes }: Exchange,
  status: number,
  text: string | readonly (string | Buffer)[],
  headers: Readonly<Record<string, string>> = {},
): void {
  const type = "text/plain; charset=utf-8";
  response.writeHead(status, { "Content-Type": type, "Cache-Control": "no-store", ...headers });
  const parts = method === "HEAD" ? [] : [text].flat();
  bytes.add(
    socket,
    parts.reduce((sum, { length }) => sum + length, 0),
  );
  for (const part of parts) response.write(part);
  response.end();
}
