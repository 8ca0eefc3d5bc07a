import type { DataPlaneStatus } from "./control-client.js";

/** Milliseconds without any answer after which a data plane is taken to be away; one that has just died is started again in this time. */
export const ABSENT_LIMIT = 2000;

/**
 * Looks, again and again, for whether every worker serves. A data plane that went away meanwhile is not waited for as long as
 * one that is slow: other changes wait behind this one.
 */
export class ServedWatch {
  /** `absent`: nobody has answered for a while. */
  outcome: "waiting" | "served" | "absent" = "waiting";
  readonly #ask: () => Promise<DataPlaneStatus | undefined>;
  readonly #isServed: (status: DataPlaneStatus) => boolean | Promise<boolean>;
  #answeredAt = performance.now();

  constructor(
    ask: () => Promise<DataPlaneStatus | undefined>,
    isServed: (status: DataPlaneStatus) => boolean | Promise<boolean>,
  ) {
    this.#ask = ask;
    this.#isServed = isServed;
  }

  /** True when there is nothing more to wait for. */
  async look(): Promise<boolean> {
    const status = await this.#ask();
    const now = performance.now();
    if (status !== undefined) {
      this.#answeredAt = now;
      this.outcome = (await this.#isServed(status)) ? "served" : "waiting";
    } else if (now - this.#answeredAt > ABSENT_LIMIT) {
      this.outcome = "absent";
    }
    return this.outcome !== "waiting";
  }
}
