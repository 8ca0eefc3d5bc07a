/** Sends policies to the workers over the control socket, and finds out whether all of them serve one. */
import type { RenderedPolicy } from "../render/rendered-file.js";
import {
  type DataPlaneStatus,
  type Draining,
  ControlClient,
  ControlError,
} from "./control-client.js";
import { NginxRefused, poll } from "./reloader.js";

/** Milliseconds in which every worker must serve a policy; a restarted worker needs the longest. */
const SERVED_LIMIT = 15_000;

export class DataPlane {
  readonly #control: ControlClient;

  /** `folder`: where nginx writes. */
  constructor(folder: string) {
    this.#control = new ControlClient(folder);
  }

  /** Makes every worker serve the policy; `body`: the change from the previous one. `absent`: no nginx answers. Throws NginxRefused. */
  async swap(body: string, policy: RenderedPolicy): Promise<"served" | "absent"> {
    if ((await this.put(body, policy)) === "absent") return "absent";
    return this.#untilServed(policy);
  }

  /** A policy may follow soon: the workers look for it more often. */
  async expect(): Promise<void> {
    await this.#control.expect().catch(withoutAnswer);
  }

  /** The same without a change, for an nginx that may serve the policy already, or that read policy.json before it was written. */
  async ensure(policy: RenderedPolicy): Promise<"served" | "absent"> {
    if (!(await this.confirm(policy))) return "absent";
    return this.#untilServed(policy);
  }

  /** Replaces any other policy that is served. False: no nginx answers. Throws NginxRefused. */
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

  /** Sends the change, or the whole policy if the data plane does not serve the expected one. Throws NginxRefused. */
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

  /** The status, once the data plane answers; undefined if it does not in time. */
  async reach(): Promise<DataPlaneStatus | undefined> {
    let status: DataPlaneStatus | undefined;
    const answers = async (): Promise<boolean> => {
      status = await this.#status();
      return status !== undefined;
    };
    await poll(answers, { limit: ABSENT_LIMIT });
    return status;
  }

  /** Undefined: no answer. */
  draining(): Promise<Draining | undefined> {
    return this.#control.draining().catch(withoutAnswer);
  }

  /** Waits until all expected workers of a generation after `generation` serve the version. */
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

/**
 * The body of `PUT /policy` (docs/policy-format.md) that changes a data plane from one policy to another: a first line, then a line for
 * each shard that differs. Without `from`, everything is replaced. Undefined if a key would break its line, so that only a reload can
 * load the policy; no name that an API server accepts has such a key.
 */
export function policyDelta(
  from: RenderedPolicy | undefined,
  to: RenderedPolicy,
): string | undefined {
  const lines = [`albc-policy ${to.format} ${from?.version ?? "-"} ${to.version}`];
  for (const [map, key, json] of to.changesSince(from)) {
    if (!standsOnLine(key)) return undefined;
    lines.push(json === undefined ? `-\t${map}\t${key}` : `=\t${map}\t${key}\t${oneLine(json)}`);
  }
  return `${lines.join("\n")}\n`;
}

/** A key must not contain the separators of fields and lines. */
function standsOnLine(key: string): boolean {
  return !/[\t\r\n\0]/.test(key);
}

/** Line breaks in JSON are never part of a value. */
function oneLine(json: string): string {
  return json.replace(/\n */g, "");
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

/** Milliseconds without an answer after which a data plane counts as absent; one that has just died is restarted in less time. */
const ABSENT_LIMIT = 2000;

/** Asks whether every worker serves. It waits longer for a slow data plane than for an absent one, because other changes wait, too. */
class ServedWatch {
  /** `absent`: no answer for ABSENT_LIMIT. */
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

  /** True if the outcome is known. */
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
