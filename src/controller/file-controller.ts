/**
 * Manifests in files → a data plane that serves them: reads, compiles, applies, once at the start and again at each change.
 * Nothing in the input ends it: what can't be read keeps its last good content, what nginx refuses is not applied.
 */
import { compile, Compiler } from "../compile.js";
import type { Resources } from "../input/resources.js";
import { advance, initialInput } from "../input/last-good.js";
import type { InputState } from "../input/last-good.js";
import type { Source } from "../input/source.js";
import type { CompileOptions } from "../options.js";
import type { Applied } from "../output/apply.js";
import type { RenderedFile } from "../render/rendered-file.js";
import { ApplyLoop } from "./apply-loop.js";
import type { Controller, ServedSummary } from "./controller.js";
import { portsOf } from "./controller.js";
import { DiagnosticLog } from "./diagnostic-log.js";
import type { Log } from "./log.js";
import { countByKind } from "./object-counts.js";
import type { Observer } from "./observer.js";

export interface FileControllerOptions {
  readonly options: CompileOptions;
  readonly log: Log;
  readonly observer: Observer;
  readonly readSources: () => Promise<readonly Source[]>;
  /** Files that do not come from compiling: the Lua code and what the machine needs. */
  readonly fixedFiles: readonly RenderedFile[];
  readonly apply: (files: readonly RenderedFile[]) => Promise<Applied>;
}

export class FileController implements Controller {
  readonly #setup: FileControllerOptions;
  readonly #diagnostics: DiagnosticLog;
  readonly #loop: ApplyLoop;
  readonly #compiler = new Compiler();
  #input: InputState;
  #served: ServedSummary = { ports: [], objects: 0 };
  #byOptions = true;

  constructor(setup: FileControllerOptions) {
    this.#setup = setup;
    this.#diagnostics = new DiagnosticLog(setup.log);
    this.#input = initialInput({ albGroup: setup.options.domains.group });
    this.#loop = new ApplyLoop({
      log: setup.log,
      observer: setup.observer,
      compile: async () => ({ files: await this.compileFiles() }),
      apply: setup.apply,
    });
  }

  /** What the files give now; the last good content where they can't be read. */
  async compileFiles(): Promise<readonly RenderedFile[]> {
    const sources = await this.#setup.readSources();
    const input = advance(this.#input, sources);
    this.#input = input.state;
    const { unavailablePorts } = this.#loop;
    const compilation = this.#compiler.compile(input.resources, {
      ...this.#setup.options,
      unavailablePorts,
    });
    const diagnostics = [...input.diagnostics, ...compilation.diagnostics];
    if (!this.#loop.isInterim) {
      this.#diagnostics.update(diagnostics);
      const objects = countByKind(input.resources);
      this.#setup.observer.compiled({ objects, diagnostics, unreadable: input.unreadable });
    }
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
    this.#byOptions = options.alb === "" && isWithoutAlb(resources);
    if (before || !this.#byOptions) return;
    const { httpPort, httpsPort } = options;
    log.warn(
      { httpPort, httpsPort },
      "the last ALB2 is gone: Ingresses are now served on the ports of the options, without its auth",
    );
  }

  get firstServed(): Promise<void> {
    return this.#loop.firstServed;
  }

  exclude(unavailablePorts: readonly string[], reason: string): boolean {
    return this.#loop.exclude(unavailablePorts, reason);
  }

  /** Something at the paths has changed. */
  notify(): void {
    this.#loop.notify();
  }

  open(): void {
    this.#loop.open();
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  /** Reads, compiles and applies. Does not throw. */
  refresh(): Promise<void> {
    return this.#loop.refresh();
  }
}

/** Nobody has written an ALB2, not even one that can't be read. */
function isWithoutAlb(resources: Resources): boolean {
  const isRefused = resources.refused.some(({ kind }) => kind === "ALB2");
  return resources.list("ALB2").length === 0 && !isRefused;
}
