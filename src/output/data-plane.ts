/** The workers, as those see them who give them policies: told over the control socket, and asked whether they all serve. */
import type { RenderedPolicy } from "../render/rendered-file.js";
import type { DataPlaneStatus } from "./control-client.js";
import { ControlClient, ControlError } from "./control-client.js";
import { policyDelta } from "./policy-delta.js";
import { NginxRefused, poll } from "./reloader.js";

/** Milliseconds in which every worker must have taken a policy; one that is restarted needs the most. */
const SERVED_LIMIT = 15_000;

export class DataPlane {
  readonly #control: ControlClient;

  /** `folder`: where nginx writes. */
  constructor(folder: string) {
    this.#control = new ControlClient(folder);
  }

  /**
   * Makes every worker serve the policy; `body` is the change from the one before. `absent`: nobody is there to be told, or
   * not any more. Throws NginxRefused.
   */
  async swap(body: string, policy: RenderedPolicy): Promise<"served" | "absent"> {
    if ((await this.put(body, policy)) === "absent") return "absent";
    return this.#untilServed(policy);
  }

  /** The same without a change: for who may serve it already, or has read policy.json before it was written. */
  async ensure(policy: RenderedPolicy): Promise<"served" | "absent"> {
    if (!(await this.confirm(policy))) return "absent";
    return this.#untilServed(policy);
  }

  /** Where another policy is served than this, it is replaced. False: nobody answers. Throws NginxRefused. */
  async confirm(policy: RenderedPolicy): Promise<boolean> {
    const status = await this.#status();
    if (status === undefined) return false;
    await this.#correct(status, policy);
    return true;
  }

  async #correct({ version }: DataPlaneStatus, policy: RenderedPolicy): Promise<void> {
    const full = version === policy.version ? undefined : policyDelta(undefined, policy);
    if (full !== undefined) await this.put(full, policy);
  }

  /** Sends the change, or everything when the data plane serves something else than we think. Throws NginxRefused. */
  async put(body: string, policy: RenderedPolicy): Promise<"accepted" | "absent"> {
    try {
      let outcome = await this.#control.put(body);
      if (outcome.kind !== "accepted") {
        outcome = await this.#control.put(policyDelta(undefined, policy) ?? body);
      }
      if (outcome.kind === "refused") throw new NginxRefused(`the data plane: ${outcome.reason}`);
      return "accepted";
    } catch (error: unknown) {
      if (error instanceof ControlError) return "absent";
      throw error;
    }
  }

  /** What it says, if there is one. */
  async reach(): Promise<DataPlaneStatus | undefined> {
    let status: DataPlaneStatus | undefined;
    const answers = async (): Promise<boolean> => {
      status = await this.#status();
      return status !== undefined;
    };
    await poll(answers, { limit: ABSENT_LIMIT });
    return status;
  }

  /** Every worker there should be, of a later generation than `generation`, is to serve the version. */
  watch(version: string, generation: number): ServedWatch {
    return new ServedWatch(this.#status, (status) => isServedBy(status, version, generation));
  }

  async #untilServed(policy: RenderedPolicy): Promise<"served" | "absent"> {
    const watch = new ServedWatch(this.#status, async (status) => {
      await this.#correct(status, policy);
      return isServedBy(status, policy.version, 0);
    });
    await poll(() => watch.look(), { limit: SERVED_LIMIT });
    if (watch.outcome !== "waiting") return watch.outcome;
    throw new NginxRefused(`not every worker serves the policy after ${SERVED_LIMIT / 1000} s`);
  }

  /** Undefined: no answer. */
  readonly #status = (): Promise<DataPlaneStatus | undefined> =>
    this.#control.status().catch(withoutAnswer);
}

function isServedBy(status: DataPlaneStatus, version: string, generation: number): boolean {
  const ready = status.workers.filter(
    (worker) => worker.version === version && worker.generation > generation,
  );
  return ready.length >= status.expected;
}

function withoutAnswer(error: unknown): undefined {
  if (!(error instanceof ControlError)) throw error;
}

/** Milliseconds without any answer after which a data plane is taken to be away; one that has just died is started again in this time. */
const ABSENT_LIMIT = 2000;

/**
 * Looks, again and again, for whether every worker serves. A data plane that went away meanwhile is not waited for as long as
 * one that is slow: other changes wait behind this one.
 */
class ServedWatch {
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
