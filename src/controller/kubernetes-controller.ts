/**
 * Objects of an API server → a data plane that serves them: watches, compiles, applies; and when every worker serves what was
 * compiled, says so in the objects' statuses.
 */
import type { KindName } from "../api/kinds.js";
import { compile, Compiler } from "../compile.js";
import { kindTable } from "../input/kind-table.js";
import { LiveObjects } from "../input/live-objects.js";
import type { ApiClient } from "../kubernetes/api-client.js";
import { ClusterWatch } from "../kubernetes/cluster-watch.js";
import type { RawObject } from "../kubernetes/raw-object.js";
import type { WatchScope } from "../kubernetes/scope.js";
import { differInUnreadOnly } from "../status/status-only.js";
import type { CompileOptions } from "../options.js";
import type { Applied } from "../output/apply.js";
import type { RenderedFile } from "../render/rendered-file.js";
import type { Compiled } from "./apply-loop.js";
import { ApplyLoop } from "./apply-loop.js";
import type { Controller, ServedSummary } from "./controller.js";
import { portsOf } from "./controller.js";
import { DiagnosticLog } from "./diagnostic-log.js";
import type { Log } from "./log.js";
import { countByKind } from "./object-counts.js";
import type { Observer } from "./observer.js";
import type { Replica } from "./status-publisher.js";
import { StatusPublisher } from "./status-publisher.js";

export interface KubernetesControllerOptions {
  readonly client: ApiClient;
  readonly options: CompileOptions;
  readonly scope: WatchScope;
  readonly replica: Replica;
  readonly log: Log;
  readonly observer: Observer;
  /** Files that do not come from compiling: the Lua code and what the machine needs. */
  readonly fixedFiles: readonly RenderedFile[];
  readonly apply: (files: readonly RenderedFile[]) => Promise<Applied>;
}

export class KubernetesController implements Controller {
  readonly #setup: KubernetesControllerOptions;
  readonly #objects: LiveObjects;
  readonly #raw = new Map<string, RawObject>();
  readonly #watch: ClusterWatch;
  readonly #diagnostics: DiagnosticLog;
  readonly #publisher: StatusPublisher;
  readonly #loop: ApplyLoop;
  readonly #compiler = new Compiler();
  #served: ServedSummary = { ports: [], objects: 0 };

  constructor(setup: KubernetesControllerOptions) {
    const { client, options, scope, log, observer } = setup;
    this.#setup = setup;
    this.#objects = new LiveObjects({ albGroup: options.domains.group });
    this.#diagnostics = new DiagnosticLog(log);
    this.#watch = new ClusterWatch({
      client,
      scope,
      table: kindTable(options.domains.group),
      onObject: (kind, object) => {
        this.#put(kind, object);
      },
      onGone: (kind, object) => {
        this.#delete(kind, object);
      },
      onError: (kind, { status, message }) => {
        observer.watchFailed(kind);
        log.warn({ kind, status, reason: message }, "a watch was lost; it goes on");
      },
      onDiscoveryError: (error) => {
        observer.watchFailed("discovery");
        log.warn({ reason: String(error) }, "the API server can't be asked what it serves");
      },
    });
    this.#publisher = new StatusPublisher({
      client,
      log,
      observer,
      controllerName: options.controllerName,
      controllerAnnotation: `${options.domains.annotations}/controller-name`,
      namespaces: scope.namespaces,
      hides: scope.labelSelector !== "",
      replica: setup.replica,
      resourceOf: (kind) => this.#watch.resourceOf(kind),
      current: (kind, namespace, name) => this.#raw.get(rawKey(kind, namespace, name)),
    });
    this.#loop = new ApplyLoop({
      log,
      observer,
      compile: () => Promise.resolve(this.#compile()),
      apply: setup.apply,
    });
  }

  /** Resolves when everything is known that is there: nothing is compiled from a part of the cluster. */
  async start(): Promise<void> {
    await this.#watch.start();
    const kinds = this.#watch.resources.map(({ kind }) => kind);
    this.#setup.log.info({ objects: this.#objects.size, kinds }, "watching the cluster");
  }

  compileFiles(): Promise<readonly RenderedFile[]> {
    return Promise.resolve(this.#compile().files);
  }

  emptyFiles(): readonly RenderedFile[] {
    const { options, fixedFiles } = this.#setup;
    const none = new LiveObjects({ albGroup: options.domains.group }).snapshot();
    const compilation = compile(none.resources, options);
    this.#served = { ports: portsOf(compilation), objects: 0 };
    return [...compilation.files, ...fixedFiles];
  }

  get served(): ServedSummary {
    return this.#served;
  }

  get firstServed(): Promise<void> {
    return this.#loop.firstServed;
  }

  exclude(unavailablePorts: readonly string[], reason: string): boolean {
    return this.#loop.exclude(unavailablePorts, reason);
  }

  notify(): void {
    this.#loop.notify();
  }

  open(): void {
    this.#publisher.start();
    this.#loop.open();
  }

  refresh(): Promise<void> {
    return this.#loop.refresh();
  }

  async close(): Promise<void> {
    await this.#watch.close();
    await this.#loop.close();
    await this.#publisher.close();
    this.#setup.client.close();
  }

  #compile(): Compiled {
    const { options, fixedFiles } = this.#setup;
    const input = this.#objects.snapshot();
    const { unavailablePorts } = this.#loop;
    const compilation = this.#compiler.compile(input.resources, { ...options, unavailablePorts });
    const diagnostics = [...input.diagnostics, ...compilation.diagnostics];
    if (!this.#loop.isInterim) {
      this.#diagnostics.update(diagnostics);
      const objects = countByKind(input.resources);
      this.#setup.observer.compiled({ objects, diagnostics, unreadable: [] });
    }
    this.#served = { ports: portsOf(compilation), objects: this.#objects.size };
    return {
      files: [...compilation.files, ...fixedFiles],
      served: () => {
        const { statuses, objects } = compilation;
        this.#publisher.publish({ statuses, objects, diagnostics });
      },
    };
  }

  #put(kind: KindName, object: RawObject): void {
    const { name, namespace = "" } = object.metadata;
    const key = rawKey(kind, namespace, name);
    const before = this.#raw.get(key);
    this.#raw.set(key, object);
    this.#objects.put(kind, namespace, name, object);
    this.#publisher.observe(kind, object, before);
    // Most of what a controller hears are the statuses that it writes itself.
    const isStatus = before !== undefined && differInUnreadOnly(kind, before, object);
    if (!isStatus || !this.#publisher.recheck(kind, object)) this.#loop.notify(URGENT.has(kind));
  }

  #delete(kind: KindName, object: RawObject): void {
    const { name, namespace = "" } = object.metadata;
    this.#raw.delete(rawKey(kind, namespace, name));
    this.#objects.delete(kind, namespace, name);
    this.#publisher.observeGone(kind, object);
    this.#loop.notify(URGENT.has(kind));
  }
}

/** Requests fail until they are followed, and only the upstreams are compiled for them. */
const URGENT: ReadonlySet<string> = new Set(["EndpointSlice"]);

function rawKey(kind: string, namespace: string, name: string): string {
  return `${kind} ${namespace} ${name}`;
}
