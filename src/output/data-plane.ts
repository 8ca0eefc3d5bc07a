/** The workers, as those see them who give them policies: told over the control socket, and asked whether they all serve. */
import type { RenderedPolicy } from "../render/rendered-policy.js";
import type { DataPlaneStatus } from "./control-client.js";
import { ControlClient, ControlError } from "./control-client.js";
import { policyDelta } from "./policy-delta.js";
import { poll } from "./poll.js";
import { NginxRefused } from "./reloader.js";
import { ABSENT_LIMIT, ServedWatch } from "./served-watch.js";

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
