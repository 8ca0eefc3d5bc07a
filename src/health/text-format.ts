/** Numbers that nginx has counted, in version 0.0.4 of Prometheus' text format; prom-client prints only what it counts by itself. */
import type { DataPlaneCounters } from "../output/control-client.js";
import type { MetricRow } from "./metrics-table.js";

export interface Sample {
  /** Appended to the name of the metric: `_sum` and so on. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** One metric with its samples; empty without any. */
export function formatMetric({ name, help, type }: MetricRow, samples: readonly Sample[]): string {
  if (samples.length === 0) return "";
  const lines = samples.map(
    ({ suffix = "", labels = {}, value }) =>
      `${name}${suffix}${inBraces(formatLabels(labels))} ${String(value)}\n`,
  );
  return formatHead({ name, help, type }) + lines.join("");
}

export function formatHead({ name, help, type }: MetricRow): string {
  return `# HELP ${name} ${escapeText(help)}\n# TYPE ${name} ${type}\n`;
}

export function histogramSamples({
  bounds,
  counts,
  sum,
}: DataPlaneCounters["durations"]): readonly Sample[] {
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

/** Without the braces. */
export function formatLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeText(value).replaceAll('"', '\\"')}"`)
    .join(",");
}

function inBraces(labels: string): string {
  return labels === "" ? "" : `{${labels}}`;
}

function escapeText(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
