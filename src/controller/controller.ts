/**
 * Objects → a data plane that serves them: reads, compiles and applies, once at the start and again at each change. Nothing in the
 * objects ends it: what can't be read keeps its last good content, what nginx refuses is not applied.
 */
import { KIND_NAMES } from "../api/kinds.js";
import type { Compilation } from "../compile.js";
import { compile, Compiler } from "../compile.js";
import type { Diagnostic, SourceLocation } from "../diagnostics/diagnostic.js";
import { formatFieldPath } from "../diagnostics/diagnostic.js";
import { LiveObjects } from "../input/live-objects.js";
import type { Resources } from "../input/resources.js";
import type { CompileOptions } from "../model/options.js";
import type { Applied } from "../output/apply.js";
import type { RenderedFile } from "../render/rendered-file.js";
import type { Log } from "../support/log.js";
import type { Compiled } from "./apply-loop.js";
import { ApplyLoop } from "./apply-loop.js";
import type { Observer } from "./observer.js";

/** Where the objects come from: files or a cluster. */
export interface ObjectSource {
  /** Resolves when the first objects are known. `notify` is called after each change (see Batcher). */
  start(notify: (isUrgent?: boolean) => void): Promise<void>;
  /** The first configuration is served. */
  open?(): void;
  read(): Promise<CurrentObjects>;
  /** Every worker serves this compilation. */
  served?(compilation: Compilation, diagnostics: readonly Diagnostic[]): void;
  close(): Promise<void>;
}

/** The objects as they are now. */
export interface CurrentObjects {
  readonly resources: Resources;
  readonly diagnostics: readonly Diagnostic[];
  /** Paths whose content was never known. */
  readonly unreadable: readonly string[];
  /** How many objects of kinds that are read there are. */
  readonly objects: number;
}

export interface ControllerOptions {
  readonly options: CompileOptions;
  readonly log: Log;
  readonly observer: Observer;
  /** Files that do not come from compiling: the Lua code and what the machine needs. */
  readonly fixedFiles: readonly RenderedFile[];
  readonly apply: (files: readonly RenderedFile[]) => Promise<Applied>;
}

/** How much is served, for the log. */
interface ServedSummary {
  /** Ascending. */
  readonly ports: readonly number[];
  /** Objects of kinds that are read. */
  readonly objects: number;
}

export class Controller {
  readonly #source: ObjectSource;
  readonly #setup: ControllerOptions;
  readonly #diagnostics: DiagnosticLog;
  readonly #compiler = new Compiler();
  readonly #loop: ApplyLoop;
  #served: ServedSummary = { ports: [], objects: 0 };

  constructor(source: ObjectSource, setup: ControllerOptions) {
    const { log, observer, apply } = setup;
    this.#source = source;
    this.#setup = setup;
    this.#diagnostics = new DiagnosticLog(log);
    this.#loop = new ApplyLoop({ log, observer, compile: () => this.#compile(), apply });
  }

  /** Resolves when the first objects are known. Throws EnvironmentError. */
  start(): Promise<void> {
    return this.#source.start((isUrgent) => {
      this.#loop.notify(isUrgent);
    });
  }

  /** What the objects give now. */
  async compileFiles(): Promise<readonly RenderedFile[]> {
    return (await this.#compile()).files;
  }

  /** What no object at all would give. */
  emptyFiles(): readonly RenderedFile[] {
    const { options, fixedFiles } = this.#setup;
    const none = new LiveObjects({ albGroup: options.domains.group }).snapshot();
    const compilation = compile(none.resources, options);
    this.#served = { ports: portsOf(compilation), objects: 0 };
    return [...compilation.files, ...fixedFiles];
  }

  /** What the configuration that was compiled last serves. */
  get served(): ServedSummary {
    return this.#served;
  }

  /** Resolves when every worker serves a compilation for the first time. */
  get firstServed(): Promise<void> {
    return this.#loop.firstServed;
  }

  /** Leaves these ports out until they are free; false when they are left out already. `reason`: for the log. */
  exclude(unavailablePorts: readonly string[], reason: string): boolean {
    return this.#loop.exclude(unavailablePorts, reason);
  }

  /** Something has changed that the source does not see: nginx was started again. */
  notify(): void {
    this.#loop.notify();
  }

  /** The first files are served: changes are taken from now on. */
  open(): void {
    this.#source.open?.();
    this.#loop.open();
  }

  /** Compiles and applies now. Does not throw. */
  refresh(): Promise<void> {
    return this.#loop.refresh();
  }

  /** Takes no further change; resolves when the one under way is applied. */
  async close(): Promise<void> {
    await this.#loop.close();
    await this.#source.close();
  }

  async #compile(): Promise<Compiled> {
    const { options, observer, fixedFiles } = this.#setup;
    const { resources, unreadable, objects, ...input } = await this.#source.read();
    const { unavailablePorts, isInterim } = this.#loop;
    const compilation = this.#compiler.compile(
      resources,
      { ...options, unavailablePorts },
      Date.now(),
    );
    const { certificates } = compilation;
    const diagnostics = [...input.diagnostics, ...compilation.diagnostics];
    if (!isInterim) {
      this.#diagnostics.update(diagnostics);
      const counts = new Map(KIND_NAMES.map((kind) => [kind, resources.list(kind).length]));
      observer.compiled({ objects: counts, diagnostics, certificates, unreadable });
    }
    this.#served = { ports: portsOf(compilation), objects };
    return {
      files: [...compilation.files, ...fixedFiles],
      certificates,
      served: () => this.#source.served?.(compilation, diagnostics),
    };
  }
}

function portsOf({ config }: Compilation): readonly number[] {
  const bound = [...config.servers, ...config.streams];
  return [...new Set(bound.map(({ port }) => port))].sort((a, b) => a - b);
}

/** Logs diagnostics as they come and go: one that stands for long is said once. */
export class DiagnosticLog {
  readonly #log: Log;
  #known: ReadonlySet<string> = new Set();

  constructor(log: Log) {
    this.#log = log;
  }

  update(diagnostics: readonly Diagnostic[]): void {
    const now = new Map(diagnostics.map((diagnostic) => [keyOf(diagnostic), diagnostic]));
    for (const [key, diagnostic] of now) {
      if (!this.#known.has(key)) this.#write(diagnostic);
    }
    const mended = [...this.#known].filter((key) => !now.has(key)).length;
    if (mended > 0) this.#log.info({ mended, left: now.size }, "diagnostics were mended");
    this.#known = new Set(now.keys());
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

// Not the place: moving lines of a file about says nothing new.
function keyOf({ code, message, resource, field }: Diagnostic): string {
  return JSON.stringify([code, message, resource, field]);
}
