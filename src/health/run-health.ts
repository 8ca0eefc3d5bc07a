import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { EnvironmentError } from "../support/errors.js";
import { errorText } from "../support/text.js";
import { processMetrics } from "./metrics.js";
import type { Observe, RunEvents } from "./observer.js";

/** Milliseconds between signs of life of the main thread, which carry the metrics of its process. */
const HEARTBEAT = 5000;

/** Milliseconds before a thread that failed is restarted. */
const RESTART_DELAY = 1000;

export interface HealthThreadData {
  /** `ADDRESS:PORT` to answer at. */
  readonly address: string;
  /** Where nginx writes, absolute. */
  readonly folder: string;
  readonly version: string;
  /** Empty if albc does not run nginx. */
  readonly nginxVersion: string;
  /** Files that can't be read do not make the run unready. */
  readonly startWithErrors: boolean;
}

/** What the main thread sends to the health thread. */
export interface HealthMessage<Name extends keyof RunEvents = keyof RunEvents> {
  readonly name: Name;
  readonly values: RunEvents[Name];
}

/** Starts the health thread (health-thread.ts); with an empty address, none. Throws EnvironmentError if it can't listen. */
export async function startRunHealth(
  data: HealthThreadData,
  onFailure: (reason: string) => void,
): Promise<{ readonly observe: Observe; readonly close: () => Promise<void> }> {
  if (data.address === "") {
    return { observe: () => undefined, close: () => Promise.resolve() };
  }
  const thread = new HealthThread(data, onFailure);
  await thread.start();
  const observe: Observe = (name, ...values) => {
    thread.send({ name, values });
  };
  const heartbeat = await beat(observe);
  return {
    observe,
    close: async () => {
      clearInterval(heartbeat);
      await thread.close();
    },
  };
}

/** Restarts the thread when it fails, and repeats to the new one what the old one knew. Its counters start again at 0. */
class HealthThread {
  /** The last message of each kind and outcome, oldest first. */
  readonly #sent = new Map<string, HealthMessage>();
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
    for (const message of this.#sent.values()) worker.postMessage(message);
  }

  send(message: HealthMessage): void {
    // A refused change does not undo the one that was applied before, so each outcome is kept.
    const [first] = message.values;
    const key = typeof first === "string" ? `${message.name} ${first}` : message.name;
    this.#sent.delete(key);
    this.#sent.set(key, message);
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

async function listening(thread: Worker): Promise<void> {
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- as health-thread.ts posts it
  const [problem] = (await once(thread, "message")) as [string | undefined];
  if (problem === undefined) return;
  await thread.terminate();
  throw new EnvironmentError(problem);
}

async function beat(observe: Observe): Promise<NodeJS.Timeout> {
  const print = processMetrics();
  const alive = async (): Promise<void> => {
    observe("alive", await print());
  };
  await alive();
  return setInterval(() => void alive(), HEARTBEAT).unref();
}
