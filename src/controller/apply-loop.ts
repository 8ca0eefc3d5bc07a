/**
 * Compiles and applies, once at the start and again after each batch of changes. What goes wrong is logged, the last good configuration
 * stays, and it is tried again: a full disk, a data plane without a free connection or a fault of ours may not hold up a revoked
 * password for good.
 */
import type { Applied } from "../output/apply.js";
import { isFree } from "../output/listens.js";
import { NginxRefused } from "../output/reloader.js";
import type { RenderedFile } from "../render/rendered-file.js";
import type { Compilation } from "../compile.js";
import { Backoff } from "../support/backoff.js";
import { EnvironmentError } from "../support/errors.js";
import { Batcher } from "./batcher.js";
import { ApplyWatch } from "./observer.js";
import type { Log } from "../support/log.js";
import type { Observer } from "./observer.js";

/** What one compilation gives: the files, and what is to be done once every worker serves them. */
export interface Compiled {
  readonly files: readonly RenderedFile[];
  readonly served?: () => void;
  /** The certificates that are asked for: when one expires, that is to be said although nothing has changed. */
  readonly certificates: Compilation["certificates"];
}

export interface ApplyLoopOptions {
  readonly log: Log;
  readonly compile: () => Promise<Compiled>;
  readonly apply: (files: readonly RenderedFile[]) => Promise<Applied>;
  readonly observer: Pick<Observer, "applying" | "applied">;
  /** Milliseconds; see Batcher. */
  readonly quietDelay?: number;
  readonly maximumDelay?: number;
  readonly urgentDelay?: number;
}

/** Milliseconds; together with compiling and swapping they must stay below 200. */
const QUIET_DELAY = 40;
const MAXIMUM_DELAY = 400;
const URGENT_DELAY = 5;
/** Milliseconds after which a change that could not be applied is tried again. */
const FIRST_RETRY = 1000;
const LONGEST_RETRY = 60_000;
/** Milliseconds between looks for an nginx that is not there yet; each look takes its time too. */
const ABSENT_RETRY = 500;
/** Milliseconds between looks at ports that could not be listened on. */
const PROBE_INTERVAL = 30_000;
/** Milliseconds: a timer can't wait for months. */
const LONGEST_WAIT = 86_400_000;

export class ApplyLoop {
  readonly #options: ApplyLoopOptions;
  readonly #batcher: Batcher;
  #open = false;
  #missed = false;
  readonly #backoff = new Backoff(FIRST_RETRY, LONGEST_RETRY);
  #refused: string | undefined;
  #isAbsent = false;
  #onServed: () => void = () => undefined;
  /** Resolves when every worker serves what was applied, for the first time. */
  readonly firstServed = new Promise<void>((resolve) => (this.#onServed = resolve));
  #hasServed = false;
  readonly #ports = new UnavailablePorts();
  #probe: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: ApplyLoopOptions) {
    this.#options = options;
    this.#batcher = new Batcher({
      quietDelay: options.quietDelay ?? QUIET_DELAY,
      maximumDelay: options.maximumDelay ?? MAXIMUM_DELAY,
      urgentDelay: options.urgentDelay ?? URGENT_DELAY,
      handle: () => this.refresh(),
    });
  }

  /** Something has changed (see Batcher). Until `open` it is only remembered: the first files are being applied. */
  notify(isUrgent = false): void {
    if (this.#open) this.#batcher.notify(isUrgent);
    else this.#missed = true;
  }

  /** The first files are applied: changes are taken from now on. Whether those are served is only known once it was looked at. */
  open(): void {
    this.#open = true;
    if (this.#missed || !this.#hasServed) this.#batcher.notify();
  }

  /** Takes no further change; resolves when the one under way is applied. */
  close(): Promise<void> {
    clearTimeout(this.#retry);
    clearTimeout(this.#probe);
    clearTimeout(this.#expiry);
    return this.#batcher.close();
  }

  /** For CompileOptions. */
  get unavailablePorts(): readonly string[] {
    return this.#ports.places;
  }

  /** This compilation is for a reload that frees ports for the next one: its diagnostics and statuses are not told. */
  get isInterim(): boolean {
    return this.#ports.isInterim;
  }

  /** What is compiled from now on does without these, until they are free; false when it does so already. */
  exclude(unavailablePorts: readonly string[], reason: string): boolean {
    if (!this.#ports.add(unavailablePorts)) return false;
    this.#options.log.error(
      { ports: this.#ports.places, reason },
      "ports can't be listened on; all else is served",
    );
    this.#probeLater();
    return true;
  }

  /** Compiles and applies now. Does not throw. */
  async refresh(): Promise<void> {
    await this.#ports.release();
    // Each turn leaves out ports that the one before did not know of.
    while ((await this.#refresh()) === "again");
  }

  async #refresh(): Promise<"again" | "done"> {
    const { log, compile, apply, observer } = this.#options;
    const watch = new ApplyWatch(observer);
    clearTimeout(this.#retry);
    try {
      const compiled = await compile();
      this.#notifyOfExpiry(compiled);
      watch.compiled();
      const applied = await apply(compiled.files);
      this.#ports.listens(applied.listens ?? []);
      if (this.#unblock(applied.blockedPorts ?? [])) return "again";
      const duration = watch.applied(applied);
      if (this.exclude(applied.unavailablePorts ?? [], applied.refused ?? "")) return "again";
      this.#report(applied, duration);
      this.#conclude(compiled, applied);
    } catch (error: unknown) {
      watch.failed(error);
      if (error instanceof NginxRefused && this.#unblock(error.blockedPorts)) return "again";
      if (error instanceof NginxRefused && this.exclude(error.unavailablePorts, error.message))
        return "again";
      const delay = this.#retryLater();
      log.error(
        { ...reasonOf(error), delay },
        "change not applied; the last good configuration stays",
      );
    }
    return "done";
  }

  /** True when there is more to do: a reload without the blocked ports, or one with those that it has freed. */
  #unblock(blockedPorts: readonly string[]): boolean {
    const wasInterim = this.#ports.isInterim;
    this.#ports.block(wasInterim ? [] : blockedPorts);
    return wasInterim || blockedPorts.length > 0;
  }

  /** Nothing is said to be served before a worker is there to serve it. */
  #conclude(compiled: Compiled, { kind, refused, unwritten, held }: Applied): void {
    const isFine = refused === undefined && unwritten === undefined;
    if (held !== undefined && isFine) this.#notifyAfter(held);
    const wasAbsent = this.#isAbsent;
    this.#isAbsent = kind === "written";
    if (this.#isAbsent) {
      this.#notifyAfter(ABSENT_RETRY);
      if (!wasAbsent)
        this.#options.log.warn({}, "no nginx answers; what is written is served when one starts");
    } else if (refused === undefined) {
      this.#hasServed = true;
      this.#onServed();
      compiled.served?.();
    }
  }

  #notifyOfExpiry({ certificates }: Compiled): void {
    clearTimeout(this.#expiry);
    const now = Date.now();
    const valid = certificates.map(({ certificate }) => certificate.expires - now);
    const next = valid.reduce(
      (least, each) => (each > 0 && each < least ? each : least),
      LONGEST_WAIT,
    );
    // A timer may be early by a millisecond.
    this.#expiry = setTimeout(() => {
      this.notify();
    }, next + 1);
    this.#expiry.unref();
  }

  #probeLater(): void {
    clearTimeout(this.#probe);
    this.#probe = setTimeout(() => {
      void this.#ports.release().then((some) => {
        if (some) this.notify();
        if (this.#ports.places.length > 0) this.#probeLater();
      });
    }, PROBE_INTERVAL);
    this.#probe.unref();
  }

  /** What is refused is said once, and tried again. */
  #report({ kind, version, refused, unwritten }: Applied, duration: number): void {
    const { log } = this.#options;
    const isNews = kind !== "unchanged" && !(kind === "written" && this.#isAbsent);
    const level = isNews ? "info" : "debug";
    log[level]({ kind, version, duration }, "change applied");
    if (unwritten !== undefined) {
      log.error(
        { reason: unwritten, delay: this.#retryLater() },
        "served, but not written: an nginx that starts now would begin with an older policy",
      );
    }
    const before = this.#refused;
    this.#refused = refused;
    if (refused === undefined) {
      if (unwritten === undefined) this.#backoff.succeeded();
      return;
    }
    const delay = this.#retryLater();
    log[refused === before ? "debug" : "error"](
      { reason: refused, delay },
      "nginx refuses its new configuration and keeps the last good one; routes, auth and secrets are the new ones",
    );
  }

  #retryLater(): number {
    const delay = this.#backoff.failed();
    this.#notifyAfter(delay);
    return delay;
  }

  #notifyAfter(delay: number): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.notify();
    }, delay);
    // An albc that ends does not wait for it.
    this.#retry.unref();
  }
}

/** With where it happened, when it is no trouble of the machine but a bug. */
function reasonOf(error: unknown): object {
  if (!(error instanceof Error)) return { reason: String(error) };
  const isExpected = error instanceof NginxRefused || error instanceof EnvironmentError;
  return { reason: error.message, ...(!isExpected && { stack: error.stack }) };
}

/** The ports that nginx could not listen on, for CompileOptions; they are left out until they are free. */
class UnavailablePorts {
  #places: readonly string[] = [];
  /** Left out of one reload only: it closes a socket of nginx itself that is in their way. */
  #blocked: readonly string[] = [];
  /** Where nginx listens. */
  #own: readonly string[] = [];

  get places(): readonly string[] {
    return [...new Set([...this.#places, ...this.#blocked])].sort();
  }

  /** Some are left out that the next reload has. */
  get isInterim(): boolean {
    return this.#blocked.length > 0;
  }

  block(places: readonly string[]): void {
    this.#blocked = places;
  }

  listens(places: readonly string[]): void {
    this.#own = places;
  }

  /** False when all of them were known: leaving them out did not help. */
  add(places: readonly string[]): boolean {
    const all = [...new Set([...this.#places, ...places])].sort();
    const grew = all.length > this.#places.length;
    this.#places = all;
    return grew;
  }

  /** Forgets those that are free now; true when there are some. */
  async release(): Promise<boolean> {
    const taken: string[] = [];
    for (const place of this.#places) if (!(await isFree(place, this.#own))) taken.push(place);
    const isFewer = taken.length < this.#places.length;
    this.#places = taken;
    return isFewer;
  }
}
