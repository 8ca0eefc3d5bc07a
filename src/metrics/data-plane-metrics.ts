import type { DataPlaneCounters, DataPlaneStatus } from "../output/control-client.js";
import type { MetricRow } from "./metrics-table.js";
import { DATA_PLANE_METRICS as METRICS } from "./metrics-table.js";
import { configHash } from "./run-metrics.js";

/** What is asked for the metrics; both throw when nothing answers. */
interface DataPlane {
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

/** Prometheus' text format, version 0.0.4, for numbers that somebody else has counted. */

interface Sample {
  /** After the name of the metric: `_sum` and so on. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** One metric with its samples; nothing without any. */
export function formatMetric({ name, help, type }: MetricRow, samples: readonly Sample[]): string {
  if (samples.length === 0) return "";
  const lines = samples.map(
    ({ suffix = "", labels = {}, value }) =>
      `${name}${suffix}${formatLabels(labels)} ${String(value)}\n`,
  );
  return `# HELP ${name} ${escapeText(help)}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

interface Histogram {
  /** Upper ends of the buckets, ascending; the last bucket has none. */
  readonly bounds: readonly number[];
  /** Of each bucket by itself. */
  readonly counts: readonly number[];
  readonly sum: number;
}

function histogramSamples({ bounds, counts, sum }: Histogram): readonly Sample[] {
  let total = 0;
  const buckets = counts.map((count, index): Sample => {
    total += count;
    const bound = bounds[index];
    return {
      suffix: "_bucket",
      labels: { le: bound === undefined ? "+Inf" : String(bound) },
      value: total,
    };
  });
  return [...buckets, { suffix: "_sum", value: sum }, { suffix: "_count", value: total }];
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escapeText(value).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeText(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
