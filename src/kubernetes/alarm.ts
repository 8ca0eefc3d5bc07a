/** Milliseconds between two calls. */
const SHORTEST = 50;

/** Calls back once, at the earliest of the times that it is given. It does not keep the process alive. */
export class Alarm {
  readonly #onDue: () => void;
  #timer: NodeJS.Timeout | undefined;
  #due = Infinity;

  constructor(onDue: () => void) {
    this.#onDue = onDue;
  }

  /** `due`: the clock's time (performance.now), Infinity for never. */
  set(due: number): void {
    if (due >= this.#due) return;
    this.clear();
    this.#due = due;
    const pause = Math.max(SHORTEST, due - performance.now());
    this.#timer = setTimeout(() => {
      this.#due = Infinity;
      this.#onDue();
    }, pause).unref();
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#due = Infinity;
  }
}
