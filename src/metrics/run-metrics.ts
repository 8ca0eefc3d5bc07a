import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import type { ApplyTimes, CompileSummary, Observer, ApplyOutcome } from "../controller/observer.js";
import type { Severity } from "../diagnostics/catalog-entry.js";
import type { MetricRow } from "./metrics-table.js";
import { RUN_METRICS as METRICS } from "./metrics-table.js";

/** From a swap of one endpoint to a reload of ten thousand routes. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const DAY = 86_400_000;
const FAILURES: ReadonlySet<ApplyOutcome> = new Set(["refused", "error"]);
const SEVERITIES = ["error", "warning", "info"] as const;

/** What is left of Findings for the health thread. */
export interface FindingCounts extends Omit<CompileSummary, "diagnostics" | "certificates"> {
  /** Milliseconds since 1970 at which the certificate of a Secret `<namespace>/<name>` expires. */
  readonly expiries: ReadonlyMap<string, number>;
  readonly diagnostics: Readonly<Record<Severity, number>>;
  /** Objects whose translation failed by a bug of ours. */
  readonly faulty: number;
}

export function countFindings(findings: CompileSummary): FindingCounts {
  const { objects, diagnostics, certificates, unreadable } = findings;
  const counts = { error: 0, warning: 0, info: 0 };
  let faulty = 0;
  for (const { code, severity } of diagnostics) {
    counts[severity] += 1;
    if (code === "INTERNAL_ERROR") faulty += 1;
  }
  const expiries = certificates.map(
    ({ certificate: { secret, expires } }) =>
      [`${secret.namespace}/${secret.name}`, expires] as const,
  );
  return { objects, diagnostics: counts, faulty, expiries: new Map(expiries), unreadable };
}

/** The run's own metrics. */
export class RunMetrics implements Omit<Observer, "servesNothing" | "compiled"> {
  readonly #registry = new Registry();
  readonly #buildInfo = this.#gauge(METRICS.buildInfo);
  readonly #applies = this.#counter(METRICS.applies);
  readonly #compileDuration = this.#histogram(METRICS.compileDuration);
  readonly #applyDuration = this.#histogram(METRICS.applyDuration);
  readonly #lastSuccess = this.#gauge(METRICS.lastSuccess);
  readonly #lastSuccessful = this.#gauge(METRICS.lastSuccessful);
  readonly #configHash = this.#gauge(METRICS.configHash);
  readonly #diagnostics = this.#gauge(METRICS.diagnostics);
  readonly #faulty = this.#gauge(METRICS.faulty);
  readonly #unreadable = this.#gauge(METRICS.unreadable);
  readonly #daysLeft = this.#gauge(METRICS.daysLeft);
  #expiries: ReadonlyMap<string, number> = new Map();
  readonly #objects = this.#gauge(METRICS.objects);
  readonly #watchErrors = this.#counter(METRICS.watchErrors);
  readonly #statusWrites = this.#counter(METRICS.statusWrites);
  readonly #leader = this.#gauge(METRICS.leader);
  readonly #nginxRestarts = this.#counter(METRICS.nginxRestarts);

  /** `nginxVersion` is empty when somebody else runs nginx. */
  constructor(version: string, nginxVersion: string) {
    this.#buildInfo.set({ version, nginx_version: nginxVersion }, 1);
  }

  /** In Prometheus' text format. */
  text(): Promise<string> {
    this.#daysLeft.reset();
    for (const [secret, expires] of this.#expiries) {
      const [namespace = "", name = ""] = secret.split("/");
      this.#daysLeft.set({ namespace, name }, (expires - Date.now()) / DAY);
    }
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  applying(): void {
    // Nothing is counted before it ends.
  }

  applied(outcome: ApplyOutcome, { compile, apply }: ApplyTimes, version?: string): void {
    this.#applies.inc({ outcome });
    if (compile !== undefined) this.#compileDuration.observe(compile);
    if (apply !== undefined) this.#applyDuration.observe(apply);
    const isFailure = FAILURES.has(outcome);
    this.#lastSuccessful.set(isFailure ? 0 : 1);
    if (!isFailure) this.#lastSuccess.setToCurrentTime();
    if (version !== undefined) this.#configHash.set(configHash(version));
  }

  compiled({ objects, diagnostics, faulty, expiries, unreadable }: FindingCounts): void {
    this.#expiries = expiries;
    this.#objects.reset();
    for (const [kind, count] of objects) this.#objects.set({ kind }, count);
    for (const severity of SEVERITIES) this.#diagnostics.set({ severity }, diagnostics[severity]);
    this.#faulty.set(faulty);
    this.#unreadable.set(unreadable.length);
  }

  watchFailed(kind: string): void {
    this.#watchErrors.inc({ kind });
  }

  statusWritten(kind: string, result: string): void {
    this.#statusWrites.inc({ kind, result });
  }

  leads(leads: boolean): void {
    this.#leader.set(leads ? 1 : 0);
  }

  nginxDied(): void {
    this.#nginxRestarts.inc();
  }

  #gauge(row: MetricRow): Gauge {
    return new Gauge(this.#settings(row));
  }

  #counter(row: MetricRow): Counter {
    return new Counter(this.#settings(row));
  }

  #histogram(row: MetricRow): Histogram {
    return new Histogram({ ...this.#settings(row), buckets: BUCKETS });
  }

  #settings({ name, help, labels = [] }: MetricRow): {
    name: string;
    help: string;
    labelNames: string[];
    registers: Registry[];
  } {
    return { name, help, labelNames: [...labels], registers: [this.#registry] };
  }
}

/** Hexadecimal digits that a double holds exactly. */
const DIGITS = 12;

/** A number that differs, in all likelihood, whenever the version of a policy does: metrics hold numbers only. */
export function configHash(version: string): number {
  const digits = version.slice(0, DIGITS);
  return /^[0-9a-f]+$/.test(digits) ? Number.parseInt(digits, 16) : 0;
}

/** Prometheus' usual metrics of a process and of the thread that asks for them, in its text format. */
export class ProcessMetrics {
  readonly #registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
