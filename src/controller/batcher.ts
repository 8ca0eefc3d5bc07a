export class Batcher {
  readonly #options: ConstructorParameters<typeof Batcher>[0];
  #timer: NodeJS.Timeout | undefined;
  #firstChange: number | undefined;
  #handling: Promise<void> | undefined;
  #handledAt = -Infinity;
  #closed = false;

  constructor(options: {
    /** Milliseconds without a change before a batch starts. */
    readonly quietDelay: number;
    /** Milliseconds after its first change at which a batch starts although changes keep coming. */
    readonly maximumDelay: number;
    /** Milliseconds instead of the quiet delay if no batch was handled within the last maximum delay. */
    readonly firstDelay: number;
    /** Called at the first change of a batch. */
    readonly onFirst?: (() => void) | undefined;
    /** Handles one batch; must not throw. */
    readonly handle: () => Promise<void>;
  }) {
    this.#options = options;
  }

  /** Something changed. */
  notify(): void {
    if (this.#closed) return;
    if (this.#firstChange === undefined) this.#options.onFirst?.();
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
    const { quietDelay, maximumDelay, firstDelay } = this.#options;
    const now = performance.now();
    const left = Math.max(0, maximumDelay - (now - (this.#firstChange ?? now)));
    const hasRested = now - this.#handledAt >= maximumDelay;
    this.#timer = setTimeout(
      () => {
        this.#start();
      },
      Math.min(hasRested ? firstDelay : quietDelay, left),
    );
  }

  #start(): void {
    this.#firstChange = undefined;
    this.#handling = this.#options.handle().finally(() => {
      this.#handling = undefined;
      this.#handledAt = performance.now();
      if (this.#firstChange !== undefined && !this.#closed) this.#wait();
    });
  }
}
