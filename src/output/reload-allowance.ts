/** Milliseconds: the longest that a change of endpoints waits. */
export const ENDPOINT_INTERVAL = 1000;

/**
 * How often endpoints of streams may have nginx reload by themselves: the first change after a quiet interval at once, then once an
 * interval. A reload leaves old workers behind until their last connection ends (see lua/alb/phases/worker.lua).
 */
export class ReloadAllowance {
  readonly #interval: number;
  readonly #now: () => number;
  #takenAt = -Infinity;

  /** `interval`, `now`: milliseconds. */
  constructor(interval: number, now: () => number = () => performance.now()) {
    this.#interval = interval;
    this.#now = now;
  }

  /** Takes a reload; 0. Or takes none: the milliseconds until there is one. */
  take(): number {
    const now = this.#now();
    const left = Math.ceil(this.#takenAt + this.#interval - now);
    if (left > 0) return left;
    this.#takenAt = now;
    return 0;
  }
}
