/** The thread that answers probes and scrapes, so that a compilation in the main thread delays none of them. */
import { once } from "node:events";
import { Worker, parentPort, workerData } from "node:worker_threads";
import { ControlClient } from "../output/control-client.js";
import { errorText } from "../support/text.js";
import { inIngressNginxNames } from "./ingress-nginx-names.js";
import { RunMetrics, dataPlaneMetrics } from "./metrics.js";
import { startHealthServer } from "./health-server.js";
import { Probes } from "./probes.js";
import type { RunEvents, RunHandlers, startRunHealth } from "./run-health.js";
import { type PolicyFacts, statusOfRun } from "./run-status.js";
import { StatusPage } from "./status-page.js";

/** Milliseconds in which the data plane must answer: less than a kubelet waits. */
const DATA_PLANE_LIMIT = 2000;

// eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- as run-health.ts passes it
const data = workerData as Parameters<typeof startRunHealth>[0];
const control = new ControlClient(data.folder, { timeout: DATA_PLANE_LIMIT });
const probes = new Probes(() => control.status(), data);
const metrics = new RunMetrics(data.version, data.nginxVersion);
const page = data.statusPage
  ? new StatusPage(readPolicy, (facts) => statusOfRun(facts, data.runFolder, control))
  : undefined;
const handlers: readonly RunHandlers[] = [probes, metrics, ...(page ? [page] : [])];

parentPort?.on(
  "message",
  <Name extends keyof RunEvents>(event: {
    readonly name: Name;
    readonly values: RunEvents[Name];
  }) => {
    for (const each of handlers) each[event.name]?.(...event.values);
  },
);
parentPort?.postMessage(await listen());

/** Why the server can't listen, for run-health.ts; undefined if it listens. */
async function listen(): Promise<string | undefined> {
  const parts = async (): Promise<readonly (string | Buffer)[]> => {
    const own = [await metrics.text(), ...(await dataPlaneMetrics(control))];
    const { ingressNginx } = data;
    return ingressNginx === undefined
      ? own
      : [...own, inIngressNginxNames(own.join(""), ingressNginx)];
  };
  try {
    const status = page && (() => page.html());
    await startHealthServer(data.address, probes, { metrics: parts, status, names: data.names });
    return undefined;
  } catch (error: unknown) {
    return errorText(error);
  }
}

async function readPolicy(): Promise<PolicyFacts> {
  const thread = new Worker(new URL("policy-thread.js", import.meta.url), {
    workerData: data.runFolder,
  });
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- as policy-thread.ts posts it
  const [facts] = (await once(thread, "message")) as [PolicyFacts];
  return facts;
}
