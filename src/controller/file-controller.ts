/**
 * Manifests in files → a data plane that serves them: reads, compiles, applies, once at the start and again at each change.
 * Nothing in the input ends it: what can't be read keeps its last good content, what nginx refuses is not applied.
 */
import { compile } from "../compile.js";
import type { Compilation } from "../compile.js";
import type { Resources } from "../input/resources.js";
import { advance, initialInput } from "../input/last-good.js";
import type { InputState } from "../input/last-good.js";
import type { Source } from "../input/source.js";
import type { CompileOptions } from "../options.js";
import type { Applied } from "../output/apply.js";
import { NginxRefused } from "../output/reloader.js";
import type { RenderedFile } from "../render/rendered-file.js";
import { EnvironmentError } from "../support/environment-error.js";
import { servesByOptions } from "../translate/alb/load-balancers.js";
import { Batcher } from "./batcher.js";
import { DiagnosticLog } from "./diagnostic-log.js";
import type { Log } from "./log.js";

/** Milliseconds; together with compiling and swapping they must stay below 200. */
const QUIET_DELAY = 40;
const MAXIMUM_DELAY = 400;
/** Milliseconds after which a change that could not be applied is tried again: doubled each time, up to the longest. */
const FIRST_RETRY = 1000;
const LONGEST_RETRY = 60_000;

export interface FileControllerOptions {
  readonly options: CompileOptions;
  readonly log: Log;
  readonly readSources: () => Promise<readonly Source[]>;
  /** Files that do not come from compiling: the Lua code and what the machine needs. */
  readonly fixedFiles: readonly RenderedFile[];
  readonly apply: (files: readonly RenderedFile[]) => Promise<Applied>;
}

/** How much is served, for the log. */
export interface ServedSummary {
  /** Ascending. */
  readonly ports: readonly number[];
  /** Objects of kinds that are read. */
  readonly objects: number;
}

export class FileController {
  readonly #setup: FileControllerOptions;
  readonly #diagnostics: DiagnosticLog;
  readonly #batcher: Batcher;
  #input: InputState;
  #served: ServedSummary = { ports: [], objects: 0 };
  #byOptions = true;
  #open = false;
  #missed = false;
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(setup: FileControllerOptions) {
    this.#setup = setup;
    this.#diagnostics = new DiagnosticLog(setup.log);
    this.#input = initialInput({ albGroup: setup.options.domains.group });
    this.#batcher = new Batcher({
      quietDelay: QUIET_DELAY,
      maximumDelay: MAXIMUM_DELAY,
      handle: () => this.refresh(),
    });
  }

  /** What the files give now; the last good content where they can't be read. */
  async compileFiles(): Promise<readonly RenderedFile[]> {
    const sources = await this.#setup.readSources();
    const input = advance(this.#input, sources);
    this.#input = input.state;
    const compilation = compile(input.resources, this.#setup.options);
    this.#diagnostics.update([...input.diagnostics, ...compilation.diagnostics]);
    this.#reportLostAlbs(input.resources);
    this.#served = { ports: portsOf(compilation), objects: input.objects };
    return [...compilation.files, ...this.#setup.fixedFiles];
  }

  /** What the files that were compiled last serve. */
  get served(): ServedSummary {
    return this.#served;
  }

  /** What no file at all would give. */
  emptyFiles(): readonly RenderedFile[] {
    const none = advance(initialInput({ albGroup: this.#setup.options.domains.group }), []);
    const compilation = compile(none.resources, this.#setup.options);
    this.#served = { ports: portsOf(compilation), objects: none.objects };
    return [...compilation.files, ...this.#setup.fixedFiles];
  }

  /** Whoever removes the last ALB2 takes its auth and its ports away from all Ingresses, perhaps by mistake. */
  #reportLostAlbs(resources: Resources): void {
    const { options, log } = this.#setup;
    const before = this.#byOptions;
    this.#byOptions = servesByOptions({ resources, options });
    if (before || !this.#byOptions) return;
    const { httpPort, httpsPort } = options;
    log.warn(
      { httpPort, httpsPort },
      "the last ALB2 is gone: Ingresses are now served on the ports of the options, without its auth",
    );
  }

  /** Something at the paths has changed. Until `open` it is only remembered: the first files are being applied. */
  notify(): void {
    if (this.#open) this.#batcher.notify();
    else this.#missed = true;
  }

  /** The first files are applied: changes are taken from now on. */
  open(): void {
    this.#open = true;
    if (this.#missed) this.#batcher.notify();
  }

  /** Takes no further change; resolves when the one under way is applied. */
  close(): Promise<void> {
    clearTimeout(this.#retry);
    return this.#batcher.close();
  }

  /**
   * Reads, compiles and applies. What goes wrong is logged, the last good configuration stays, and it is tried again: a full
   * disk, a data plane without a free connection or a fault of ours may not hold up a revoked password for good.
   */
  async refresh(): Promise<void> {
    const { log, apply } = this.#setup;
    const start = performance.now();
    clearTimeout(this.#retry);
    try {
      const applied = await apply(await this.compileFiles());
      this.#failures = 0;
      const duration = Math.round(performance.now() - start);
      const level = applied.kind === "unchanged" ? "debug" : "info";
      log[level]({ kind: applied.kind, version: applied.version, duration }, "change applied");
    } catch (error: unknown) {
      const delay = this.#retryLater();
      log.error(
        { ...reasonOf(error), delay },
        "change not applied; the last good configuration stays",
      );
    }
  }

  #retryLater(): number {
    const delay = Math.min(FIRST_RETRY * 2 ** this.#failures++, LONGEST_RETRY);
    this.#retry = setTimeout(() => {
      this.notify();
    }, delay);
    // An albc that ends does not wait for it.
    this.#retry.unref();
    return delay;
  }
}

function portsOf({ config }: Compilation): readonly number[] {
  return [...new Set(config.servers.map(({ port }) => port))].sort((a, b) => a - b);
}

/** With where it happened, when it is no trouble of the machine but a bug. */
function reasonOf(error: unknown): object {
  if (!(error instanceof Error)) return { reason: String(error) };
  const isExpected = error instanceof NginxRefused || error instanceof EnvironmentError;
  return { reason: error.message, ...(!isExpected && { stack: error.stack }) };
}
