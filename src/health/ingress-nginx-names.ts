/** The same metrics under the names of ingress-nginx, for its dashboards and alerts. */
import { RUN_METRICS } from "./metrics-table.js";
import type { RunEvents } from "./run-health.js";
import { formatLabels, formatMetric } from "./text-format.js";

/** Names of albc by those of ingress-nginx, and labels that have another name there. docs/metrics.md is generated from this table. */
export const INGRESS_NGINX_NAMES: ReadonlyMap<
  string,
  { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
> = new Map([
  of("albc_route_requests_total", "requests", { name: "ingress" }),
  of("albc_route_request_duration_seconds", "request_duration_seconds", { name: "ingress" }),
  of("albc_route_upstream_duration_seconds", "response_duration_seconds", { name: "ingress" }),
  of("albc_route_request_bytes_total", "request_size_sum", { name: "ingress" }),
  of("albc_route_response_bytes_total", "response_size_sum", { name: "ingress" }),
  of("albc_certificate_expire_time_seconds", "ssl_expire_time_seconds", { name: "secret_name" }),
  of("albc_config_last_apply_successful", "config_last_reload_successful"),
  of(
    "albc_config_last_apply_success_timestamp_seconds",
    "config_last_reload_successful_timestamp_seconds",
  ),
  of("albc_config_hash", "config_hash"),
  of("albc_nginx_connections", "nginx_process_connections"),
]);

function of(
  own: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): readonly [string, { readonly name: string; readonly labels: Readonly<Record<string, string>> }] {
  return [own, { name: `nginx_ingress_controller_${name}`, labels }];
}

type Outcome = RunEvents["applied"][0];

/**
 * Metrics of ingress-nginx that count some outcomes of albc_config_applies_total. Its dashboards take the average of all series, so there
 * is one of each.
 */
export const INGRESS_NGINX_RELOADS = new Map([
  reloads("success", ["started", "swapped", "reloaded", "written"]),
  reloads("errors", ["refused", "error"]),
]);

function reloads(name: string, outcomes: readonly Outcome[]): readonly [string, readonly string[]] {
  return [`nginx_ingress_controller_${name}`, outcomes];
}

/** A line of a metric of albc: its beginning, name, suffix of a histogram, labels, and the rest. */
const LINE = /^(# (?:HELP|TYPE) |)(albc_\w+?)(_bucket|_sum|_count|)(?:\{(.*)\})?( .*)$/;

/** The metrics of the text that ingress-nginx has too, under its names. `constant`: labels that each of them gets. */
export function inIngressNginxNames(
  text: string,
  constant: Readonly<Record<string, string>>,
): string {
  const added = formatLabels(constant);
  const applies = new Map<string, number>();
  const renamedLines = text
    .split("\n")
    .map((line) => {
      const [, start = "", own = "", suffix = "", labels = "", rest = ""] = LINE.exec(line) ?? [];
      if (own === RUN_METRICS.applies.name) applies.set(labels, Number(rest));
      const theirs = INGRESS_NGINX_NAMES.get(own);
      if (theirs === undefined) return "";
      if (start !== "") return `${start}${theirs.name}${rest}\n`;
      const all = labels === "" ? added : `${added},${renamed(labels, theirs.labels)}`;
      return `${theirs.name}${suffix}{${all}}${rest}\n`;
    })
    .join("");
  const sums = [...INGRESS_NGINX_RELOADS].map(([name, outcomes]) => {
    const counts = outcomes.map((outcome) => applies.get(formatLabels({ outcome })) ?? 0);
    const value = counts.reduce((sum, count) => sum + count, 0);
    const help = `Configurations by outcome, added up: ${outcomes.join(", ")}.`;
    return formatMetric({ type: "counter", name, help }, [{ labels: constant, value }]);
  });
  return renamedLines + sums.join("");
}

function renamed(labels: string, names: Readonly<Record<string, string>> = {}): string {
  return Object.entries(names).reduce(
    (text, [own, theirs]) => text.replace(`,${own}="`, `,${theirs}="`),
    labels,
  );
}
