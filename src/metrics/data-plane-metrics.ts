import type { DataPlaneStatus } from "../output/control-client.js";
import type { DataPlaneCounters } from "../output/data-plane-counters.js";
import { configHash } from "./config-hash.js";
import { formatMetric, histogramSamples } from "./exposition.js";
import type { Sample } from "./exposition.js";
import { DATA_PLANE_METRICS as METRICS } from "./metrics-table.js";

/** What is asked for the metrics; both throw when nothing answers. */
export interface DataPlane {
  status(): Promise<DataPlaneStatus>;
  counters(): Promise<DataPlaneCounters>;
}

/** The data plane's part of /metrics. Does not throw. */
export async function dataPlaneMetrics(dataPlane: DataPlane): Promise<string> {
  try {
    const [status, counters] = await Promise.all([dataPlane.status(), dataPlane.counters()]);
    return (
      formatMetric(METRICS.up, [{ value: 1 }]) + workerMetrics(status) + requestMetrics(counters)
    );
  } catch {
    // That nothing answers is what the metric says.
    return formatMetric(METRICS.up, [{ value: 0 }]);
  }
}

function workerMetrics({ expected, workers }: DataPlaneStatus): string {
  const hashes = workers.map(({ version }, index) => ({
    labels: { worker: String(index) },
    value: configHash(version),
  }));
  return (
    formatMetric(METRICS.workersExpected, [{ value: expected }]) +
    formatMetric(METRICS.workerHash, hashes)
  );
}

function requestMetrics({ responses, durations, auth, connections }: DataPlaneCounters): string {
  return (
    formatMetric(METRICS.responses, samplesBy("code", responses)) +
    formatMetric(METRICS.headerDuration, histogramSamples(durations)) +
    formatMetric(METRICS.authChecks, samplesBy("outcome", auth)) +
    formatMetric(METRICS.connections, samplesBy("state", connections))
  );
}

function samplesBy(label: string, counts: Readonly<Record<string, number>>): readonly Sample[] {
  return Object.entries(counts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ({ labels: { [label]: name }, value }));
}
