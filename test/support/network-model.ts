/**
 * The network between a replica and the model of an API server: a scheduler decides which message gets through next. Messages about the
 * lease are never late: a replica whose lease ends is no leader for a while, however quiet it is.
 */
import { ApiError } from "../../src/kubernetes/api-client.js";
import type { ApiServerModel, Link } from "./api-server-model.js";
import type { fc } from "./fast-check.js";

/** Milliseconds after which ApiClient gives up a silent connection. */
const SILENCE = 20_000;

export class NetworkModel implements Link {
  readonly #scheduler: fc.Scheduler;
  readonly #server: ApiServerModel;
  #epoch = 0;
  #answersToLose = 0;
  #isDown = false;
  #isSilent = false;
  #isKeeping = false;
  #kept: (() => void)[] = [];
  #silenced: (() => void)[] = [];

  constructor(scheduler: fc.Scheduler, server: ApiServerModel) {
    this.#scheduler = scheduler;
    this.#server = server;
  }

  get epoch(): number {
    return this.#epoch;
  }

  async pass(what: string): Promise<void> {
    const epoch = this.#epoch;
    if (this.#isKeeping && what.startsWith("answer to PATCH"))
      await new Promise<void>((resolve) => this.#kept.push(resolve));
    if (this.#isSilent) await new Promise<void>((resolve) => this.#silenced.push(resolve));
    else if (!what.includes("/leases")) await this.#scheduler.schedule(Promise.resolve(), what);
    if (this.#isDown || epoch !== this.#epoch) throw new ApiError(0, "", "the connection broke");
    if (this.#answersToLose === 0 || !what.startsWith("answer")) return;
    this.#answersToLose -= 1;
    throw new ApiError(0, "", "the answer was lost");
  }

  /** Every connection breaks; new ones can be made. */
  cut(): void {
    this.#epoch += 1;
    for (const resolve of [...this.#silenced.splice(0), ...this.#kept.splice(0)]) resolve();
    this.#server.wake();
  }

  /** Whether answers to status writes stay behind, until this is told otherwise. */
  keepAnswers(isKeeping: boolean): void {
    this.#isKeeping = isKeeping;
    if (!isKeeping) for (const resolve of this.#kept.splice(0)) resolve();
  }

  /** Connections stay open, but nothing gets through until they are given up. */
  silence(): void {
    if (this.#isSilent) return;
    this.#isSilent = true;
    setTimeout(() => {
      this.#isSilent = false;
      this.cut();
    }, SILENCE);
  }

  /** Requests are carried out, but the next answers do not come. */
  loseAnswers(count: number): void {
    this.#answersToLose += count;
  }

  down(isDown: boolean): void {
    this.#isDown = isDown;
    this.cut();
  }
}
