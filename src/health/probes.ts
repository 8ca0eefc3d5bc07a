/** Whether a run is alive, and whether it should get requests. */
import type { DataPlaneStatus } from "../output/control-client.js";

/**
 * Milliseconds after which a change that is being applied has hung, since everything in it has a shorter limit of its own, and after
 * which a main thread that says nothing has: no compilation takes so long.
 */
const STUCK_AFTER = 300_000;

export interface ProbesOptions {
  /** What the data plane says; throws when nothing answers. */
  readonly status: () => Promise<DataPlaneStatus>;
  /** A file that can't be read is no reason against readiness. */
  readonly startWithErrors?: boolean;
  /** Milliseconds, monotonic. */
  readonly now?: () => number;
}

/** Of the last compilation. */
export interface Shortcomings {
  /** Paths whose content was never known. */
  readonly unreadable: readonly string[];
  /** How many objects are closed because of a bug of ours. */
  readonly faulty: number;
}

/** An answer names no more files. */
const MOST_NAMED = 10;

export class Probes {
  readonly #status: () => Promise<DataPlaneStatus>;
  readonly #now: () => number;
  readonly #startWithErrors: boolean;
  #aliveAt: number;
  #applyingSince: number | undefined;
  #version: string | undefined;
  #hasServed = false;
  #servesNothing = false;
  #stops = false;
  /** What the API server could not be asked for last. */
  #unasked = "";
  #compiled: Shortcomings = { unreadable: [], faulty: 0 };
  /** Those of the configuration that is applied. */
  #applied: Shortcomings = this.#compiled;

  constructor({ status, startWithErrors = false, now = () => performance.now() }: ProbesOptions) {
    this.#status = status;
    this.#startWithErrors = startWithErrors;
    this.#now = now;
    this.#aliveAt = now();
  }

  /** The main thread runs: it says so every few seconds, unless it compiles. */
  alive(): void {
    this.#aliveAt = this.#now();
  }

  /** The objects of this kind can't be watched; `discovery`: the API server does not say which kinds it serves. */
  watchFailed(kind: string): void {
    this.#unasked = kind;
  }

  /** A configuration is being applied from now on. */
  applying(): void {
    this.#applyingSince ??= this.#now();
    this.#unasked = "";
  }

  /** What that configuration lacks. */
  compiled(shortcomings: Shortcomings): void {
    this.#compiled = shortcomings;
  }

  /** That has ended, well or not. `version`: of the policy that was applied; absent if none was. */
  applied(version?: string): void {
    this.#applyingSince = undefined;
    if (version !== undefined) this.#applied = this.#compiled;
    this.#version = version ?? this.#version;
  }

  /** No object is served, because nginx refuses what they give; until `servesAll`. */
  servesNothing(): void {
    this.#servesNothing = true;
  }

  servesAll(): void {
    this.#servesNothing = false;
  }

  /** The end was asked for: no request should come any more. */
  stop(): void {
    this.#stops = true;
  }

  /** Why the process should be started again; undefined when it is well. */
  problem(): string | undefined {
    const since = this.#applyingSince;
    if (since !== undefined && this.#now() - since > STUCK_AFTER) {
      return "a configuration is being applied for more than five minutes";
    }
    return this.#now() - this.#aliveAt > STUCK_AFTER
      ? "the main thread has not run for more than five minutes"
      : undefined;
  }

  /** Why no request should come; undefined when every worker serves a configuration. */
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
    // Later changes take the workers one after the other, and each goes on serving meanwhile.
    this.#hasServed ||= workers.every(({ version }) => version === this.#version);
    return this.#hasServed ? undefined : "not every nginx worker serves the first configuration";
  }

  /** What is wrong although it may be ready: lines, or empty. */
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
    if (this.#unasked === "") return "";
    const what =
      this.#unasked === "discovery" ? "what it serves" : `for objects of ${this.#unasked}`;
    return `: the API server can't be asked ${what}`;
  }

  /** It may have changed while somebody was asked. */
  #isStopping(): boolean {
    return this.#stops;
  }
}

/** Without the control characters that a path may have: it must not look like another line. */
function cantBeRead(paths: readonly string[]): string {
  const named = paths.slice(0, MOST_NAMED).map((path) => path.replace(/\p{Cc}/gu, "?"));
  const more = paths.length - named.length;
  return `files that can't be read: ${named.join(", ")}${more > 0 ? ` and ${String(more)} more` : ""}`;
}
