import type { Applied } from "../output/apply.js";
import { NginxRefused } from "../output/reloader.js";
import type { ApplyTimes, Observer, Outcome } from "./observer.js";

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
    const outcome: Outcome = error instanceof NginxRefused ? "refused" : "error";
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
