import { collectDefaultMetrics, Registry } from "prom-client";

/** Prometheus' usual metrics of a process and of the thread that asks for them, in its text format. */
export class ProcessMetrics {
  readonly #registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
