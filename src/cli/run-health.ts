import { NOBODY } from "../controller/observer.js";
import type { Observer } from "../controller/observer.js";
import { HealthServer } from "../health/health-server.js";
import { Probes } from "../health/probes.js";
import { dataPlaneMetrics } from "../metrics/data-plane-metrics.js";
import { RunMetrics } from "../metrics/run-metrics.js";
import { ControlClient } from "../output/control-client.js";

/** What a run tells to those who watch over it. */
export interface RunHealth {
  readonly observer: Observer;
  /** Nobody should send requests any more. */
  stop(): void;
  close(): Promise<void>;
}

export interface RunHealthOptions {
  /** `ADDRESS:PORT` to answer at; empty: nobody watches. */
  readonly address: string;
  /** The run folder, absolute. */
  readonly folder: string;
  readonly version: string;
  /** Empty when somebody else runs nginx. */
  readonly nginxVersion: string;
}

/** Milliseconds in which the data plane must answer: less than a kubelet waits. */
const DATA_PLANE_LIMIT = 2000;

/** Throws EnvironmentError when the address can't be listened on. */
export async function startRunHealth(options: RunHealthOptions): Promise<RunHealth> {
  const { address, folder, version, nginxVersion } = options;
  if (address === "") {
    return { observer: NOBODY, stop: () => undefined, close: () => Promise.resolve() };
  }
  const control = new ControlClient(folder, { timeout: DATA_PLANE_LIMIT });
  const probes = new Probes({ status: () => control.status() });
  const metrics = new RunMetrics(version, nginxVersion);
  const server = await HealthServer.start({
    address,
    problem: () => probes.problem(),
    reluctance: () => probes.reluctance(),
    metrics: async () => ({
      contentType: metrics.contentType,
      text: (await metrics.text()) + (await dataPlaneMetrics(control)),
    }),
  });
  return {
    observer: observing(metrics, probes),
    stop: () => {
      probes.stop();
    },
    close: () => server.close(),
  };
}

function observing(metrics: RunMetrics, probes: Probes): Observer {
  return {
    applying: () => {
      probes.applying();
    },
    applied: (outcome, times, version) => {
      if (outcome !== "refused" && outcome !== "error") probes.servesAll();
      probes.applied(version);
      metrics.applied(outcome, times, version);
    },
    servesNothing: () => {
      probes.servesNothing();
    },
    compiled: (objects, diagnostics) => {
      metrics.compiled(objects, diagnostics);
    },
    watchFailed: (kind) => {
      metrics.watchFailed(kind);
    },
    statusWritten: (kind, result) => {
      metrics.statusWritten(kind, result);
    },
    leads: (leads) => {
      metrics.leads(leads);
    },
    nginxDied: () => {
      metrics.nginxDied();
    },
  };
}
