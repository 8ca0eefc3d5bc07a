import type { Compilation } from "../compile.js";
import { compile, Compiler } from "../compile.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { KIND_NAMES } from "../api/kinds.js";
import { LiveObjects } from "../input/live-objects.js";
import type { Resources } from "../input/resources.js";
import type { CompileOptions } from "../options.js";
import type { Applied } from "../output/apply.js";
import type { RenderedFile } from "../render/rendered-file.js";
import type { Compiled } from "./apply-loop.js";
import { ApplyLoop } from "./apply-loop.js";
import type { Controller, ServedSummary } from "./controller.js";
import { DiagnosticLog } from "./diagnostic-log.js";
import type { Log } from "./log.js";
import type { Observer } from "./observer.js";

export interface ControllerOptions {
  readonly options: CompileOptions;
  readonly log: Log;
  readonly observer: Observer;
  /** Files that do not come from compiling: the Lua code and what the machine needs. */
  readonly fixedFiles: readonly RenderedFile[];
  readonly apply: (files: readonly RenderedFile[]) => Promise<Applied>;
}

/** The objects as they are now. */
export interface CurrentObjects {
  readonly resources: Resources;
  readonly diagnostics: readonly Diagnostic[];
  readonly unreadable: readonly string[];
  /** How many objects of kinds that are read there are. */
  readonly objects: number;
}

/** Compiles objects and applies them, wherever they come from: at the start, and again at each change. */
export abstract class CompilingController implements Controller {
  readonly #setup: ControllerOptions;
  readonly #diagnostics: DiagnosticLog;
  readonly #compiler = new Compiler();
  protected readonly loop: ApplyLoop;
  #served: ServedSummary = { ports: [], objects: 0 };

  constructor(setup: ControllerOptions) {
    const { log, observer, apply } = setup;
    this.#setup = setup;
    this.#diagnostics = new DiagnosticLog(log);
    this.loop = new ApplyLoop({ log, observer, compile: () => this.#compile(), apply });
  }

  protected abstract read(): Promise<CurrentObjects>;

  /** Every worker serves the compilation. */
  protected abstract publish(compilation: Compilation, diagnostics: readonly Diagnostic[]): void;

  async compileFiles(): Promise<readonly RenderedFile[]> {
    return (await this.#compile()).files;
  }

  emptyFiles(): readonly RenderedFile[] {
    const { options, fixedFiles } = this.#setup;
    const none = new LiveObjects({ albGroup: options.domains.group }).snapshot();
    const compilation = compile(none.resources, options);
    this.#served = { ports: portsOf(compilation), objects: 0 };
    return [...compilation.files, ...fixedFiles];
  }

  async #compile(): Promise<Compiled> {
    const { options, observer, fixedFiles } = this.#setup;
    const { resources, unreadable, objects, ...input } = await this.read();
    const { unavailablePorts } = this.loop;
    const compilation = this.#compiler.compile(
      resources,
      { ...options, unavailablePorts },
      Date.now(),
    );
    const { certificates } = compilation;
    const diagnostics = [...input.diagnostics, ...compilation.diagnostics];
    if (!this.loop.isInterim) {
      this.#diagnostics.update(diagnostics);
      const counts = new Map(KIND_NAMES.map((kind) => [kind, resources.list(kind).length]));
      observer.compiled({ objects: counts, diagnostics, certificates, unreadable });
    }
    this.#served = { ports: portsOf(compilation), objects };
    return {
      files: [...compilation.files, ...fixedFiles],
      certificates,
      served: () => {
        this.publish(compilation, diagnostics);
      },
    };
  }

  get served(): ServedSummary {
    return this.#served;
  }

  get firstServed(): Promise<void> {
    return this.loop.firstServed;
  }

  exclude(unavailablePorts: readonly string[], reason: string): boolean {
    return this.loop.exclude(unavailablePorts, reason);
  }

  notify(): void {
    this.loop.notify();
  }

  open(): void {
    this.loop.open();
  }

  refresh(): Promise<void> {
    return this.loop.refresh();
  }

  close(): Promise<void> {
    return this.loop.close();
  }
}

function portsOf({ config }: Compilation): readonly number[] {
  const bound = [...config.servers, ...config.streams];
  return [...new Set(bound.map(({ port }) => port))].sort((a, b) => a - b);
}
