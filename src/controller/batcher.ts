export class Batcher {
  readonly #options: ConstructorParameters<typeof Batcher>[0];
  #timer: NodeJS.Timeout | undefined;
  #firstChange: number | undefined;
  #handling: Promise<void> | undefined;
  #handledAt = -Infinity;
  /** Milliseconds that the last batch took. */
  #took = 0;
  #closed = false;

  constructor(options: {
    /** Most milliseconds without a change before a batch starts. It waits only for as long as the last batch took, if that is shorter. */
    readonly quietDelay: number;
    /** Milliseconds after its first change at which a batch starts although changes keep coming. */
    readonly maximumDelay: number;
    /** Milliseconds instead of the quiet delay if no batch was handled within the last maximum delay; also the least quiet delay. */
    readonly firstDelay: number;
    /** Called at the first change of a batch. */
    readonly onFirst?: (() => void) | undefined;
    /** Handles one batch; must not throw. */
    readonly handle: () => Promise<void>;
  }) {
    this.#options = options;
  }

  /** Whether something has changed since the last batch began. */
  get isAwaited(): boolean {
    return this.#firstChange !== undefined;
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
    const quiet = hasRested ? firstDelay : Math.max(firstDelay, Math.min(this.#took, quietDelay));
    this.#timer = setTimeout(
      () => {
        this.#start();
      },
      Math.min(quiet, left),
    );
  }

  #start(): void {
    this.#firstChange = undefined;
    const start = performance.now();
    this.#handling = this.#options.handle().finally(() => {
      this.#handling = undefined;
      this.#handledAt = performance.now();
      this.#took = this.#handledAt - start;
      if (this.#firstChange !== undefined && !this.#closed) this.#wait();
    });
  }
}
