/** What we aim at, and where we stand. */
import type { ChangeLatency } from "./change-latency.js";
import type { CompileCost, CompiledKind } from "./compile-cost.js";
import type { FloodResult } from "./flood.js";
import { cpuOf } from "./measurement.js";
import type { Measurement } from "./rounds.js";
import { minimum } from "./statistics.js";

export interface Goal {
  readonly name: string;
  readonly limit: number;
  readonly measured: number;
  readonly unit: string;
}

export interface Results {
  /** In the order of SUITES. */
  readonly suites: readonly (readonly Measurement[])[];
  readonly flood: FloodResult;
  readonly compile: readonly CompileCost[];
  readonly changes: ChangeLatency;
}

export function goals({ suites, flood, compile, changes }: Results): Goal[] {
  const [plain = [], basic = [], forward = [], httpRoutes = []] = suites;
  const log = ratio(plain, "albc, Ingress, access log", 10) - ratio(plain, "albc, Ingress", 10);
  const times = (name: string, limit: number, measured: number): Goal => {
    return { name, limit, measured, unit: "× bare" };
  };
  return [
    times("plain route, 10 Ingresses", 1.1, ratio(plain, "albc, Ingress", 10)),
    times("plain route, 1,000 Ingresses", 1.2, ratio(plain, "albc, Ingress", 1000)),
    times("plain route, 10,000 Ingresses", 1.2, ratio(plain, "albc, Ingress", 10_000)),
    times("access log, on top", 0.07, log),
    {
      name: "plain route, 10,000 HTTPRoutes",
      limit: 1.1,
      measured: growth(httpRoutes, "albc, HTTPRoute", 10_000),
      unit: "× 10 HTTPRoutes",
    },
    times("basic auth, 10 Ingresses", 1.15, ratio(basic, "albc, Ingress", 10)),
    times("forward auth, 10 Ingresses", 1.8, ratio(forward, "albc, Ingress", 10)),
    {
      name: "p99 of another route in a flood of wrong logins",
      limit: 2,
      measured: flood.p99During / flood.p99Before,
      unit: "× without",
    },
    ...compileGoals(compile, "Ingress"),
    ...compileGoals(compile, "HTTPRoute"),
    { name: "changed endpoint live", limit: 100, measured: changes.endpoint.median, unit: "ms" },
    { name: "changed secret live", limit: 100, measured: changes.secret.median, unit: "ms" },
  ];
}

/** Of the largest configuration of the kind. */
function compileGoals(costs: readonly CompileCost[], kind: CompiledKind): readonly Goal[] {
  const largest = costs.findLast((cost) => cost.kind === kind);
  const what = `compile ${largest?.routes.toLocaleString("en-GB") ?? ""} ${kind}${kind.endsWith("s") ? "es" : "s"}, cold`;
  const memory = (largest?.memory ?? NaN) / 2 ** 20;
  return [
    { name: what, limit: 3, measured: largest?.wall ?? NaN, unit: "s" },
    { name: "memory of that", limit: 300, measured: memory, unit: "MiB" },
  ];
}

/** Minimum with so many rules over the minimum with 10: the time itself, for the noise of two more measurements helps nobody. */
function growth(suite: readonly Measurement[], name: string, rules: number): number {
  const [few, many] = [10, rules].map((count) =>
    suite.find((one) => one.name === name && one.rules === count),
  );
  return few && many ? cpuOf(many, minimum) / cpuOf(few, minimum) : NaN;
}

/** Minimum over the minimum of bare nginx with the same requests, else of the first bare one. */
function ratio(suite: readonly Measurement[], name: string, rules: number): number {
  const bare = suite.filter((one) => one.name === "bare proxy_pass");
  const base = bare.find((one) => one.rules === rules) ?? bare[0];
  const found = suite.find((one) => one.name === name && one.rules === rules);
  return base && found ? cpuOf(found, minimum) / cpuOf(base, minimum) : NaN;
}
