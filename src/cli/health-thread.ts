/** The thread that answers probes and scrapes, so that a compilation in the main thread keeps none of them waiting. */
import { parentPort, workerData } from "node:worker_threads";
import { HealthServer } from "../health/health-server.js";
import { Probes } from "../health/probes.js";
import { dataPlaneMetrics } from "../metrics/data-plane-metrics.js";
import { RunMetrics } from "../metrics/run-metrics.js";
import { ControlClient } from "../output/control-client.js";
import { errorText } from "../support/text.js";
import type { HealthMessage, HealthStart, HealthThreadData, Told } from "./run-health.js";

type Listeners = { readonly [Name in keyof Told]: (...args: Told[Name]) => void };

/** Milliseconds in which the data plane must answer: less than a kubelet waits. */
const DATA_PLANE_LIMIT = 2000;

// eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- as run-health.ts gives it
const { address, folder, version, nginxVersion, startWithErrors } = workerData as HealthThreadData;
const control = new ControlClient(folder, { timeout: DATA_PLANE_LIMIT });
const probes = new Probes({ status: () => control.status(), startWithErrors });
const metrics = new RunMetrics(version, nginxVersion);
let processMetrics = "";

const told: Listeners = {
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
  compiled: (counts) => {
    probes.compiled(counts);
    metrics.compiled(counts);
  },
  watchFailed: (kind) => {
    probes.watchFailed(kind);
    metrics.watchFailed(kind);
  },
  statusWritten: (...args) => {
    metrics.statusWritten(...args);
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

parentPort?.on("message", <Name extends keyof Told>({ name, args }: HealthMessage<Name>) => {
  told[name](...args);
});
parentPort?.postMessage({ problem: await listen() } satisfies HealthStart);

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
