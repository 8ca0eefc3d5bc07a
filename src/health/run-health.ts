import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Registry, collectDefaultMetrics } from "prom-client";
import type { Severity } from "../diagnostics/catalog.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { EnvironmentError } from "../support/errors.js";
import type { TraceCounts } from "../tracing/tracing.js";
import { errorText } from "../support/text.js";

/** Events of a run by name, with their values. The values are plain data, because they are sent to the health thread. */
export interface RunEvents {
  /** A configuration is compiled and applied from now on. */
  applying: [];
  /**
   * The end of `applying`. `started`: with nginx; `refused`: by nginx; `error`: any other failure; the others as in Applied. `times`: in
   * seconds, of the steps that were reached. `version`: of the policy that is served now, or that nginx will read; absent if it is still
   * the previous one.
   */
  applied: [
    outcome: "unchanged" | "written" | "swapped" | "reloaded" | "started" | "refused" | "error",
    times: { readonly compile?: number; readonly apply?: number },
    version?: string,
  ];
  /** nginx refuses the first configuration, so no object is served until one is applied as a whole. */
  servesNothing: [];
  compiled: [summary: CompileSummary];
  /** Watching a kind failed and is restarted; `discovery`: the request for the list of kinds failed. */
  watchFailed: [kind: string];
  /** So many writes of statuses since the last such event. */
  statusesWritten: [kind: string, result: StatusResult, count: number];
  /** Whether this replica writes statuses. */
  leads: [leads: boolean];
  /** nginx ended by itself and is restarted. */
  nginxDied: [];
  traced: [counts: TraceCounts];
  /** The run ends: clients should send no more requests. */
  stop: [];
  /** The main thread runs. `metrics`: of its process, in Prometheus' text format. */
  alive: [metrics: string];
}

export type StatusResult = "written" | "conflict" | "error";

/** Reports an event. */
export type Observe = <Name extends keyof RunEvents>(
  name: Name,
  ...values: RunEvents[Name]
) => void;

/** What takes the events: a method for each event that it needs. */
export type RunHandlers = {
  readonly [Name in keyof RunEvents]?: (...values: RunEvents[Name]) => void;
};

export function isFailure(outcome: RunEvents["applied"][0]): boolean {
  return outcome === "refused" || outcome === "error";
}

/** What the last compilation found, as counts: the health thread needs no more. */
export interface CompileSummary {
  /** Number of objects by kind. */
  readonly objects: ReadonlyMap<string, number>;
  readonly diagnostics: Readonly<Record<Severity, number>>;
  /** Objects whose translation failed because of a bug in albc. */
  readonly faulty: number;
  /** Milliseconds since 1970 at which the certificate of a Secret `<namespace>/<name>` expires. */
  readonly expiries: ReadonlyMap<string, number>;
  /** Paths of files that albc has never read: their objects are missing. */
  readonly unreadable: readonly string[];
}

export function runSummary({
  objects,
  diagnostics: found,
  certificates,
  unreadable,
}: Pick<CompileSummary, "objects" | "unreadable"> & {
  readonly diagnostics: readonly Diagnostic[];
  readonly certificates: readonly {
    readonly certificate: {
      readonly secret: { readonly namespace: string; readonly name: string };
      readonly expires: number;
    };
  }[];
}): CompileSummary {
  const diagnostics = { error: 0, warning: 0, info: 0 };
  for (const { severity } of found) diagnostics[severity] += 1;
  const expiries = certificates.map(
    ({ certificate: { secret, expires } }) =>
      [`${secret.namespace}/${secret.name}`, expires] as const,
  );
  const faulty = found.filter(({ code }) => code === "INTERNAL_ERROR").length;
  return { objects, diagnostics, faulty, expiries: new Map(expiries), unreadable };
}

/** Milliseconds between signs of life of the main thread, which carry the metrics of its process. */
const HEARTBEAT = 5000;

/** Milliseconds before a thread that failed is restarted. */
const RESTART_DELAY = 1000;

/** Starts the health thread (health-thread.ts); with an empty address, none. Throws EnvironmentError if it can't listen. */
export async function startRunHealth(
  data: {
    /** `ADDRESS:PORT` to answer at, and names of it (see startHealthServer). */
    readonly address: string;
    readonly names: readonly string[];
    /** Where nginx writes, absolute. */
    readonly folder: string;
    /** Where albc writes, absolute. */
    readonly runFolder: string;
    /** Answer `/status`. */
    readonly statusPage: boolean;
    readonly version: string;
    /** Undefined if albc does not run nginx. */
    readonly nginxVersion: string | undefined;
    /** Files that can't be read do not make the run unready. */
    readonly startWithErrors: boolean;
    /** Labels of the metrics under the names of ingress-nginx; undefined: only albc's own names. */
    readonly ingressNginx: Readonly<Record<string, string>> | undefined;
  },
  onFailure: (reason: string) => void,
): Promise<{ readonly observe: Observe; readonly close: () => Promise<void> }> {
  if (data.address === "") {
    return { observe: () => undefined, close: () => Promise.resolve() };
  }
  const thread = new HealthThread(data, onFailure);
  await thread.start();
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const beat = async (): Promise<void> => {
    thread.observe("alive", await registry.metrics());
  };
  await beat();
  const heartbeat = setInterval(() => void beat(), HEARTBEAT).unref();
  return {
    observe: thread.observe,
    close: () => {
      clearInterval(heartbeat);
      return thread.close();
    },
  };
}

/** Restarts the thread when it fails, and repeats to the new one what the old one knew. Its counters start again at 0. */
class HealthThread {
  readonly #data: Parameters<typeof startRunHealth>[0];
  readonly #onFailure: (reason: string) => void;
  /** The last message of each kind and outcome, oldest first. */
  readonly #sent = new Map<
    string,
    { readonly name: string; readonly values: readonly unknown[] }
  >();
  #worker: Worker | undefined;
  #restart: NodeJS.Timeout | undefined;

  constructor(data: Parameters<typeof startRunHealth>[0], onFailure: (reason: string) => void) {
    this.#data = data;
    this.#onFailure = onFailure;
  }

  async start(): Promise<void> {
    const url = new URL("health-thread.js", import.meta.url);
    const worker = new Worker(url, { workerData: this.#data });
    this.#worker = worker;
    await listening(worker);
    worker.on("error", ({ message }) => {
      this.#failed(message);
    });
    for (const message of this.#sent.values()) worker.postMessage(message);
  }

  readonly observe: Observe = (name, ...values) => {
    // A refused change does not undo the one that was applied before, so each outcome is kept.
    const [first] = values;
    const key = typeof first === "string" ? `${name} ${first}` : name;
    this.#sent.delete(key);
    this.#sent.set(key, { name, values });
    this.#worker?.postMessage({ name, values });
  };

  async close(): Promise<void> {
    clearTimeout(this.#restart);
    await this.#worker?.terminate();
  }

  #failed(reason: string): void {
    this.#onFailure(reason);
    this.#restart = setTimeout(() => {
      this.start().catch((error: unknown) => {
        this.#failed(errorText(error));
      });
    }, RESTART_DELAY);
  }
}

async function listening(thread: Worker): Promise<void> {
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- as health-thread.ts posts it
  const [problem] = (await once(thread, "message")) as [string | undefined];
  if (problem === undefined) return;
  await thread.terminate();
  throw new EnvironmentError(problem);
}
