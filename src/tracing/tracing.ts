/** Spans of sampled requests: starts the thread that takes nginx's reports. Loads nothing of OpenTelemetry itself. */
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { TraceOptions } from "../model/options.js";
import { EnvironmentError } from "../support/errors.js";

/** Since the thread started. */
export interface TraceCounts {
  readonly reports: {
    /** Made into spans. */
    readonly received: number;
    /** Datagrams that are none of nginx's. */
    readonly malformed: number;
    /** Dropped by the kernel, because they came faster than they were read. */
    readonly lost: number;
    /** Dropped by the thread, because too many spans wait for the exporter. */
    readonly dropped: number;
  };
  readonly spans: { readonly exported: number; readonly failed: number };
}

/** What the thread tells every few seconds. */
export interface TraceNews extends TraceCounts {
  /** Why spans can't be exported at present. */
  readonly problem: string | undefined;
}

/** Milliseconds that the last export may take when a run ends. */
const LONGEST_EXPORT = 3000;

/** Throws EnvironmentError if the address can't be used. Without the mode `spans` there is no thread. */
export async function startTracing(
  data: Pick<TraceOptions, "mode" | "address"> & { readonly version: string },
  on: {
    readonly news: (news: TraceNews) => void;
    /** The thread has ended: there are no more spans until the next start. */
    readonly failure: (reason: string) => void;
  },
): Promise<{ readonly close: () => Promise<void> }> {
  if (data.mode !== "spans") return { close: () => Promise.resolve() };
  const worker = new Worker(new URL("trace-thread.js", import.meta.url), { workerData: data });
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- as trace-thread.ts posts it
  const [problem] = (await once(worker, "message")) as [string | undefined];
  if (problem !== undefined) {
    await worker.terminate();
    throw new EnvironmentError(`traceAddress ${data.address} can't be used: ${problem}`);
  }
  worker.on("message", on.news);
  worker.on("error", ({ message }) => {
    on.failure(message);
  });
  return {
    close: async () => {
      worker.postMessage("close");
      await Promise.race([once(worker, "exit"), pause(LONGEST_EXPORT)]);
      await worker.terminate();
    },
  };
}
