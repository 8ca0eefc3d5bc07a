/** Metrics in Prometheus' text format: of the run and its process, and of nginx and its workers. */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type {
  ControlClient,
  DataPlaneCounters,
  DataPlaneStatus,
} from "../output/control-client.js";
import { type Sample, formatMetric, histogramSamples } from "./text-format.js";
import { routeMetrics } from "./route-metrics.js";
import { type MetricRow, DATA_PLANE_METRICS, RUN_METRICS } from "./metrics-table.js";
import { type CompileSummary, type RunEvents, type RunHandlers, isFailure } from "./run-health.js";
import type { TraceCounts } from "../tracing/tracing.js";

/** From a swap of one endpoint to a reload of ten thousand routes. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const SEVERITIES = ["error", "warning", "info"] as const;

/** Metrics of the run: compiling, applying, and the cluster. */
export class RunMetrics implements RunHandlers {
  readonly #registry = new Registry();
  readonly #buildInfo = this.#gauge(RUN_METRICS.buildInfo);
  readonly #applies = this.#counter(RUN_METRICS.applies);
  readonly #compileDuration = this.#histogram(RUN_METRICS.compileDuration);
  readonly #applyDuration = this.#histogram(RUN_METRICS.applyDuration);
  readonly #lastSuccess = this.#gauge(RUN_METRICS.lastSuccess);
  readonly #lastSuccessful = this.#gauge(RUN_METRICS.lastSuccessful);
  readonly #configHash = this.#gauge(RUN_METRICS.configHash);
  readonly #diagnostics = this.#gauge(RUN_METRICS.diagnostics);
  readonly #faulty = this.#gauge(RUN_METRICS.faulty);
  readonly #unreadable = this.#gauge(RUN_METRICS.unreadable);
  readonly #certificateExpiry = this.#gauge(RUN_METRICS.certificateExpiry);
  #process = "";
  readonly #objects = this.#gauge(RUN_METRICS.objects);
  readonly #watchErrors = this.#counter(RUN_METRICS.watchErrors);
  readonly #statusWrites = this.#counter(RUN_METRICS.statusWrites);
  /** Only on a cluster: a sum of 0 means that no replica leads. */
  #leader: Gauge | undefined;
  readonly #traceReports = this.#counter(RUN_METRICS.traceReports);
  readonly #traceSpans = this.#counter(RUN_METRICS.traceSpans);
  #traced = new Map<string, number>();
  readonly #nginxRestarts = this.#counter(RUN_METRICS.nginxRestarts);

  /** Without `nginxVersion`, albc does not run nginx. */
  constructor(version: string, nginxVersion = "") {
    this.#buildInfo.set({ version, nginx_version: nginxVersion }, 1);
  }

  async text(): Promise<string> {
    return (await this.#registry.metrics()) + this.#process;
  }

  alive(processMetrics: string): void {
    this.#process = processMetrics;
  }

  applied(...[outcome, { compile, apply }, version]: RunEvents["applied"]): void {
    this.#applies.inc({ outcome });
    if (compile !== undefined) this.#compileDuration.observe(compile);
    if (apply !== undefined) this.#applyDuration.observe(apply);
    this.#lastSuccessful.set(isFailure(outcome) ? 0 : 1);
    if (!isFailure(outcome)) this.#lastSuccess.setToCurrentTime();
    if (version !== undefined) this.#configHash.set(configHash(version));
  }

  compiled({ objects, diagnostics, faulty, expiries, unreadable }: CompileSummary): void {
    this.#certificateExpiry.reset();
    for (const [secret, expires] of expiries) {
      const [namespace = "", name = ""] = secret.split("/");
      this.#certificateExpiry.set({ namespace, name }, expires / 1000);
    }
    this.#objects.reset();
    for (const [kind, count] of objects) this.#objects.set({ kind }, count);
    for (const severity of SEVERITIES) this.#diagnostics.set({ severity }, diagnostics[severity]);
    this.#faulty.set(faulty);
    this.#unreadable.set(unreadable.length);
  }

  watchFailed(kind: string): void {
    this.#watchErrors.inc({ kind });
  }

  statusesWritten(...[kind, result, count]: RunEvents["statusesWritten"]): void {
    this.#statusWrites.inc({ kind, result }, count);
  }

  leads(leads: boolean): void {
    this.#leader ??= this.#gauge(RUN_METRICS.leader);
    this.#leader.set(leads ? 1 : 0);
  }

  /** The counts are of the thread since it started; each of its messages has them all. */
  traced({ reports, spans }: TraceCounts): void {
    const counts = [
      ...Object.entries(reports).map(
        ([result, count]) => [this.#traceReports, result, count] as const,
      ),
      ...Object.entries(spans).map(([result, count]) => [this.#traceSpans, result, count] as const),
    ];
    for (const [counter, result, count] of counts) {
      counter.inc({ result }, Math.max(0, count - (this.#traced.get(result) ?? 0)));
      this.#traced.set(result, count);
    }
  }

  nginxDied(): void {
    this.#nginxRestarts.inc();
  }

  #gauge({ labels = [], ...row }: MetricRow): Gauge {
    return new Gauge({ ...row, labelNames: labels, registers: [this.#registry] });
  }

  #counter({ labels = [], ...row }: MetricRow): Counter {
    return new Counter({ ...row, labelNames: labels, registers: [this.#registry] });
  }

  #histogram(row: MetricRow): Histogram {
    return new Histogram({ ...row, buckets: BUCKETS, registers: [this.#registry] });
  }
}

/** Number of hexadecimal digits that a double holds exactly. */
const DIGITS = 12;

/** Metrics hold only numbers: one that almost certainly differs for policies of different versions. */
function configHash(version: string): number {
  const digits = version.slice(0, DIGITS);
  return /^[0-9a-f]+$/.test(digits) ? Number.parseInt(digits, 16) : 0;
}

/** Metrics of nginx and its workers, in parts. Does not throw. */
export async function dataPlaneMetrics(
  dataPlane: Pick<ControlClient, "status" | "counters" | "rows">,
): Promise<readonly (string | Buffer)[]> {
  try {
    const [status, counters, rows] = await Promise.all([
      dataPlane.status(),
      dataPlane.counters(),
      dataPlane.rows(),
    ]);
    return [
      formatMetric(DATA_PLANE_METRICS.up, [{ value: 1 }]),
      workerMetrics(status),
      requestMetrics(counters),
      ...routeMetrics(rows),
    ];
  } catch {
    // The metric itself says that nothing answers.
    return [formatMetric(DATA_PLANE_METRICS.up, [{ value: 0 }])];
  }
}

function workerMetrics({ expected, workers }: DataPlaneStatus): string {
  const hashes = workers.map(({ version }, index) => ({
    labels: { worker: String(index) },
    value: configHash(version),
  }));
  return (
    formatMetric(DATA_PLANE_METRICS.workersExpected, [{ value: expected }]) +
    formatMetric(DATA_PLANE_METRICS.workerHash, hashes)
  );
}

function requestMetrics(counters: DataPlaneCounters): string {
  const { responses, durations, auth, answers, connections, outages, out } = counters;
  return (
    formatMetric(DATA_PLANE_METRICS.responses, samplesBy("code", responses)) +
    formatMetric(DATA_PLANE_METRICS.headerDuration, histogramSamples(durations)) +
    formatMetric(DATA_PLANE_METRICS.authChecks, samplesBy("outcome", auth)) +
    formatMetric(DATA_PLANE_METRICS.authAnswers, samplesBy("outcome", answers)) +
    formatMetric(DATA_PLANE_METRICS.connections, samplesBy("state", connections)) +
    formatMetric(DATA_PLANE_METRICS.endpointsOut, samplesOfUpstreams(out)) +
    formatMetric(DATA_PLANE_METRICS.outages, samplesOfUpstreams(outages))
  );
}

/** Keys: the id of an upstream, `<namespace>/<service>/<port>`, and a reason. */
function samplesOfUpstreams(counts: Readonly<Record<string, number>>): readonly Sample[] {
  return samplesBy("key", counts).map(({ labels, value }) => {
    const [id = "", reason] = labels?.["key"]?.split("\t") ?? [];
    const [namespace = "", service = "", port = ""] = id.split("/");
    return { labels: { namespace, service, port, ...(reason !== undefined && { reason }) }, value };
  });
}

function samplesBy(label: string, counts: Readonly<Record<string, number>>): readonly Sample[] {
  return Object.entries(counts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ({ labels: { [label]: name }, value }));
}
