/**
 * When something may be tried again: each time after twice as long, up to the longest. Another thing may be tried at once, and its pauses
 * begin anew; so do those of one that rested for the longest pause.
 */
export class RetryTimes {
  readonly #longest: number;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();

  /** Milliseconds, as the clock's. */
  constructor(longest: number, now: () => number = () => performance.now()) {
    this.#longest = longest;
    this.#now = now;
  }

  /** `what` was tried. Returns the pause. */
  failed(key: string, what: string, firstPause: number): number {
    const before = this.#entries.get(key);
    const now = this.#now();
    const isAgain = before?.what === what && now < before.at + this.#longest;
    const pause = Math.min(isAgain ? before.pause * 2 : firstPause, this.#longest);
    this.#entries.set(key, { what, pause, at: now + pause });
    return pause;
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  mustWait(key: string, what: string): boolean {
    const entry = this.#entries.get(key);
    return entry?.what === what && this.#now() < entry.at;
  }

  /** The clock's time when it may be tried again. */
  dueOf(key: string): number | undefined {
    return this.#entries.get(key)?.at;
  }

  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#entries.keys()) if (!keys.has(key)) this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The clock's time when the next may be tried; undefined when none waits. */
  get next(): number | undefined {
    let next: number | undefined;
    for (const { at } of this.#entries.values()) next = Math.min(next ?? at, at);
    return next;
  }
}

interface Entry {
  readonly what: string;
  readonly pause: number;
  readonly at: number;
}
