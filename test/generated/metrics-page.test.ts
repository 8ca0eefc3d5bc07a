import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DATA_PLANE_METRICS, type MetricRow, RUN_METRICS } from "../../src/health/metrics-table.js";
import { expectGenerated } from "../support/generated-file.js";

const CATALOG = join(import.meta.dirname, "../../lua/alb/reasons.lua");
const REASON = /^ {4}((?:source|auth|client|basic|forward)_\w+) = \{ \d{3}, "((?:[^"\\]|\\.)*)", /;
/** Of other sections of the catalogue, but auth ends in them too. */
const FURTHER = ["timeout", "body_too_large"];

const INTRODUCTION = `# Metrics

With \`--health-address\` (docs/options.md) \`albc run\` answers \`/metrics\` in Prometheus' text format. Besides what is
listed here there are the usual metrics of its process (\`process_*\`, \`nodejs_*\`). This page is generated from
\`src/health/metrics-table.ts\`.

Counters of nginx go on over reloads and begin at 0 when nginx is started again. A worker adds what it has counted five times a
second; one that is killed takes the rest along.
`;

test("docs/metrics.md lists every metric", () => {
  expectGenerated(
    "docs/metrics.md",
    [
      INTRODUCTION,
      section("The run", Object.values(RUN_METRICS)),
      section("nginx and requests", Object.values(DATA_PLANE_METRICS)),
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

Values of \`outcome\` of \`${DATA_PLANE_METRICS.authChecks.name}\`: \`passed\`; \`signin\`, when the client was sent to the
sign-in page; or why the request was refused. ${further} and \`other\` are faults on the way to the auth service.

| outcome | reason in the access log |
|---|---|
${reasons.join("")}`;
}
