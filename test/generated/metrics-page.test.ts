import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  DATA_PLANE_METRICS,
  type MetricRow,
  ROUTE_METRICS,
  RUN_METRICS,
} from "../../src/health/metrics-table.js";
import {
  INGRESS_NGINX_NAMES,
  INGRESS_NGINX_RELOADS,
} from "../../src/health/ingress-nginx-names.js";
import { expectGenerated } from "../support/generated-file.js";

const CATALOG = join(import.meta.dirname, "../../lua/alb/reasons.lua");
const REASON = /^ {4}((?:source|auth|client|basic|forward)_\w+) = \{ \d{3}, "((?:[^"\\]|\\.)*)", /;
/** Of other sections of the catalogue, but auth ends in them too. */
const FURTHER = ["timeout", "body_too_large"];

const INTRODUCTION = `# Metrics

With \`--health-address\` (docs/options.md) \`albc run\` answers \`/metrics\` in Prometheus' text format. Besides what is
listed here there are the usual metrics of its process (\`process_*\`, \`nodejs_*\`). This page is generated from
\`src/health/metrics-table.ts\`.

Counters of nginx continue across reloads and begin at 0 when nginx is started again. Workers add to \`albc_http_*\`,
\`albc_auth_checks_total\` and \`albc_auth_answers_total\` five times a second; a worker that is killed loses what it has not added yet.
Metrics of routes lose nothing.

[monitoring.md](monitoring.md) has a dashboard, alerts, and the way from an alert to the object.
`;

const ROUTES = `\`rule\` is the rest of the route's id, which the access log has as \`route\`: the position of the rule, for an Ingress those of rule
and path (\`0-1\`). Requests that no rule matches, or that nginx refuses before it knows the route, are only in
\`${DATA_PLANE_METRICS.responses.name}\`.

A route has about 20 series once it had a request; without one it has none. The option \`routeMetrics\` (10,000) limits how many routes and auth
policies have metrics of their own, first come, first served; the others are counted together, with \`kind="other"\` and empty labels. A
removed route keeps its series for ten minutes. \`routeMetrics: 0\` counts no route. Another limit begins all of them at 0.
`;

test("docs/metrics.md lists every metric", () => {
  expectGenerated(
    "docs/metrics.md",
    [
      INTRODUCTION,
      section("The run", Object.values(RUN_METRICS)),
      section("nginx and requests", Object.values(DATA_PLANE_METRICS)),
      section("Routes and auth policies", Object.values(ROUTE_METRICS)),
      ROUTES,
      ingressNginx(),
      outcomes(),
    ].join("\n"),
  );
});

function section(title: string, rows: readonly MetricRow[]): string {
  const lines = rows.map(
    ({ name, type, help, labels = [] }) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help} |\n`,
  );
  return `## ${title}\n\n| name | type | labels | what it says |\n|---|---|---|---|\n${lines.join("")}`;
}

function ingressNginx(): string {
  const lines = [...INGRESS_NGINX_NAMES].map(
    ([own, { name, labels = {} }]) =>
      `| \`${name}\` | \`${own}\` | ${Object.entries(labels)
        .map(([from, to]) => `\`${to}\` is \`${from}\``)
        .join(", ")} |\n`,
  );
  const reloads = [...INGRESS_NGINX_RELOADS].map(
    ([name, outcomes]) =>
      `| \`${name}\` | \`${RUN_METRICS.applies.name}\` | sum of ${outcomes.map((outcome) => `\`outcome="${outcome}"\``).join(", ")} |\n`,
  );
  return `## Dashboards and alerts of ingress-nginx

The option \`ingressNginxMetrics\` adds the metrics of this table under the names of ingress-nginx, with its labels \`controller_class\` (the option
\`ingressController\`), \`controller_namespace\` and \`controller_pod\` (the variables \`POD_NAMESPACE\` and \`POD_NAME\`). Without it, rename in the dashboard.

- \`status\` is a class (\`5xx\`), so \`status=~"5.*"\` works and \`status="503"\` does not.
- There are no labels \`host\`, \`path\`, \`method\`, \`service\` and \`canary\`; \`kind\` and \`rule\` are added. HTTPRoutes and Rules have the label \`ingress\`, too.
- Histograms have no label \`status\`: for \`request_duration_seconds_count{status=~…}\` take \`requests\`. \`request_size\` and \`response_size\` have sums
  only; for their \`_count\` take \`requests\`, too.
- \`exported_namespace\` is \`namespace\`, which the scrape keeps ([monitoring.md](monitoring.md#scrape)).
- \`nginx_process_cpu_seconds_total\` and \`nginx_process_resident_memory_bytes\` are the container's
  \`container_cpu_usage_seconds_total\` and \`container_memory_working_set_bytes\`.

| ingress-nginx | albc | labels |
|---|---|---|
${lines.join("")}${reloads.join("")}`;
}

function outcomes(): string {
  const reasons = readFileSync(CATALOG, "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, name = "", reason = ""] = REASON.exec(line) ?? [];
      return name === "" ? [] : [`| \`${name}\` | \`${reason}\` |\n`];
    });
  expect(reasons.length).toBeGreaterThan(10);
  const further = FURTHER.map((name) => `\`${name}\``).join(", ");
  return `## Outcomes of auth checks

Values of \`outcome\` of \`${DATA_PLANE_METRICS.authChecks.name}\` and \`${ROUTE_METRICS.authChecks.name}\`: \`passed\`; \`signin\`, when the client was sent to the
sign-in page; or why the request was refused. ${further} and \`other\` are faults on the way to the auth service.

| outcome | reason in the access log |
|---|---|
${reasons.join("")}`;
}
