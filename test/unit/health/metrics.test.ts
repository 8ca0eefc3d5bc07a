import type { Diagnostic } from "../../../src/diagnostics/diagnostic.js";
import { DATA_PLANE_METRICS, RUN_METRICS } from "../../../src/health/metrics-table.js";
import { RunMetrics } from "../../../src/health/metrics.js";
import { runSummary } from "../../../src/health/run-health.js";

async function linesOf(metrics: RunMetrics): Promise<readonly string[]> {
  return (await metrics.text()).split("\n").filter((line) => line.startsWith("albc_"));
}

test("configurations are counted by outcome, with what they took", async () => {
  const metrics = new RunMetrics("1.2.3", "1.30.0");
  const before = Date.now() / 1000;
  metrics.applied("started", { compile: 0.2, apply: 0.004 }, "00000000000f" + "0".repeat(20));
  metrics.applied("refused", { compile: 0.2, apply: 0.004 });
  metrics.applied("error", {});
  const lines = await linesOf(metrics);
  expect(lines).toEqual(
    expect.arrayContaining([
      'albc_build_info{version="1.2.3",nginx_version="1.30.0"} 1',
      'albc_config_applies_total{outcome="started"} 1',
      'albc_config_applies_total{outcome="refused"} 1',
      'albc_config_applies_total{outcome="error"} 1',
      'albc_config_compile_duration_seconds_bucket{le="0.1"} 0',
      'albc_config_compile_duration_seconds_bucket{le="0.25"} 2',
      "albc_config_apply_duration_seconds_count 2",
      "albc_config_last_apply_successful 0",
      "albc_config_hash 15",
    ]),
  );
  const last = lines.find((line) => line.startsWith(RUN_METRICS.lastSuccess.name));
  expect(Number(last?.split(" ")[1])).toBeGreaterThanOrEqual(before - 1);
  metrics.applied("unchanged", {});
  expect(await linesOf(metrics)).toContain("albc_config_last_apply_successful 1");
});

test("objects and diagnostics are those of the last compilation", async () => {
  const metrics = new RunMetrics("1", "");
  const error: Diagnostic = { code: "FIELD_INVALID", severity: "error", message: "", hint: "" };
  const at = { secret: { namespace: "n", name: "s" }, validTo: "then" };
  const warning: Diagnostic = { ...error, severity: "warning" };
  const fault: Diagnostic = { ...error, code: "INTERNAL_ERROR" };
  metrics.compiled(
    runSummary({
      objects: new Map([["Ingress", 2]]),
      diagnostics: [error, fault, fault],
      certificates: [
        { certificate: { ...at, expires: 1_767_225_600_500 } },
        { certificate: { ...at, expires: 1_767_225_600_500 } },
      ],
      unreadable: ["a.yaml"],
    }),
  );
  expect(await linesOf(metrics)).toEqual(
    expect.arrayContaining([
      'albc_diagnostics{severity="error"} 3',
      "albc_faulty_objects 2",
      "albc_unreadable_files 1",
      'albc_certificate_expire_time_seconds{namespace="n",name="s"} 1767225600.5',
    ]),
  );
  metrics.compiled(
    runSummary({
      objects: new Map([["Gateway", 1]]),
      diagnostics: [warning],
      certificates: [],
      unreadable: [],
    }),
  );
  const lines = await linesOf(metrics);
  expect(
    lines.filter((line) => /^albc_(objects|diagnostics|certificate|faulty|unreadable)/.test(line)),
  ).toEqual([
    'albc_diagnostics{severity="error"} 0',
    'albc_diagnostics{severity="warning"} 1',
    'albc_diagnostics{severity="info"} 0',
    "albc_faulty_objects 0",
    "albc_unreadable_files 0",
    'albc_objects{kind="Gateway"} 1',
  ]);
});

test("what happens in the cluster is counted", async () => {
  const metrics = new RunMetrics("1", "");
  metrics.watchFailed("Ingress");
  metrics.statusesWritten("Gateway", "conflict", 2);
  metrics.statusesWritten("Gateway", "conflict", 1);
  metrics.leads(true);
  metrics.nginxDied();
  const lines = await linesOf(metrics);
  expect(lines).toEqual(
    expect.arrayContaining([
      'albc_watch_errors_total{kind="Ingress"} 1',
      'albc_status_writes_total{kind="Gateway",result="conflict"} 3',
      "albc_leader 1",
      "albc_nginx_restarts_total 1",
    ]),
  );
});

test("names are as Prometheus' conventions have them", () => {
  for (const { name, type } of Object.values({ ...RUN_METRICS, ...DATA_PLANE_METRICS })) {
    expect(name).toMatch(/^albc_[a-z_]+$/);
    expect({ name, total: name.endsWith("_total") }).toEqual({ name, total: type === "counter" });
    if (type === "histogram") expect(name).toMatch(/_seconds$/);
  }
});
