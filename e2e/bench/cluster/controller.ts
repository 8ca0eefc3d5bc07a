/** `albc run --kubernetes` as deploy/ runs it, for a whole cluster, with an nginx of two workers. */
import { join } from "node:path";
import { Answering } from "../../cluster/answering.js";
import { AlbcProcess } from "../../harness/albc-process.js";
import type { ControlStatus } from "../../harness/control.js";
import { freePort } from "../../harness/free-port.js";
import { Health } from "../../harness/health.js";
import { peakMemory, residentMemory } from "../../harness/processes.js";
import type { Closable } from "../../harness/scene.js";
import { makeTempFolder, removeFolder } from "../../harness/temp-folder.js";
import { testNginx } from "../../harness/test-nginx.js";
import { waitFor } from "../../harness/wait.js";
import { cpuTime } from "../cpu-time.js";

export const WORKERS = 2;

/** Bytes. */
export interface Memory {
  readonly resident: number;
  /** Since the start. */
  readonly peak: number;
}

export interface ControllerOptions {
  /** Where its Lease is. */
  readonly namespace: string;
  /** See giveServiceAccount. */
  readonly account: Readonly<Record<string, string>>;
  readonly flags: readonly string[];
}

/** Milliseconds. */
const PATIENCE = { deadline: 10 * 60_000, every: 20 };
/** Share of a processor that a process may have and still count as idle, over a second. */
const IDLE = 0.05;

export class Controller extends Answering implements Closable {
  /** Milliseconds from the start until it serves; known when it does. */
  untilServing = NaN;
  readonly #folder: string;
  readonly #albc: AlbcProcess;
  readonly #health: Health;

  private constructor(
    folder: string,
    ports: { readonly gateway: number; readonly health: number },
    { namespace, account, flags }: ControllerOptions,
  ) {
    super(ports.gateway, join(folder, "run"));
    this.#folder = folder;
    this.#health = new Health(ports.health);
    const words = [
      ...["run", "--kubernetes", "--dir", this.runFolder, "--nginx", testNginx()],
      ...["--workers", String(WORKERS), "--http-port", "0", "--https-port", "0"],
      ...["--secret-namespaces", "*", "--access-log", "off", "--drain-timeout", "1s"],
      ...this.#health.flags,
      ...flags,
    ];
    const env = { ...account, HOME: folder, POD_NAMESPACE: namespace };
    this.#albc = new AlbcProcess(words, { cwd: folder, env });
  }

  /** `port`: that of the Gateway. Resolves when every worker serves what the cluster holds. */
  static async start(port: number, options: ControllerOptions): Promise<Controller> {
    const ports = { gateway: port, health: await freePort() };
    const folder = await makeTempFolder();
    const began = performance.now();
    const controller = new Controller(folder, ports, options);
    try {
      await controller.#serves();
      controller.untilServing = performance.now() - began;
      return controller;
    } catch (error: unknown) {
      const { log } = controller.#albc;
      await controller.close();
      throw new Error(`albc did not start: ${String(error)}\n${log}`, { cause: error });
    }
  }

  async memory(): Promise<Memory> {
    const { pid } = this.#albc;
    return { resident: await residentMemory(pid), peak: await peakMemory(pid) };
  }

  /** EndpointSlices that it knows. */
  async watched(): Promise<number> {
    return (await this.#health.metrics()).get('albc_objects{kind="EndpointSlice"}') ?? NaN;
  }

  /** Waits until it has written so many statuses of HTTPRoutes. */
  async statusesWritten(count: number): Promise<void> {
    const name = 'albc_status_writes_total{kind="HTTPRoute",result="written"}';
    await waitFor(
      `${count} statuses are written`,
      async () => ((await this.#health.metrics()).get(name) ?? 0) >= count,
      { ...PATIENCE, every: 500 },
    );
  }

  /** Waits until it has nothing more to do. */
  async idle(): Promise<void> {
    let before: { readonly cpu: number; readonly at: number } | undefined;
    await waitFor(
      "albc is idle",
      async () => {
        const now = { cpu: await cpuTime([this.#albc.pid]), at: performance.now() * 1e6 };
        const last = before;
        before = now;
        return last !== undefined && (now.cpu - last.cpu) / (now.at - last.at) < IDLE;
      },
      { ...PATIENCE, every: 1000 },
    );
  }

  /** Waits until every worker serves another version than `before`. */
  async servesOther(before: string): Promise<ControlStatus> {
    return waitFor(
      "every worker serves the change",
      async () => {
        const status = await this.status();
        return status.version !== before && isServedByAll(status) && status;
      },
      { deadline: 60_000, every: 2 },
    );
  }

  /** Lines of its log that say that something is wrong. */
  get complaints(): readonly string[] {
    const harmless = ["trace", "debug", "info"];
    return this.#albc.lines
      .filter(({ level }) => !harmless.includes(level))
      .map(({ text }) => text);
  }

  async close(): Promise<void> {
    this.#albc.signal("SIGTERM");
    // With thousands of routes it may have much under way, and what was measured is known already.
    await this.#albc.exit(120_000);
    await removeFolder(this.#folder);
  }

  async #serves(): Promise<void> {
    const state = await waitFor(
      "albc serves",
      () => (this.#albc.ended ? "ended" : this.#albc.log.includes('"msg":"serving"') && "serves"),
      PATIENCE,
    );
    if (state === "ended") throw new Error("albc ended");
    const status = await this.status();
    if (!isServedByAll(status)) throw new Error(`not all serve: ${JSON.stringify(status)}`);
  }
}

function isServedByAll({ version, expected, workers }: ControlStatus): boolean {
  return (
    expected === WORKERS && workers.filter((one) => one.version === version).length === WORKERS
  );
}
