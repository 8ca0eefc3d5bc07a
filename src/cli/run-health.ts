import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { NOBODY } from "../controller/observer.js";
import type { Observer } from "../controller/observer.js";
import { ProcessMetrics } from "../metrics/process-metrics.js";
import { countFindings } from "../metrics/run-metrics.js";
import { EnvironmentError } from "../support/environment-error.js";
import type { HealthMessage, HealthStart, HealthThreadData, Told } from "./health-messages.js";

/** What a run tells to those who watch over it. */
export interface RunHealth {
  readonly observer: Observer;
  /** Nobody should send requests any more. */
  stop(): void;
  close(): Promise<void>;
}

/** Milliseconds between signs of life of the main thread, which bring the metrics of its process along. */
const HEARTBEAT = 5000;

/** Starts the health thread (health-thread.ts); with an empty address, none. Throws EnvironmentError when it can't listen there. */
export async function startRunHealth(data: HealthThreadData): Promise<RunHealth> {
  if (data.address === "") {
    return { observer: NOBODY, stop: () => undefined, close: () => Promise.resolve() };
  }
  const thread = new Worker(new URL("health-thread.js", import.meta.url), { workerData: data });
  const tell: Tell = (name, ...args) => {
    thread.postMessage({ name, args } satisfies HealthMessage<typeof name>);
  };
  await listening(thread);
  // Without the thread no probe is answered, so the kubelet starts the pod again; until then requests are served.
  thread.on("error", () => undefined);
  const heartbeat = await beat(tell);
  return {
    observer: observing(tell),
    stop: () => {
      tell("stop");
    },
    close: async () => {
      clearInterval(heartbeat);
      await thread.terminate();
    },
  };
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
