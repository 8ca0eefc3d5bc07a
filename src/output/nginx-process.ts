/** The nginx that albc runs: starting, reloading, restarting after a crash, and stopping. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { execa } from "execa";
import { Backoff } from "../support/backoff.js";
import { errorText } from "../support/text.js";
import { ControlClient } from "./control-client.js";
import { endAll, haveEnded, nginxProcessesIn, signalAll, signalOne } from "./folder-processes.js";
import {
  type LogPipe,
  NginxNotStarted,
  isFinalFailure,
  nginxFailure,
  openLogPipe,
  unavailablePorts,
} from "./nginx-log.js";
import { type NginxBinary, type WorkerUser, mainDirectives } from "./nginx-binary.js";
import { readListens, refusedPlaces } from "./listens.js";
import { orphansOn, removeSockets } from "./run-folder.js";
import { type Reloader, NginxRefused, loadLimit, poll, refuseBlocked } from "./reloader.js";

/** Milliseconds. */
const TERM_LIMIT = 2000;
const RELEASE_LIMIT = 10_000;
const FIRST_DELAY = 100;
const LONGEST_DELAY = 10_000;
/** Milliseconds: an nginx that lived longer did not fail while it started. */
const HEALTHY_AFTER = 10_000;
const SAID_LINES = 50;

export class NginxProcess implements Reloader {
  readonly #options: ConstructorParameters<typeof NginxProcess>[0];
  readonly #control: ControlClient;
  readonly #stopping = new AbortController();
  #child: ChildProcess | undefined;
  #exit: Promise<void> = Promise.resolve();
  #said: string[] = [];
  #logPipe: LogPipe | undefined;
  #startedAt = 0;
  /** Where it listens. */
  #own: readonly string[] = [];
  readonly #backoff = new Backoff(FIRST_DELAY, LONGEST_DELAY);
  /** Milliseconds before the next restart; the first one is immediate. */
  #delay = 0;

  constructor(options: {
    readonly binary: NginxBinary;
    /** The run folder, absolute. */
    readonly folder: string;
    /** User of the workers, if it is not albc's own. */
    readonly user?: WorkerUser | undefined;
    /** Milliseconds for requests in flight when nginx is stopped. */
    readonly drainTimeout: number;
    /** Called with each line of nginx's error log. */
    readonly onLine: (line: string) => void;
    /** nginx ended by itself, or a restart failed; it is restarted after `delay` milliseconds. */
    readonly onDeath: (reason: string, delay: number) => void;
    /** It runs again after it ended by itself. */
    readonly onRestart: () => void;
  }) {
    this.#options = options;
    this.#control = new ControlClient(options.folder);
  }

  /** Process id of the master; undefined without a master. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /**
   * Starts nginx in the run folder, and waits until it accepts connections. Processes that a killed albc has left in the folder are ended
   * first. Throws EnvironmentError.
   */
  async start(): Promise<void> {
    const { folder } = this.#options;
    await endAll(folder);
    this.#logPipe = await openLogPipe(folder, (bytes) => process.stdout.write(bytes));
    try {
      await this.#launchTakingOver();
    } catch (error: unknown) {
      signalAll(await nginxProcessesIn(folder), "SIGKILL");
      this.#logPipe.close();
      throw error;
    }
  }

  async test(folder: string): Promise<void> {
    const { binary } = this.#options;
    const words = ["-t", "-q", "-p", folder, "-c", "nginx.conf", "-g", this.#directives()];
    const tested = await execa(binary.path, words, {
      cwd: folder,
      env: binary.variables,
      reject: false,
      stdin: "ignore",
      // nginx opens an access log to /dev/stdout by name, which fails for the socket that execa would read from.
      stdout: "ignore",
    });
    // It was not even started, or was killed: no output then.
    if (tested.exitCode === undefined)
      throw new NginxRefused(`nginx can't test it: ${tested.shortMessage ?? "no reason"}`);
    if (tested.exitCode !== 0) throw await this.#refused(tested.stderr, folder);
    if (this.pid === undefined) return;
    refuseBlocked(await readListens(join(folder, "nginx.conf")), this.#own);
  }

  async reload(isDone: () => Promise<boolean>): Promise<void> {
    this.#said = [];
    const limit = await loadLimit(this.#options.folder);
    const pid = this.pid;
    if (pid === undefined || !signalOne(pid, "SIGHUP")) {
      // nginx is about to be restarted, and then loads the new files.
      if (await poll(isDone, { limit, signal: this.#stopping.signal })) return;
      throw new NginxRefused("nginx does not run");
    }
    const gaveUp = (): boolean => this.#said.some(isFinalFailure);
    const settled = async (): Promise<boolean> => gaveUp() || (await isDone());
    const inTime = await poll(settled, { limit, signal: this.#stopping.signal });
    if (gaveUp()) {
      throw await this.#refused(this.#said.join("\n"), this.#options.folder);
    }
    if (!inTime) throw new NginxRefused(`the reload was not done in ${String(limit / 1000)} s`);
    this.#own = await readListens(join(this.#options.folder, "nginx.conf"));
  }

  /**
   * Stops nginx: it accepts no new connections, and requests in flight may finish within the drain timeout (or `limit` milliseconds). No
   * process of it is left when this returns. A second call with a shorter limit speeds up the first one.
   */
  async stop(limit = this.#options.drainTimeout): Promise<void> {
    this.#stopping.abort();
    const { folder } = this.#options;
    for (const [signal, patience] of [
      ["SIGQUIT", limit],
      ["SIGTERM", TERM_LIMIT],
      ["SIGKILL", TERM_LIMIT],
    ] as const) {
      this.#child?.kill(signal);
      signalAll(await nginxProcessesIn(folder), signal);
      if (await haveEnded(folder, patience)) break;
    }
    await this.#exit;
    this.#logPipe?.close();
  }

  /** If the nginx of a killed albc in another run folder has the ports, it is ended, and the start is repeated. */
  async #launchTakingOver(): Promise<void> {
    try {
      await this.#launch();
    } catch (error: unknown) {
      const places = error instanceof NginxNotStarted ? error.unavailablePorts : [];
      const folders = await orphansOn(places);
      if (folders.length === 0) throw error;
      for (const folder of folders) await endAll(folder);
      await this.#launch();
    }
  }

  async #launch(): Promise<void> {
    const { binary, folder } = this.#options;
    await removeSockets(folder);
    this.#own = [];
    const words = ["-p", folder, "-c", "nginx.conf", "-g", this.#directives()];
    this.#said = [];
    this.#startedAt = performance.now();
    // It has a session of its own: an interrupt at the terminal is for albc, which then drains nginx.
    const child = spawn(binary.path, words, {
      cwd: folder,
      env: { ...process.env, ...binary.variables },
      stdio: ["ignore", this.#logPipe?.stdout ?? "ignore", "pipe"],
      detached: true,
    });
    this.#child = child;
    this.#listen(child);
    const { hasEnded, closed } = this.#watch(child);
    const settled = async (): Promise<boolean> => hasEnded() || (await this.#isReady());
    const limits = { limit: await loadLimit(folder), signal: this.#stopping.signal };
    if (!(await poll(settled, limits)) || hasEnded()) {
      const end = this.#isStopping()
        ? "albc was told to end before it served"
        : endOf(child, hasEnded(), limits.limit);
      child.kill("SIGKILL");
      // Wait for all of its output, but not for workers that outlive it and keep its standard error open.
      await Promise.race([closed, pause(TERM_LIMIT, undefined, { ref: false })]);
      throw new NginxNotStarted(
        `nginx could not start: ${this.#startFailure(end)}`,
        await refusedPlaces(unavailablePorts(this.#said.join("\n")), join(folder, "nginx.conf")),
      );
    }
    this.#own = await readListens(join(folder, "nginx.conf"));
    void this.#exit.then(() => this.#revive(child));
  }

  /** `end`: why it ended; empty: it ended by itself. */
  #startFailure(end: string): string {
    const said = this.#said.join("\n");
    if (end === "") return nginxFailure(said);
    return said === "" ? end : `${end}; it said: ${nginxFailure(said)}`;
  }

  #watch(child: ChildProcess): { hasEnded: () => boolean; closed: Promise<unknown> } {
    let ended = false;
    this.#exit = new Promise((resolve) => {
      const end = (): void => {
        ended = true;
        resolve();
      };
      child.once("error", end).once("exit", end);
    });
    const closed = new Promise((resolve) => child.once("close", resolve));
    return { hasEnded: () => ended, closed };
  }

  #listen(child: ChildProcess): void {
    child.once("error", (error) => this.#said.push(error.message));
    if (child.stderr === null) return;
    createInterface({ input: child.stderr }).on("line", (line) => {
      this.#said.push(line);
      if (this.#said.length > SAID_LINES) this.#said.splice(1, 1);
      this.#options.onLine(line);
    });
  }

  /** Restarts nginx after its master has ended. Workers may still run: a killed master can't end them. */
  async #revive(child: ChildProcess): Promise<void> {
    if (this.#isStopping()) return;
    this.#child = undefined;
    if (performance.now() - this.#startedAt > HEALTHY_AFTER) {
      this.#backoff.succeeded();
      this.#delay = 0;
    }
    let reason = `nginx ended (${child.signalCode ?? `status ${child.exitCode ?? "unknown"}`})`;
    while (!this.#isStopping()) {
      this.#options.onDeath(reason, this.#delay);
      await pause(this.#delay, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      if (this.#isStopping()) return;
      this.#delay = this.#backoff.failed();
      try {
        await this.#release();
        await this.#launch();
        this.#options.onRestart();
        return;
      } catch (error: unknown) {
        reason = errorText(error);
      }
    }
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Workers without a master finish their requests, but release the ports at once. */
  async #release(): Promise<void> {
    const { folder } = this.#options;
    const orphans = (await nginxProcessesIn(folder)).filter(({ role }) => role === "worker");
    if (orphans.length === 0) return;
    signalAll(orphans, "SIGQUIT");
    const released = await poll(() => this.#control.isDeserted(), { limit: RELEASE_LIMIT });
    if (!released) signalAll(orphans, "SIGKILL");
  }

  /** Every worker answers, so that the next request to the control socket reaches all of them. */
  async #isReady(): Promise<boolean> {
    const status = await this.#control.status().catch(() => undefined);
    return status !== undefined && status.workers.length >= status.expected;
  }

  /** `folder`: of the refused nginx.conf. */
  async #refused(said: string, folder: string): Promise<NginxRefused> {
    const path = join(folder, "nginx.conf");
    return new NginxRefused(
      nginxFailure(said),
      await refusedPlaces(unavailablePorts(said), path, this.#own),
    );
  }

  #directives(): string {
    return mainDirectives(this.#options.binary, this.#options.user);
  }
}

function endOf({ signalCode }: ChildProcess, hasEnded: boolean, limit: number): string {
  if (!hasEnded) return `it did not serve within ${String(limit / 1000)} s, so albc ended it`;
  return signalCode === null ? "" : `another process ended it by ${signalCode} before it served`;
}
