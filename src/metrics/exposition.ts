/** Prometheus' text format, version 0.0.4, for numbers that somebody else has counted. */
import type { MetricRow } from "./metrics-table.js";

export interface Sample {
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

export interface Histogram {
  /** Upper ends of the buckets, ascending; the last bucket has none. */
  readonly bounds: readonly number[];
  /** Of each bucket by itself. */
  readonly counts: readonly number[];
  readonly sum: number;
}

export function histogramSamples({ bounds, counts, sum }: Histogram): readonly Sample[] {
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
