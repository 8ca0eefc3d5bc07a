const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** SIGTERM and SIGINT: the first asks for an orderly end, the second for a quick one. */
export class StopSignals {
  readonly first: Promise<void>;
  readonly second: Promise<void>;

  constructor() {
    let onFirst: () => void = () => undefined;
    let onSecond: () => void = () => undefined;
    this.first = new Promise((resolve) => (onFirst = resolve));
    this.second = new Promise((resolve) => (onSecond = resolve));
    let count = 0;
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        count++;
        if (count === 1) onFirst();
        else onSecond();
      });
    }
  }
}
