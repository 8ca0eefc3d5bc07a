/**
 * Objects → a data plane that serves them: reads, compiles and applies, at the start and after each change. No object can end it: a
 * broken one keeps its last good content, and a configuration that nginx refuses is not applied.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { KIND_NAMES } from "../api/kinds.js";
import { type Compilation, Compiler, compile } from "../compile.js";
import {
  type Diagnostic,
  type ResourceRef,
  type SourceLocation,
  formatFieldPath,
} from "../diagnostics/diagnostic.js";
import { changesOf } from "../diagnostics/known-diagnostics.js";
import { type Observe, runSummary } from "../health/run-health.js";
import type { Advance } from "../input/load.js";
import type { Resources } from "../input/resources.js";
import { LiveObjects } from "../input/object-store.js";
import type { CompileOptions } from "../model/options.js";
import type { Applied, Applier } from "../output/apply.js";
import { NginxNotStarted } from "../output/nginx-log.js";
import type { RecentChanges } from "../output/recent-changes.js";
import { NginxRefused } from "../output/reloader.js";
import type { RenderedFile } from "../render/rendered-file.js";
import { EnvironmentError, PolicyTooLarge, TooManyFaults } from "../support/errors.js";
import type { Log } from "../support/log.js";
import { memoized } from "../support/collections.js";
import { errorText } from "../support/text.js";
import { type Compiled, ApplyLoop, ApplyWatch } from "./apply-loop.js";
import { NginxRefusals } from "./nginx-refusals.js";
import { ReloadShares } from "./reload-shares.js";
import { ReloadTurns } from "./reload-turns.js";
import { leastWait, waitOf, waitingDiagnostics, withPendingStatuses } from "./waiting-changes.js";

/** Where the objects come from: files (FileSource) or a cluster (ClusterSource). */
export interface ObjectSource {
  /** Resolves when the first objects are known. `notify` is called after each change (see Batcher). */
  start(notify: () => void): Promise<void>;
  /** The first configuration is applied. */
  open?(): void;
  /** The objects as they are now. */
  read(): Promise<
    Pick<Advance, "resources" | "diagnostics" | "unreadable" | "broken" | "objects"> & {
      /** Objects that differ from those of the previous call; none at the first one. */
      readonly changed: readonly ChangedObject[];
    }
  >;
  /** Every worker serves this compilation. `diagnostics`: those of reading, too. */
  served?(compilation: Compilation, diagnostics: readonly Diagnostic[]): void;
  close(): Promise<void>;
}

export interface ChangedObject extends Pick<ResourceRef, "kind" | "namespace" | "name"> {
  readonly removed: boolean;
}

interface ControllerOptions {
  readonly options: CompileOptions;
  readonly log: Log;
  readonly observe: Observe;
  /** Files that are not compiled from objects: the Lua code, and facts about this machine. */
  readonly fixedFiles: readonly RenderedFile[];
  readonly apply: (files: readonly RenderedFile[], isAwaited: () => boolean) => Promise<Applied>;
  /** Absent: there are no old workers. */
  readonly nginx?: Pick<Applier, "draining">;
  /** Tests files that are not to be served (Applier.probe); absent: nginx tests a configuration only when it is reloaded. */
  readonly probe?: ((files: readonly RenderedFile[]) => Promise<void>) | undefined;
  /** Called when something has changed: `apply` may follow. */
  readonly expect?: () => void;
  readonly changes?: Pick<RecentChanges, "note" | "record" | "because" | "know">;
}

/** How to start the nginx that albc runs: write its first files (Applier.prepare), then start it (NginxProcess.start). */
interface FirstStart {
  readonly prepare: (files: readonly RenderedFile[]) => Promise<Applied>;
  readonly start: () => Promise<void>;
}

export class Controller {
  readonly #source: ObjectSource;
  readonly #setup: ControllerOptions;
  readonly #diagnostics: DiagnosticLog;
  readonly #compiler = new Compiler();
  readonly #loop: ApplyLoop;
  readonly #refusals: NginxRefusals<Resources>;
  readonly #turns: ReloadTurns;
  /** Of the last compilation. */
  #resources: Resources | undefined;
  #search: Promise<void> | undefined;
  #isClosed = false;
  #served: { readonly ports: readonly number[]; readonly objects: number } = {
    ports: [],
    objects: 0,
  };

  constructor(source: ObjectSource, setup: ControllerOptions) {
    const { log, observe, apply, expect, changes, probe, nginx } = setup;
    this.#source = source;
    this.#setup = setup;
    this.#diagnostics = new DiagnosticLog(log);
    this.#loop = new ApplyLoop({
      ...{ log, observe, apply, changes, ...(expect && { expect }) },
      compile: () => this.#compile(),
      onRefused: () => {
        this.#search ??= this.#searchBeside().finally(() => (this.#search = undefined));
      },
    });
    this.#turns = new ReloadTurns({
      shares: new ReloadShares(setup.options.dataPlane.drainTimeout * 1000),
      draining: async () => (await nginx?.draining()) ?? { generations: [], most: 0 },
      isolates: probe === undefined,
    });
    this.#refusals = new NginxRefusals(log, (resources, options) => this.#test(resources, options));
  }

  /** Resolves when the first objects are known. Throws EnvironmentError. */
  start(): Promise<void> {
    return this.#source.start(() => {
      this.#loop.notify();
    });
  }

  /**
   * Compiles, and starts nginx with the result; with nothing if nginx refuses that or it is too large, because no object may keep albc
   * from starting. Throws EnvironmentError.
   */
  async startNginx(nginx: FirstStart): Promise<void> {
    const { log, observe } = this.#setup;
    const watch = new ApplyWatch(this.#setup);
    try {
      watch.ended("started", { version: await this.#startLeavingOut(nginx, watch) });
    } catch (error: unknown) {
      watch.failed(error);
      const what = refusal(error);
      if (what === undefined || !(error instanceof Error)) throw error;
      log.error({ reason: error.message }, `${what}; nothing is served until that is repaired`);
      observe("servesNothing");
      await this.#prepareNothing(nginx);
      await nginx.start();
    }
  }

  /** The ports and the number of objects that the last compilation serves. Ports are in ascending order. */
  get served(): { readonly ports: readonly number[]; readonly objects: number } {
    return this.#served;
  }

  /** Resolves when every worker serves a compilation for the first time. */
  get firstServed(): Promise<void> {
    return this.#loop.firstServed;
  }

  /** The source does not see it. */
  nginxRestarted(): void {
    this.#loop.notify("nginx restarted");
  }

  /** The first files are applied: the controller takes changes from now on. */
  open(): void {
    this.#source.open?.();
    this.#loop.open();
  }

  /** Compiles and applies now. Does not throw. */
  refresh(): Promise<void> {
    return this.#loop.refresh();
  }

  /** Takes no further change; resolves when the change under way is applied. */
  async close(): Promise<void> {
    await this.#loop.close();
    this.#isClosed = true;
    await this.#search;
    await this.#source.close();
  }

  async #compile(): Promise<Compiled> {
    const { observe, changes } = this.#setup;
    const { resources, unreadable, broken, objects, changed, ...input } = await this.#source.read();
    changes?.note(changed.map(nameOf));
    // Between these steps, watches and answers of the API server are taken.
    await nextTurn();
    const { isInterim } = this.#loop;
    this.#resources = resources;
    const newest = await this.#compilation(resources);
    const plan = await this.#turns.plan(resources, newest, (other) => this.#compilation(other));
    const { files, loadable, waiting } = plan;
    const { certificates } = newest;
    const held = waitingDiagnostics(waiting, resources);
    const diagnostics = [...input.diagnostics, ...newest.diagnostics, ...held];
    if (!isInterim) {
      this.#diagnostics.update(diagnostics);
      changes?.know({ waiting: waiting.map(waitOf), unreadable, broken });
      const counts = new Map(KIND_NAMES.map((kind) => [kind, resources.list(kind).length]));
      observe("compiled", runSummary({ objects: counts, diagnostics, certificates, unreadable }));
    }
    this.#served = { ports: portsOf(loadable), objects };
    return {
      ...{ files, applied: plan.applied, refused: plan.refused },
      held: leastWait(waiting, this.#refusals.held(resources)),
      expiries: certificates.map(({ certificate }) => certificate.expires),
      served: () =>
        this.#source.served?.(withPendingStatuses(loadable, newest, waiting), diagnostics),
    };
  }

  async #compilation(resources: Resources): Promise<Compilation> {
    const render = this.#compiler.translate(resources, {
      ...this.#options(),
      refusedObjects: this.#refusals.among(resources),
    });
    await nextTurn();
    const compilation = render(Date.now());
    return { ...compilation, files: [...compilation.files, ...this.#setup.fixedFiles] };
  }

  /** Leaves out ports that nginx can't listen on, even if none is left. Returns the version of the policy. */
  async #startLeavingOut(nginx: FirstStart, watch: ApplyWatch): Promise<string> {
    const { files, applied } = await this.#compile();
    watch.compiled();
    try {
      const prepared = await nginx.prepare(files);
      await nginx.start();
      applied?.(prepared);
      return prepared.version;
    } catch (error: unknown) {
      if (!(error instanceof NginxRefused || error instanceof NginxNotStarted)) throw error;
      const { unavailablePorts, message } = error;
      const isOther =
        this.#loop.exclude(unavailablePorts, message) ||
        (error instanceof NginxRefused && (await this.#searchObjects()));
      if (!isOther) throw error;
      return this.#startLeavingOut(nginx, watch);
    }
  }

  #options(): CompileOptions {
    return { ...this.#setup.options, unavailablePorts: this.#loop.unavailablePorts };
  }

  /** Changes are applied meanwhile, with the previous nginx.conf. Does not throw. */
  async #searchBeside(): Promise<void> {
    try {
      if (await this.#searchObjects()) this.#loop.notify();
    } catch (error: unknown) {
      this.#setup.log.error({ reason: errorText(error) }, "can't search what nginx refuses");
    }
  }

  /** Closes the objects that nginx refuses; false: it refuses none. */
  async #searchObjects(): Promise<boolean> {
    const resources = this.#resources;
    if (resources === undefined || this.#setup.probe === undefined) return false;
    return this.#refusals.search(resources, this.#options());
  }

  async #test(resources: Resources, options: CompileOptions): Promise<void> {
    const { fixedFiles, probe } = this.#setup;
    await nextTurn();
    if (this.#isClosed) throw new EnvironmentError("albc ends");
    const render = new Compiler().translate(resources, options);
    await nextTurn();
    await probe?.([...render(0).files, ...fixedFiles]);
  }

  async #prepareNothing({ prepare }: FirstStart): Promise<void> {
    const { options, fixedFiles } = this.#setup;
    const none = new LiveObjects({ albGroup: options.domains.group }).snapshot();
    const compilation = compile(none.resources, options);
    this.#served = { ports: portsOf(compilation), objects: 0 };
    try {
      await prepare([...compilation.files, ...fixedFiles]);
    } catch (cause: unknown) {
      if (!(cause instanceof NginxRefused)) throw cause;
      const message = `nginx refuses even an empty configuration: ${cause.message}`;
      throw new EnvironmentError(message, { cause });
    }
  }
}

function nameOf({ kind, namespace, name, removed }: ChangedObject): string {
  return `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}${removed ? " (removed)" : ""}`;
}

/** What the objects are to blame for; undefined if they are not. */
function refusal(error: unknown): string | undefined {
  if (error instanceof NginxRefused) return "nginx refuses the configuration";
  if (error instanceof TooManyFaults)
    return "albc fails on the objects because of a bug of its own";
  return error instanceof PolicyTooLarge ? "the objects are too many or too large" : undefined;
}

function portsOf({ config }: Compilation): readonly number[] {
  const bound = [...config.servers, ...config.streams];
  return [...new Set(bound.map(({ port }) => port))].sort((a, b) => a - b);
}

/** Logs each diagnostic once, when it appears. An update costs what differs from the one before. */
export class DiagnosticLog {
  readonly #log: Log;
  #known: readonly Diagnostic[] = [];
  /** How many of `#known` have the key. */
  readonly #counts = new Map<string, number>();

  constructor(log: Log) {
    this.#log = log;
  }

  update(diagnostics: readonly Diagnostic[]): void {
    const { fresh, gone } = changesOf(this.#known, diagnostics);
    this.#known = diagnostics;
    for (const diagnostic of fresh) {
      const count = this.#counts.get(keyOf(diagnostic)) ?? 0;
      this.#counts.set(keyOf(diagnostic), count + 1);
      if (count === 0) this.#write(diagnostic);
    }
    const before = this.#counts.size;
    for (const key of gone.map(keyOf)) {
      const count = this.#counts.get(key) ?? 0;
      if (count > 1) this.#counts.set(key, count - 1);
      else this.#counts.delete(key);
    }
    const left = this.#counts.size;
    if (left < before)
      this.#log.info({ resolved: before - left, left }, "diagnostics were resolved");
  }

  #write(diagnostic: Diagnostic): void {
    const { code, severity, message, resource, field, location, related, hint } = diagnostic;
    const fields = {
      code,
      ...(resource && { object: `${resource.kind} ${resource.namespace}/${resource.name}` }),
      ...(field && { field: formatFieldPath(field) }),
      ...(location && { place: placeText(location) }),
      ...(related && {
        related: related.map((other) => `${placeText(other.location)}: ${other.message}`),
      }),
      hint,
    };
    if (severity === "error") this.#log.error(fields, message);
    else if (severity === "warning") this.#log.warn(fields, message);
    else this.#log.info(fields, message);
  }
}

function placeText({ file, line, column }: SourceLocation): string {
  return `${file}:${String(line)}:${String(column)}`;
}

// Of a place in an object only the file: a diagnostic whose line moves is not new. Without an object the place says which one it is.
const keyOf = memoized(({ code, message, resource, field, location }: Diagnostic): string => {
  const place = resource === undefined ? location : location?.file;
  return JSON.stringify([code, message, resource, field, place]);
});
