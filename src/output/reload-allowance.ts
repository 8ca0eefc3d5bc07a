export interface Allowance {
  /** Reloads at once. */
  readonly burst: number;
  /** Milliseconds after which there is one more. */
  readonly interval: number;
}

/** While connections drain for the usual 240 s, no more than two dozen sets of workers. */
export const ENDPOINT_RELOADS: Allowance = { burst: 5, interval: 10_000 };

/**
 * How often endpoints of streams may have nginx reload by themselves. A reload costs more than its own work: workers of before stay
 * until their last connection ends, and where connections are long, each reload leaves a set of them behind. Some at once are a
 * rollout; what goes on and on has to wait.
 */
export class ReloadAllowance {
  readonly #burst: number;
  readonly #interval: number;
  readonly #now: () => number;
  #left: number;
  #countedAt: number;

  /** `now`: milliseconds. */
  constructor({ burst, interval }: Allowance, now: () => number = () => performance.now()) {
    this.#burst = burst;
    this.#interval = interval;
    this.#now = now;
    this.#left = burst;
    this.#countedAt = now();
  }

  /** Takes one reload; 0. Or takes none: the milliseconds until there is one. */
  take(): number {
    const now = this.#now();
    const grown = this.#left + (now - this.#countedAt) / this.#interval;
    this.#left = Math.min(this.#burst, grown);
    this.#countedAt = now;
    if (this.#left < 1) return Math.ceil((1 - this.#left) * this.#interval);
    this.#left -= 1;
    return 0;
  }
}
