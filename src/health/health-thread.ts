/** The thread that answers probes and scrapes, so that a compilation in the main thread delays none of them. */
import { parentPort, workerData } from "node:worker_threads";
import { ControlClient } from "../output/control-client.js";
import { errorText } from "../support/text.js";
import { HealthServer } from "./health-server.js";
import { RunMetrics, dataPlaneMetrics } from "./metrics.js";
import type { RunEvents } from "./observer.js";
import { Probes } from "./probes.js";
import type { HealthMessage, HealthThreadData } from "./run-health.js";

/** Milliseconds in which the data plane must answer: less than a kubelet waits. */
const DATA_PLANE_LIMIT = 2000;

// eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- as run-health.ts passes it
const { address, folder, version, nginxVersion, startWithErrors } = workerData as HealthThreadData;
const control = new ControlClient(folder, { timeout: DATA_PLANE_LIMIT });
const probes = new Probes({ status: () => control.status(), startWithErrors });
const metrics = new RunMetrics(version, nginxVersion);
let processMetrics = "";

const handlers: { readonly [Name in keyof RunEvents]: (...values: RunEvents[Name]) => void } = {
  applying: () => {
    probes.applying();
  },
  applied: (outcome, times, applied) => {
    if (outcome !== "refused" && outcome !== "error") probes.servesAll();
    probes.applied(applied);
    metrics.applied(outcome, times, applied);
  },
  servesNothing: () => {
    probes.servesNothing();
  },
  compiled: (summary) => {
    probes.compiled(summary);
    metrics.compiled(summary);
  },
  watchFailed: (kind) => {
    probes.watchFailed(kind);
    metrics.watchFailed(kind);
  },
  statusWritten: (...values) => {
    metrics.statusWritten(...values);
  },
  leads: (leads) => {
    metrics.leads(leads);
  },
  nginxDied: () => {
    metrics.nginxDied();
  },
  stop: () => {
    probes.stop();
  },
  alive: (text) => {
    probes.alive();
    processMetrics = text;
  },
};

parentPort?.on("message", <Name extends keyof RunEvents>({ name, values }: HealthMessage<Name>) => {
  handlers[name](...values);
});
parentPort?.postMessage(await listen());

/** Why the server can't listen, for run-health.ts; undefined if it listens. */
async function listen(): Promise<string | undefined> {
  try {
    await HealthServer.start({
      address,
      problem: () => probes.problem(),
      reluctance: () => probes.reluctance(),
      remark: () => probes.remark(),
      metrics: async () => ({
        contentType: metrics.contentType,
        text: (await metrics.text()) + processMetrics + (await dataPlaneMetrics(control)),
      }),
    });
    return undefined;
  } catch (error: unknown) {
    return errorText(error);
  }
}
