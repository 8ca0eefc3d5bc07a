import type { ApplyTimes, Observer, Outcome } from "../controller/observer.js";
import type { FindingCounts } from "../metrics/run-metrics.js";

/** What the health thread works with. */
export interface HealthThreadData {
  /** `ADDRESS:PORT` to answer at. */
  readonly address: string;
  /** Where nginx writes, absolute. */
  readonly folder: string;
  readonly version: string;
  /** Empty when somebody else runs nginx. */
  readonly nginxVersion: string;
  /** A file that can't be read does not make the run unready. */
  readonly startWithErrors: boolean;
}

/** What the main thread tells the health thread, by name: what it observes, that it stops, and that it is alive. */
export interface Told extends Record<
  Exclude<keyof Observer, "applied" | "compiled" | "statusWritten" | "leads" | "watchFailed">,
  []
> {
  applied: [outcome: Outcome, times: ApplyTimes, version?: string];
  compiled: [counts: FindingCounts];
  watchFailed: [kind: string];
  statusWritten: [kind: string, result: "written" | "conflict" | "error"];
  leads: [leads: boolean];
  stop: [];
  /** Metrics of the process and of the main thread, in Prometheus' text format. */
  alive: [metrics: string];
}

export interface HealthMessage<Name extends keyof Told = keyof Told> {
  readonly name: Name;
  readonly args: Told[Name];
}

/** The health thread's one answer: undefined when it listens, else why it can't. */
export interface HealthStart {
  readonly problem: string | undefined;
}
