import type { Compilation } from "../compile.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Applied } from "../output/apply.js";
import { NginxRefused } from "../output/reloader.js";

/** What became of a configuration: `started` with nginx, applied, refused by nginx, or not applied for another reason. */
export type ApplyOutcome = Applied["kind"] | "started" | "refused" | "error";

/** Seconds; absent: it did not come to that. */
export interface ApplyTimes {
  readonly compile?: number;
  readonly apply?: number;
}

/** What the compiler has seen, and found. */
export interface CompileSummary {
  /** How many objects of each kind there are. */
  readonly objects: ReadonlyMap<string, number>;
  readonly diagnostics: readonly Diagnostic[];
  readonly certificates: Compilation["certificates"];
  /** Paths whose content was never known: what they hold is missing from what is served. */
  readonly unreadable: readonly string[];
}

/** Told what a run does, for those who count and those who ask whether it is well. */
export interface Observer {
  /** A configuration is compiled and applied from now on. */
  applying(): void;
  /** `version`: of the policy that is served now, or that nginx will read; absent when it is the one before. */
  applied(outcome: ApplyOutcome, times: ApplyTimes, version?: string): void;
  /** nginx refuses what the objects give at the start and serves none of them. Ends when a configuration is applied whole. */
  servesNothing(): void;
  compiled(findings: CompileSummary): void;
  /** Watching a kind failed and is begun again; `discovery`: the question for the kinds failed. */
  watchFailed(kind: string): void;
  statusWritten(kind: string, result: "written" | "conflict" | "error"): void;
  /** Whether this replica is the one that writes statuses. */
  leads(leads: boolean): void;
  /** nginx ended by itself, and is started again. */
  nginxDied(): void;
}

/** For a run that nobody watches. */
export const NO_OBSERVER: Observer = {
  applying: () => undefined,
  applied: () => undefined,
  servesNothing: () => undefined,
  compiled: () => undefined,
  watchFailed: () => undefined,
  statusWritten: () => undefined,
  leads: () => undefined,
  nginxDied: () => undefined,
};

type AppliedOrStarted = Omit<Applied, "kind"> & { readonly kind: Applied["kind"] | "started" };

/** Takes the time of one configuration, and tells the observer what became of it. */
export class ApplyWatch {
  readonly #observer: Pick<Observer, "applying" | "applied">;
  readonly #start = performance.now();
  #compiledAt: number | undefined;

  constructor(observer: Pick<Observer, "applying" | "applied">) {
    this.#observer = observer;
    observer.applying();
  }

  compiled(): void {
    this.#compiledAt = performance.now();
  }

  /** Gives the milliseconds that it took. */
  applied({ kind, version, refused, unwritten }: AppliedOrStarted): number {
    const changed = unwritten === undefined ? kind : "error";
    const outcome = refused === undefined ? changed : "refused";
    this.#observer.applied(outcome, this.#times(), version);
    return Math.round(performance.now() - this.#start);
  }

  failed(error: unknown): void {
    const outcome: ApplyOutcome = error instanceof NginxRefused ? "refused" : "error";
    this.#observer.applied(outcome, this.#times());
  }

  #times(): ApplyTimes {
    const compiledAt = this.#compiledAt;
    if (compiledAt === undefined) return {};
    return {
      compile: (compiledAt - this.#start) / 1000,
      apply: (performance.now() - compiledAt) / 1000,
    };
  }
}
