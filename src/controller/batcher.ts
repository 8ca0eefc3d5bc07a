/**
 * Gathers changes into batches: a batch starts a quiet delay after the last change, at the latest a maximum delay after the
 * first; while one is handled the next gathers; never two at once. Four things can happen: a change comes while idle, while
 * waiting, while handling, or the handling ends.
 */
export interface BatcherOptions {
  /** Milliseconds without a change before a batch starts. */
  readonly quietDelay: number;
  /** Milliseconds after its first change at which a batch starts although changes go on. */
  readonly maximumDelay: number;
  /** Handles one batch; must not throw. */
  readonly handle: () => Promise<void>;
}

export class Batcher {
  readonly #options: BatcherOptions;
  #timer: NodeJS.Timeout | undefined;
  #firstChange: number | undefined;
  #handling: Promise<void> | undefined;
  #closed = false;

  constructor(options: BatcherOptions) {
    this.#options = options;
  }

  /** Something changed. */
  notify(): void {
    if (this.#closed) return;
    this.#firstChange ??= performance.now();
    if (this.#handling === undefined) this.#wait();
  }

  /** Takes no further change; resolves when the batch under way has been handled. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#handling;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const waited = performance.now() - (this.#firstChange ?? performance.now());
    const left = Math.max(0, this.#options.maximumDelay - waited);
    this.#timer = setTimeout(
      () => {
        this.#start();
      },
      Math.min(this.#options.quietDelay, left),
    );
  }

  #start(): void {
    this.#firstChange = undefined;
    this.#handling = this.#options.handle().finally(() => {
      this.#handling = undefined;
      if (this.#firstChange !== undefined && !this.#closed) this.#wait();
    });
  }
}
