import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { ApplyTimes, Observer, ApplyOutcome } from "../controller/observer.js";
import { NO_OBSERVER } from "../controller/observer.js";
import { ProcessMetrics, countFindings } from "../metrics/run-metrics.js";
import type { FindingCounts } from "../metrics/run-metrics.js";
import { EnvironmentError } from "../support/errors.js";
import { errorText } from "../support/text.js";

/** What a run tells to those who watch over it. */
export interface RunHealth {
  readonly observer: Observer;
  /** Nobody should send requests any more. */
  stop(): void;
  close(): Promise<void>;
}

/** Milliseconds between signs of life of the main thread, which bring the metrics of its process along. */
const HEARTBEAT = 5000;

/** Milliseconds before a thread that failed is started again. */
const RESTART_DELAY = 1000;

/** Starts the health thread (health-thread.ts); with an empty address, none. Throws EnvironmentError when it can't listen there. */
export async function startRunHealth(
  data: HealthThreadData,
  onFailure: (reason: string) => void,
): Promise<RunHealth> {
  if (data.address === "") {
    return { observer: NO_OBSERVER, stop: () => undefined, close: () => Promise.resolve() };
  }
  const thread = new HealthThread(data, onFailure);
  await thread.start();
  const tell: Tell = (name, ...args) => {
    thread.tell({ name, args });
  };
  const heartbeat = await beat(tell);
  return {
    observer: observing(tell),
    stop: () => {
      tell("stop");
    },
    close: async () => {
      clearInterval(heartbeat);
      await thread.close();
    },
  };
}

/** The thread, and the next one when it fails, which is told what the last one knew. Counters begin again. */
class HealthThread {
  /** The last message of each kind, and outcome, oldest first. */
  readonly #told = new Map<string, HealthMessage>();
  #worker: Worker | undefined;
  #restart: NodeJS.Timeout | undefined;

  readonly #data: HealthThreadData;
  readonly #onFailure: (reason: string) => void;

  constructor(data: HealthThreadData, onFailure: (reason: string) => void) {
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
    for (const message of this.#told.values()) worker.postMessage(message);
  }

  tell(message: HealthMessage): void {
    // A change that was refused does not undo the one that was applied before.
    const [first] = message.args;
    const key = typeof first === "string" ? `${message.name} ${first}` : message.name;
    this.#told.delete(key);
    this.#told.set(key, message);
    this.#worker?.postMessage(message);
  }

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

type Tell = <Name extends keyof Told>(name: Name, ...args: Told[Name]) => void;

async function listening(thread: Worker): Promise<void> {
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- as health-thread.ts posts it
  const [{ problem }] = (await once(thread, "message")) as [HealthStart];
  if (problem === undefined) return;
  await thread.terminate();
  throw new EnvironmentError(problem);
}

async function beat(tell: Tell): Promise<NodeJS.Timeout> {
  const metrics = new ProcessMetrics();
  const alive = async (): Promise<void> => {
    tell("alive", await metrics.text());
  };
  await alive();
  return setInterval(() => void alive(), HEARTBEAT).unref();
}

function observing(tell: Tell): Observer {
  return {
    applying: () => {
      tell("applying");
    },
    applied: (...args) => {
      tell("applied", ...args);
    },
    servesNothing: () => {
      tell("servesNothing");
    },
    compiled: (findings) => {
      tell("compiled", countFindings(findings));
    },
    watchFailed: (kind) => {
      tell("watchFailed", kind);
    },
    statusWritten: (...args) => {
      tell("statusWritten", ...args);
    },
    leads: (leads) => {
      tell("leads", leads);
    },
    nginxDied: () => {
      tell("nginxDied");
    },
  };
}

/** What the health thread works with. */
export interface HealthThreadData {
  /** `ADDRESS:PORT` to answer at. */
  readonly address: string;
  /** Where nginx writes, absolute. */
  readonly folder: string;
  readonly version: string;
  /** Empty when somebody else runs nginx. */
  readonly nginxVersion: string;
  /** A file that can't be read does not make the run unready. */
  readonly startWithErrors: boolean;
}

/** What the main thread tells the health thread, by name: what it observes, that it stops, and that it is alive. */
export interface Told extends Record<
  Exclude<keyof Observer, "applied" | "compiled" | "statusWritten" | "leads" | "watchFailed">,
  []
> {
  applied: [outcome: ApplyOutcome, times: ApplyTimes, version?: string];
  compiled: [counts: FindingCounts];
  watchFailed: [kind: string];
  statusWritten: [kind: string, result: "written" | "conflict" | "error"];
  leads: [leads: boolean];
  stop: [];
  /** Metrics of the process and of the main thread, in Prometheus' text format. */
  alive: [metrics: string];
}

export interface HealthMessage<Name extends keyof Told = keyof Told> {
  readonly name: Name;
  readonly args: Told[Name];
}

/** The health thread's one answer: undefined when it listens, else why it can't. */
export interface HealthStart {
  readonly problem: string | undefined;
}
