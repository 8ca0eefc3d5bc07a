/**
 * Compiles and applies, at the start and after each batch of changes. A failure is logged, the last good configuration stays, and the
 * change is retried: a full disk, a data plane without a free connection or a bug must not delay a revoked password forever.
 */
import type { Applied } from "../output/apply.js";
import { isFree } from "../output/listens.js";
import type { ChangeCause, RecentChanges } from "../output/recent-changes.js";
import { NginxRefused } from "../output/reloader.js";
import type { Observe, RunEvents } from "../health/run-health.js";
import type { RenderedFile } from "../render/rendered-file.js";
import { Backoff } from "../support/backoff.js";
import { EnvironmentError } from "../support/errors.js";
import type { Log } from "../support/log.js";
import { errorText } from "../support/text.js";
import { Batcher } from "./batcher.js";

/** The result of one compilation. */
export interface Compiled {
  readonly files: readonly RenderedFile[];
  /** Called once every worker serves the files. */
  readonly served?: () => void;
  /** Milliseconds until something else may be loaded by a reload; absent: nothing waits. */
  readonly held?: number | undefined;
  /** Called when the files are written, or nginx has loaded them. */
  readonly applied?: (applied: Applied) => void;
  /** Called if nginx refuses the files. True: another compilation may succeed at once. */
  readonly refused?: () => boolean;
  /** Milliseconds since 1970 at which certificates expire: a new compilation then reports it, although nothing else changes. */
  readonly expiries: readonly number[];
}

/** Milliseconds, see Batcher; together with compiling and swapping they must stay below 200. */
const QUIET_DELAY = 40;
const MAXIMUM_DELAY = 400;
const FIRST_DELAY = 5;
/** Milliseconds after which a change that could not be applied is retried. */
const FIRST_RETRY = 1000;
const LONGEST_RETRY = 60_000;
/** Milliseconds between two searches for an nginx that does not run yet; a search itself takes a while, too. */
const ABSENT_RETRY = 500;
/** Milliseconds between two checks whether unavailable ports are free now. */
const PROBE_INTERVAL = 30_000;
/** Milliseconds; timers can't wait for months. */
const LONGEST_WAIT = 86_400_000;

export class ApplyLoop {
  readonly #options: ConstructorParameters<typeof ApplyLoop>[0];
  readonly #batcher: Batcher;
  #open = false;
  #missed = false;
  readonly #backoff = new Backoff(FIRST_RETRY, LONGEST_RETRY);
  #refused: string | undefined;
  #isAbsent = false;
  #onServed: () => void = () => undefined;
  /** Resolves when every worker serves a configuration for the first time. */
  readonly firstServed = new Promise<void>((resolve) => (this.#onServed = resolve));
  #hasServed = false;
  readonly #ports = new UnavailablePorts();
  #probe: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: {
    readonly log: Log;
    readonly compile: () => Promise<Compiled>;
    /** `isAwaited`: whether other changes wait. */
    readonly apply: (files: readonly RenderedFile[], isAwaited: () => boolean) => Promise<Applied>;
    /** Called at the first change of a batch: `apply` may follow. */
    readonly expect?: () => void;
    /** nginx refused a configuration, and not because of ports. */
    readonly onRefused?: () => void;
    readonly observe: Observe;
    readonly changes?: Pick<RecentChanges, "record" | "because"> | undefined;
    /** Milliseconds; see Batcher. */
    readonly quietDelay?: number;
    readonly maximumDelay?: number;
    readonly firstDelay?: number;
  }) {
    this.#options = options;
    this.#batcher = new Batcher({
      quietDelay: options.quietDelay ?? QUIET_DELAY,
      maximumDelay: options.maximumDelay ?? MAXIMUM_DELAY,
      firstDelay: options.firstDelay ?? FIRST_DELAY,
      onFirst: options.expect,
      handle: () => this.refresh(),
    });
  }

  /** Something has changed (see Batcher): objects, or `cause`. Changes before `open` wait, because the first files are still being applied. */
  notify(cause?: ChangeCause): void {
    if (cause !== undefined) this.#options.changes?.because(cause);
    if (this.#open) this.#batcher.notify();
    else this.#missed = true;
  }

  /** The first files are applied: the loop takes changes from now on. It applies once more unless the files are known to be served. */
  open(): void {
    this.#open = true;
    if (this.#missed || !this.#hasServed) this.#batcher.notify();
  }

  /** Takes no further change; resolves when the change under way is applied. */
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

  /** The next compilation is only for a reload that frees ports for another one: its diagnostics and statuses are not published. */
  get isInterim(): boolean {
    return this.#ports.isInterim;
  }

  /** Leaves these ports out of all compilations until they are free; false if they are left out already. */
  exclude(unavailablePorts: readonly string[], reason: string): boolean {
    if (!this.#ports.add(unavailablePorts)) return false;
    this.#options.log.error(
      { ports: this.#ports.places, reason },
      "can't listen on these ports; albc retries them and serves everything else",
    );
    this.#probeLater();
    return true;
  }

  /** Compiles and applies now. Does not throw. */
  async refresh(): Promise<void> {
    await this.#ports.release();
    // Each turn leaves out more ports, or is one that an interim turn has made possible, so the loop ends.
    while ((await this.#refresh()) === "again");
  }

  async #refresh(): Promise<"again" | "done"> {
    const { compile, apply } = this.#options;
    const watch = new ApplyWatch(this.#options);
    clearTimeout(this.#retry);
    let compiled: Compiled | undefined;
    try {
      compiled = await compile();
      this.#notifyAtExpiry(compiled);
      watch.compiled();
      return this.#applied(
        compiled,
        await apply(compiled.files, () => this.#batcher.isAwaited),
        watch,
      );
    } catch (error: unknown) {
      watch.failed(error);
      return this.#failed(error, compiled);
    }
  }

  #applied(compiled: Compiled, applied: Applied, watch: ApplyWatch): "again" | "done" {
    const { listens = [], blockedPorts = [], unavailablePorts = [], refused } = applied;
    this.#ports.listens(listens);
    if (refused === undefined) compiled.applied?.(applied);
    if (this.#unblock(blockedPorts, refused !== undefined)) return "again";
    const duration = watch.applied(applied);
    if (this.exclude(unavailablePorts, refused ?? "")) return "again";
    this.#report(applied, duration);
    if (refused !== undefined && compiled.refused?.() === true) return "again";
    this.#conclude(compiled, applied);
    return "done";
  }

  #failed(error: unknown, compiled: Compiled | undefined): "again" | "done" {
    if (error instanceof NginxRefused) {
      if (this.#unblock(error.blockedPorts, true)) return "again";
      if (this.exclude(error.unavailablePorts, error.message)) return "again";
      this.#options.onRefused?.();
      if (compiled?.refused?.() === true) return "again";
    }
    const delay = this.#retryLater();
    this.#options.log.error(
      { ...reasonOf(error), delay },
      "change not applied; the last good configuration stays",
    );
    return "done";
  }

  /**
   * True if another reload is needed: one without the blocked ports, or then one with them, because they are free now. After an interim
   * one that was refused they are not: it is reported and tried again like any other.
   */
  #unblock(blockedPorts: readonly string[], isRefused: boolean): boolean {
    const wasInterim = this.#ports.isInterim;
    this.#ports.block(wasInterim ? [] : blockedPorts);
    return wasInterim ? !isRefused : blockedPorts.length > 0;
  }

  /** Calls `served` only if workers exist and all of them serve the configuration. */
  #conclude(compiled: Compiled, { kind, refused, unwritten }: Applied): void {
    const isFine = refused === undefined && unwritten === undefined;
    if (compiled.held !== undefined && isFine) this.#notifyAfter(compiled.held, "postponed reload");
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

  #notifyAtExpiry({ expiries }: Compiled): void {
    clearTimeout(this.#expiry);
    const now = Date.now();
    const left = expiries.map((expires) => expires - now).filter((each) => each > 0);
    const next = left.reduce((least, each) => Math.min(least, each), LONGEST_WAIT);
    // A timer may be early by a millisecond.
    this.#expiry = setTimeout(() => {
      this.notify(next === LONGEST_WAIT ? undefined : "certificate expired");
    }, next + 1);
    this.#expiry.unref();
  }

  #probeLater(): void {
    clearTimeout(this.#probe);
    this.#probe = setTimeout(() => {
      void this.#ports.release().then((some) => {
        if (some) this.notify("port became free");
        if (this.#ports.places.length > 0) this.#probeLater();
      });
    }, PROBE_INTERVAL);
    this.#probe.unref();
  }

  /** A refusal is logged once, and retried. */
  #report({ kind, version, refused, unwritten }: Applied, duration: number): void {
    const { log } = this.#options;
    const isNews = kind !== "unchanged" && !(kind === "written" && this.#isAbsent);
    const level = isNews ? "info" : "debug";
    log[level]({ kind, version, duration }, "change applied");
    if (unwritten !== undefined) {
      log.error(
        { reason: unwritten, delay: this.#retryLater() },
        "policy served, but not written: an nginx that starts now would serve an older one",
      );
    }
    const before = this.#refused;
    this.#refused = refused;
    if (refused === undefined) {
      if (unwritten === undefined) this.#backoff.succeeded();
      return;
    }
    this.#options.onRefused?.();
    const delay = this.#retryLater();
    log[refused === before ? "debug" : "error"](
      { reason: refused, delay },
      "nginx refuses the new nginx.conf and keeps the last good one; new routes, auth and secrets are served",
    );
  }

  #retryLater(): number {
    const delay = this.#backoff.failed();
    this.#notifyAfter(delay);
    return delay;
  }

  #notifyAfter(delay: number, cause?: ChangeCause): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.notify(cause);
    }, delay);
    this.#retry.unref();
  }
}

/** Fields for the log: a bug has a stack, a problem of the environment does not need one. */
function reasonOf(error: unknown): object {
  if (!(error instanceof Error)) return { reason: String(error) };
  const isExpected = error instanceof NginxRefused || error instanceof EnvironmentError;
  return { reason: error.message, ...(!isExpected && { stack: error.stack }) };
}

/** Measures one apply, and reports it. */
export class ApplyWatch {
  readonly #observe: Observe;
  readonly #changes: Pick<RecentChanges, "record"> | undefined;
  readonly #start = performance.now();
  #compiledAt: number | undefined;

  constructor({
    observe,
    changes,
  }: Pick<ConstructorParameters<typeof ApplyLoop>[0], "observe" | "changes">) {
    this.#observe = observe;
    this.#changes = changes;
    observe("applying");
  }

  compiled(): void {
    this.#compiledAt = performance.now();
  }

  /** Returns the milliseconds that it took. */
  applied(applied: Applied): number {
    const { kind, version, refused, unwritten } = applied;
    const outcome = refused !== undefined ? "refused" : unwritten !== undefined ? "error" : kind;
    return this.ended(outcome, { version, reason: refused ?? unwritten });
  }

  failed(error: unknown): void {
    const outcome = error instanceof NginxRefused ? "refused" : "error";
    this.ended(outcome, { reason: errorText(error) });
  }

  ended(
    outcome: RunEvents["applied"][0],
    { version, reason }: { readonly version?: string; readonly reason?: string | undefined },
  ): number {
    const now = performance.now();
    const compiledAt = this.#compiledAt;
    const times =
      compiledAt === undefined
        ? {}
        : { compile: (compiledAt - this.#start) / 1000, apply: (now - compiledAt) / 1000 };
    const milliseconds = Math.round(now - this.#start);
    this.#observe("applied", outcome, times, version);
    this.#changes?.record({
      ...{ outcome, milliseconds },
      ...(version !== undefined && { version }),
      ...(reason !== undefined && { reason }),
    });
    return milliseconds;
  }
}

/** Ports that nginx could not listen on, for CompileOptions; they are left out until they are free. */
class UnavailablePorts {
  #places: readonly string[] = [];
  /** Left out of one reload only, which closes a socket of nginx itself that is in their way. */
  #blocked: readonly string[] = [];
  /** Where nginx listens now. */
  #own: readonly string[] = [];

  get places(): readonly string[] {
    return [...new Set([...this.#places, ...this.#blocked])].sort();
  }

  /** Whether some are left out of this reload only. */
  get isInterim(): boolean {
    return this.#blocked.length > 0;
  }

  block(places: readonly string[]): void {
    this.#blocked = places;
  }

  listens(places: readonly string[]): void {
    this.#own = places;
  }

  /** False if all of them were known: leaving them out did not help. */
  add(places: readonly string[]): boolean {
    const all = [...new Set([...this.#places, ...places])].sort();
    const grew = all.length > this.#places.length;
    this.#places = all;
    return grew;
  }

  /** Forgets the ports that are free now; true if there are any. */
  async release(): Promise<boolean> {
    const taken: string[] = [];
    for (const place of this.#places) if (!(await isFree(place, this.#own))) taken.push(place);
    const isFewer = taken.length < this.#places.length;
    this.#places = taken;
    return isFewer;
  }
}
