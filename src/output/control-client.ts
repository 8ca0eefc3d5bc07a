/** Client of control/control.sock in the folder that nginx writes to (docs/policy-format.md). */
import { once } from "node:events";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { errorText } from "../support/text.js";
import { isObject, parseObject } from "../support/json-object.js";
import { errorCode } from "./files.js";

export interface DataPlaneStatus {
  readonly version: string;
  /** Workers that have reported. Workers of an older generation are included until they are replaced. */
  readonly workers: readonly {
    readonly pid: number;
    /** Increases with each start or reload of nginx. */
    readonly generation: number;
    /** Version of the policy that the worker serves. */
    readonly version: string;
  }[];
  /** Number of workers that nginx should have. */
  readonly expected: number;
  /** Endpoints that get no requests because they can't be reached, 1,000 at most. Absent: this nginx doesn't say it. */
  readonly out?: readonly OutEndpoint[];
}

export interface OutEndpoint {
  /** Id of the upstream. */
  readonly upstream: string;
  /** `<address>:<port>`. */
  readonly endpoint: string;
  readonly reason: string;
  /** Seconds since 1970. */
  readonly since: number;
}

/** Old workers that still have connections. */
export interface Draining {
  /** As in DataPlaneStatus, ascending. */
  readonly generations: readonly number[];
  /** So many may drain; a reload ends the oldest beyond that. */
  readonly most: number;
}

/** The control socket does not answer, or another program answers. */
export class ControlError extends Error {
  override readonly name = "ControlError";
}

const SOCKET = "control/control.sock";
/** open(2) on Linux: a reference to the file without opening it. Node has no name for it. */
const O_PATH = 0o10000000;
/** Bytes of an answer, and of one with a row for each route: nginx may be controlled by an attacker. */
const LONGEST_ANSWER = 4 * 1024 * 1024;
const LONGEST_ROWS = 48 * 1024 * 1024;
const LONGEST_REASON = 500;

/** Factor for policies: a worker writes a large policy with pauses, in which it serves requests. */
const PUT_PATIENCE = 4;

export class ControlClient {
  readonly #folder: string;
  readonly #timeout: number;

  /** `folder`: where nginx writes. `timeout`: milliseconds for one call, and four times as many for a policy. */
  constructor(folder: string, { timeout = 5000 }: { readonly timeout?: number } = {}) {
    this.#folder = folder;
    this.#timeout = timeout;
  }

  /**
   * Sends a body made by policyDelta. `conflict`: the data plane does not serve the version that the body starts from. `refused`: it can't
   * decode the body or has no memory for it, and nothing has changed. Throws ControlError.
   */
  async put(
    body: string,
  ): Promise<
    | { readonly kind: "accepted" | "conflict" }
    | { readonly kind: "refused"; readonly reason: string }
  > {
    const timeout = PUT_PATIENCE * this.#timeout;
    const answer = await this.#call("PUT", "/policy", { text: body, timeout });
    switch (answer.status) {
      case 200:
        return { kind: "accepted" };
      case 409:
        return { kind: "conflict" };
      case 422:
      case 507:
        return { kind: "refused", reason: reasonOf(answer.body) };
      default:
        throw new ControlError(`the data plane answered ${answer.status} to a policy`);
    }
  }

  /** Throws ControlError. */
  status(): Promise<DataPlaneStatus> {
    return this.#get("status", readStatus);
  }

  /** Throws ControlError. */
  draining(): Promise<Draining> {
    return this.#get("draining", readDraining);
  }

  /** Throws ControlError. */
  counters(): Promise<DataPlaneCounters> {
    return this.#get("counters", readCounters);
  }

  /** Throws ControlError. */
  async rows(): Promise<DataPlaneRows> {
    const { status, body } = await this.#call("GET", "/rows", { longest: LONGEST_ROWS });
    const value = status === 200 ? readRows(body) : undefined;
    if (value !== undefined) return value;
    throw new ControlError(`the data plane answered ${status} to the question for its rows`);
  }

  /** Says that a policy may follow within 200 ms. Throws ControlError. */
  async expect(): Promise<void> {
    await this.#call("POST", "/expect");
  }

  /** Asks nginx to reload itself, without waiting for the reload. Throws ControlError. */
  async reload(): Promise<void> {
    const { status, body } = await this.#call("POST", "/reload");
    if (status !== 200) throw new ControlError(`nginx can't reload itself: ${reasonOf(body)}`);
  }

  /** True if no process listens on the socket, and thus none on nginx's ports. */
  async isDeserted(): Promise<boolean> {
    const code = await this.#atSocket(connectionError).catch(() => "ENOENT");
    return code === "ECONNREFUSED" || code === "ENOENT";
  }

  async #get<T>(name: string, read: (text: string) => T | undefined): Promise<T> {
    const { status, body } = await this.#call("GET", `/${name}`);
    const value = status === 200 ? read(body.toString()) : undefined;
    if (value !== undefined) return value;
    throw new ControlError(`the data plane answered ${status} to the question for its ${name}`);
  }

  #call(
    method: string,
    path: string,
    options: Partial<Pick<Call, "text" | "timeout" | "longest">> = {},
  ): ReturnType<typeof send> {
    const call = {
      ...{ method, path, text: "", timeout: this.#timeout, longest: LONGEST_ANSWER },
      ...options,
    };
    return this.#atSocket((socketPath) => send(socketPath, call));
  }

  async #atSocket<T>(use: (socketPath: string) => Promise<T>): Promise<T> {
    const path = join(this.#folder, SOCKET);
    if (process.platform !== "linux") return use(path);
    // A link that an attacker put there is not followed. The descriptor also avoids the length limit of a socket's path.
    const socket = await open(path, O_PATH | constants.O_NOFOLLOW).catch((error: unknown) => {
      throw unreachable(error);
    });
    try {
      return await use(`/proc/self/fd/${socket.fd}`);
    } finally {
      await socket.close();
    }
  }
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly text: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** Bytes of the answer. */
  readonly longest: number;
}

function send(
  socketPath: string,
  { method, path, text, timeout, longest }: Call,
): Promise<{ readonly status: number; readonly body: Buffer }> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      reject(unreachable(error));
    };
    const headers = { Host: "control", "Content-Length": Buffer.byteLength(text) };
    const asked = request({ socketPath, method, path, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      let length = 0;
      answer.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > longest) asked.destroy(new Error("its answer is too long"));
      });
      answer.on("error", fail);
      answer.on("end", () => {
        resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) });
      });
    });
    asked.on("error", fail);
    const limit = setTimeout(() => {
      asked.destroy(new Error(`no answer within ${timeout} ms`));
    }, timeout);
    asked.on("close", () => {
      clearTimeout(limit);
    });
    asked.end(text);
  });
}

/** The error code of connecting; empty if it works. */
async function connectionError(socketPath: string): Promise<string> {
  const socket = connect(socketPath);
  try {
    await once(socket, "connect");
    return "";
  } catch (error: unknown) {
    return errorCode(error);
  } finally {
    socket.destroy();
  }
}

function unreachable(cause: unknown): ControlError {
  return new ControlError(`the data plane can't be reached: ${errorText(cause)}`, { cause });
}

function reasonOf(body: Buffer): string {
  const answer = parseObject(body.toString());
  const error = answer?.["error"];
  return typeof error === "string" ? error.slice(0, LONGEST_REASON) : "without a reason";
}

function readStatus(text: string): DataPlaneStatus | undefined {
  const { version, expected, workers, out } = parseObject(text) ?? {};
  if (typeof version !== "string" || typeof expected !== "number" || !Array.isArray(workers)) {
    return undefined;
  }
  const read = workers.map(readWorker);
  const known = read.filter((worker) => worker !== undefined);
  return known.length === read.length
    ? { version, expected, workers: known, out: readOut(out) }
    : undefined;
}

function readOut(list: unknown): readonly OutEndpoint[] {
  return (Array.isArray(list) ? list : []).flatMap((value) => {
    const { upstream, endpoint, reason, since } = fieldsOf(value);
    return typeof upstream === "string" &&
      typeof endpoint === "string" &&
      typeof reason === "string" &&
      typeof since === "number"
      ? [{ upstream, endpoint, reason, since }]
      : [];
  });
}

function readWorker(value: unknown): DataPlaneStatus["workers"][number] | undefined {
  const { pid, generation, version } = isObject(value) ? value : {};
  if (typeof pid !== "number" || typeof generation !== "number" || typeof version !== "string") {
    return undefined;
  }
  return { pid, generation, version };
}

function readDraining(text: string): Draining | undefined {
  const { generations, most } = fieldsOf(parseObject(text));
  if (typeof most !== "number") return undefined;
  if (isNumbers(generations)) return { generations, most };
  // Some versions of cjson write an empty list as an object.
  return isObject(generations) && Object.keys(generations).length === 0
    ? { generations: [], most }
    : undefined;
}

/** Counts since the start of nginx, across reloads (`GET /counters`, docs/policy-format.md). */
export interface DataPlaneCounters {
  /** Responses by status code. */
  readonly responses: Readonly<Record<string, number>>;
  /** Access checks by outcome: `passed`, `signin`, or the name of a reason in lua/alb/reasons.lua. */
  readonly auth: Readonly<Record<string, number>>;
  /** Answers of auth services: `known` (remembered by their bytes) or `parsed`. */
  readonly answers: Readonly<Record<string, number>>;
  /** Times until the response header, in seconds. */
  readonly durations: {
    /** Upper ends of the buckets, ascending; the last bucket has none. */
    readonly bounds: readonly number[];
    /** Counts of each bucket, not cumulative. */
    readonly counts: readonly number[];
    readonly sum: number;
  };
  /** Connections of nginx by state; empty if nginx was built without stub_status. */
  readonly connections: Readonly<Record<string, number>>;
  /** How often an endpoint got out, by `<upstream>\t<reason>`, and how many are out now, by upstream. */
  readonly outages: Readonly<Record<string, number>>;
  readonly out: Readonly<Record<string, number>>;
}

/** Undefined if the text is invalid. */
export function readCounters(text: string): DataPlaneCounters | undefined {
  const found = fieldsOf(parseObject(text));
  const { responses, auth, answers, durations, connections, outages, out } = found;
  const { bounds, counts, sum } = fieldsOf(durations);
  const read = {
    responses: numbersByName(responses),
    auth: numbersByName(auth),
    answers: numbersByName(answers),
    connections: numbersByName(connections),
    outages: numbersByName(outages),
    out: numbersByName(out),
  };
  if (!isNumbers(bounds) || !isNumbers(counts) || typeof sum !== "number") return undefined;
  return counts.length === bounds.length + 1
    ? { ...read, durations: { bounds, counts, sum } }
    : undefined;
}

/** Counts of routes and auth policies since the start of nginx (`GET /rows`, docs/policy-format.md). */
export interface DataPlaneRows {
  /** Upper ends of the buckets of times in milliseconds, ascending; the last bucket has none. */
  readonly bounds: readonly number[];
  /** Names of the first columns of rows of checks. */
  readonly outcomes: readonly string[];
  readonly rows: readonly DataPlaneRow[];
}

export interface DataPlaneRow {
  /** `requests`: of a route; `checks`: of an auth policy, or of the auth of a route. */
  readonly of: "requests" | "checks";
  /** Id of the route or auth policy; empty: all that have no row of their own. */
  readonly id: string;
  readonly values: Float64Array;
}

const BYTES_OF_NUMBER = Float64Array.BYTES_PER_ELEMENT;

/** Undefined if the bytes are invalid. */
export function readRows(body: Buffer): DataPlaneRows | undefined {
  let at = body.indexOf(LINE_BREAK);
  const { bounds, outcomes, width } = fieldsOf(parseObject(body.toString("utf8", 0, at)));
  if (!isNumbers(bounds) || !isTexts(outcomes) || typeof width !== "number") return undefined;
  const rows: DataPlaneRow[] = [];
  while (at >= 0 && at + 1 < body.length) {
    const end = body.indexOf(LINE_BREAK, at + 1);
    const next = end + 1 + width * BYTES_OF_NUMBER;
    if (end < 0 || next > body.length) return undefined;
    const key = body.toString("utf8", at + 1, end);
    // A copy, because numbers must be aligned.
    const values = new Float64Array(new Uint8Array(body.subarray(end + 1, next)).buffer);
    rows.push({ of: key.startsWith("q") ? "requests" : "checks", id: key.slice(1), values });
    at = next - 1;
  }
  return { bounds, outcomes, rows };
}

const LINE_BREAK = 10;

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => typeof item === "number");
}

function numbersByName(value: unknown): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(fieldsOf(value)).filter(
      (entry): entry is [string, number] => typeof entry[1] === "number",
    ),
  );
}
