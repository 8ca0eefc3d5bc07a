/** Decides whether a run is alive, and whether it should get requests. */
import type { DataPlaneStatus } from "../output/control-client.js";
import { shortened } from "../support/text.js";
import { type CompileSummary, type RunEvents, type RunHandlers, isFailure } from "./run-health.js";

/**
 * Milliseconds after which a change counts as stuck (each of its steps has a shorter limit), and so does a silent main thread (no
 * compilation takes so long).
 */
const STUCK_AFTER = 300_000;

/** Number of files that an answer names. */
const MOST_NAMED = 10;

export class Probes implements RunHandlers {
  readonly #status: () => Promise<DataPlaneStatus>;
  readonly #now: () => number;
  readonly #startWithErrors: boolean;
  #aliveAt: number;
  #applyingSince: number | undefined;
  #version: string | undefined;
  #hasServed = false;
  #servesNothing = false;
  #stops = false;
  /** The last value of `watchFailed`. */
  #failedWatch = "";
  #compiled: Pick<CompileSummary, "unreadable" | "faulty"> = { unreadable: [], faulty: 0 };
  /** `#compiled` of the configuration that is applied. */
  #applied = this.#compiled;

  /** `status` asks the data plane, and throws if nothing answers. `now`: milliseconds, monotonic. */
  constructor(
    status: () => Promise<DataPlaneStatus>,
    { startWithErrors = false, now = (): number => performance.now() } = {},
  ) {
    this.#status = status;
    this.#startWithErrors = startWithErrors;
    this.#now = now;
    this.#aliveAt = now();
  }

  alive(): void {
    this.#aliveAt = this.#now();
  }

  watchFailed(kind: string): void {
    this.#failedWatch = kind;
  }

  applying(): void {
    this.#applyingSince ??= this.#now();
    this.#failedWatch = "";
  }

  /** What the configuration under way lacks. */
  compiled(summary: Pick<CompileSummary, "unreadable" | "faulty">): void {
    this.#compiled = summary;
  }

  applied(...[outcome, , version]: RunEvents["applied"]): void {
    this.#applyingSince = undefined;
    if (!isFailure(outcome)) this.#servesNothing = false;
    if (version !== undefined) this.#applied = this.#compiled;
    this.#version = version ?? this.#version;
  }

  servesNothing(): void {
    this.#servesNothing = true;
  }

  stop(): void {
    this.#stops = true;
  }

  /** Why the process should be restarted; undefined if it is healthy. */
  problem(): string | undefined {
    const since = this.#applyingSince;
    if (since !== undefined && this.#now() - since > STUCK_AFTER) {
      return "a configuration is being applied for more than five minutes";
    }
    return this.#now() - this.#aliveAt > STUCK_AFTER
      ? "the main thread has not run for more than five minutes"
      : undefined;
  }

  /** Why no request should come; undefined if every worker serves a configuration. */
  async reluctance(): Promise<string | undefined> {
    if (this.#stops) return "stopping";
    if (this.#version === undefined) return `no configuration is applied yet${this.#cause()}`;
    if (this.#servesNothing) return "nothing is served: nginx refuses the first configuration";
    const { unreadable } = this.#applied;
    if (!this.#startWithErrors && unreadable.length > 0) return cantBeRead(unreadable);
    const status = await this.#status().catch(() => undefined);
    if (this.#isStopping()) return "stopping";
    if (status === undefined) return "nginx does not answer";
    const { workers, expected } = status;
    if (workers.length < expected) {
      return `${String(workers.length)} of ${String(expected)} nginx workers serve`;
    }
    // Workers take a later change one after the other, and keep serving in between.
    this.#hasServed ||= workers.every(({ version }) => version === this.#version);
    return this.#hasServed ? undefined : "not every nginx worker serves the first configuration";
  }

  /** Problems that do not make it unready, a line each; empty without any. */
  remark(): string {
    const { unreadable, faulty } = this.#applied;
    const lines = [
      ...(faulty > 0
        ? [`objects that answer 503 because of a bug of albc (INTERNAL_ERROR): ${String(faulty)}`]
        : []),
      ...(unreadable.length > 0 ? [cantBeRead(unreadable)] : []),
    ];
    return lines.map((line) => `${line}\n`).join("");
  }

  #cause(): string {
    if (this.#failedWatch === "") return "";
    const what =
      this.#failedWatch === "discovery" ? "what it serves" : `for objects of ${this.#failedWatch}`;
    return `: the API server can't be asked ${what}`;
  }

  /** A method, because TypeScript assumes that a field can't have changed during an await. */
  #isStopping(): boolean {
    return this.#stops;
  }
}

/** Control characters in a path are replaced, so that it can't look like another line. */
function cantBeRead(paths: readonly string[]): string {
  const harmless = paths.map((path) => path.replace(/\p{Cc}/gu, "?"));
  return `files that can't be read: ${shortened(harmless, MOST_NAMED)}`;
}
