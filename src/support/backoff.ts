/** Pauses before retries, in milliseconds: each is twice as long as the previous one, up to the longest. */
export class Backoff {
  readonly #first: number;
  readonly #longest: number;
  #pause = 0;

  constructor(first: number, longest: number) {
    this.#first = first;
    this.#longest = longest;
  }

  /** Whether it has failed since the last success. */
  get hasFailed(): boolean {
    return this.#pause > 0;
  }

  /** Returns the pause before the next try. */
  failed(): number {
    this.#pause = Math.min(this.hasFailed ? this.#pause * 2 : this.#first, this.#longest);
    return this.#pause;
  }

  succeeded(): void {
    this.#pause = 0;
  }
}

/**
 * Backoff for many keys, each with the thing (`what`) that failed. A different thing may be tried at once, with the first pause. So may a
 * key that has not failed for the longest pause.
 */
export class KeyedBackoff {
  readonly #longest: number;
  readonly #now: () => number;
  readonly #entries = new Map<
    string,
    { readonly what: string; readonly pause: number; readonly due: number }
  >();

  /** `longest` and the clock `now` are in milliseconds. */
  constructor(longest: number, now: () => number) {
    this.#longest = longest;
    this.#now = now;
  }

  /** Returns the pause before the next try of `what`. */
  failed(key: string, what: string, firstPause: number): number {
    const previous = this.#entries.get(key);
    const now = this.#now();
    const isAgain = previous?.what === what && now < previous.due + this.#longest;
    const pause = Math.min(isAgain ? previous.pause * 2 : firstPause, this.#longest);
    this.#entries.set(key, { what, pause, due: now + pause });
    return pause;
  }

  succeeded(key: string): void {
    this.#entries.delete(key);
  }

  /** The time before which `what` must not be tried; undefined if it may be tried now. */
  dueOf(key: string, what: string): number | undefined {
    const entry = this.#entries.get(key);
    return entry?.what === what && this.#now() < entry.due ? entry.due : undefined;
  }
}
