/**
 * Objects of an API server → a data plane that serves them: watches, compiles, applies; and when every worker serves what was
 * compiled, says so in the objects' statuses.
 */
import { isDeepStrictEqual } from "node:util";
import type { KubeConfig } from "@kubernetes/client-node";
import { compile } from "../compile.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { kindTable } from "../input/kind-table.js";
import { LiveObjects } from "../input/live-objects.js";
import type { ApiClient, ApiError } from "../kubernetes/api-client.js";
import { ClusterWatch } from "../kubernetes/cluster-watch.js";
import type { RawObject } from "../kubernetes/raw-object.js";
import type { Resource } from "../kubernetes/resource.js";
import type { WatchScope } from "../kubernetes/scope.js";
import type { CompileOptions } from "../options.js";
import type { RenderedFile } from "../render/rendered-file.js";
import type { ObjectStatus } from "../status/object-status.js";
import type { Compiled } from "./apply-loop.js";
import { DiagnosticLog } from "./diagnostic-log.js";
import type { Log } from "./log.js";

export interface KubernetesControllerOptions {
  readonly config: KubeConfig;
  readonly client: ApiClient;
  readonly options: CompileOptions;
  readonly scope: WatchScope;
  readonly log: Log;
  /** Files that do not come from compiling: the Lua code and what the machine needs. */
  readonly fixedFiles: readonly RenderedFile[];
  /** An object came, changed or went. */
  readonly onChange: () => void;
  /** A status was written, by us or by somebody else; nothing else of the object has changed. */
  readonly onStatusChange: () => void;
  /** Every worker serves what these statuses and diagnostics were computed with. */
  readonly onServed: (
    statuses: readonly ObjectStatus[],
    diagnostics: readonly Diagnostic[],
  ) => void;
}

export class KubernetesController {
  readonly #setup: KubernetesControllerOptions;
  readonly #objects: LiveObjects;
  readonly #raw = new Map<string, RawObject>();
  readonly #watch: ClusterWatch;
  readonly #diagnostics: DiagnosticLog;

  constructor(setup: KubernetesControllerOptions) {
    const { config, client, options, scope, log } = setup;
    this.#setup = setup;
    this.#objects = new LiveObjects({ albGroup: options.domains.group });
    this.#diagnostics = new DiagnosticLog(log);
    this.#watch = new ClusterWatch({
      config,
      client,
      scope,
      table: kindTable(options.domains.group),
      onObject: (resource, object) => {
        this.#put(resource, object);
      },
      onGone: (resource, object) => {
        this.#delete(resource, object);
      },
      onError: (resource, error) => {
        this.#lost(resource, error);
      },
      onDiscoveryError: (error) => {
        log.warn({ reason: String(error) }, "the API server can't be asked what it serves");
      },
    });
  }

  /** Resolves when everything is known that is there: nothing is compiled from a part of the cluster. */
  async start(): Promise<void> {
    await this.#watch.start();
    const kinds = this.#watch.resources.map(({ kind }) => kind);
    this.#setup.log.info({ objects: this.#objects.size, kinds }, "watching the cluster");
  }

  close(): Promise<void> {
    return this.#watch.close();
  }

  /** What the objects give now. */
  compile(): Compiled {
    const { options, fixedFiles, onServed } = this.#setup;
    const input = this.#objects.snapshot();
    const { files, diagnostics, statuses } = compile(input.resources, options);
    const all = [...input.diagnostics, ...diagnostics];
    this.#diagnostics.update(all);
    return {
      files: [...files, ...fixedFiles],
      served: () => {
        onServed(statuses, all);
      },
    };
  }

  /** What no object at all would give. */
  emptyFiles(): readonly RenderedFile[] {
    const { options, fixedFiles } = this.#setup;
    const none = new LiveObjects({ albGroup: options.domains.group }).snapshot();
    return [...compile(none.resources, options).files, ...fixedFiles];
  }

  /** The object as the API server gave it last. */
  raw(kind: string, namespace: string, name: string): RawObject | undefined {
    return this.#raw.get(rawKey(kind, namespace, name));
  }

  /** What is served of our kinds. */
  get resources(): readonly Resource[] {
    return this.#watch.resources;
  }

  #put(resource: Resource, object: RawObject): void {
    const { name, namespace = "" } = object.metadata;
    const key = rawKey(resource.kind, namespace, name);
    const before = this.#raw.get(key);
    this.#raw.set(key, object);
    this.#objects.put(resource.kind, namespace, name, object);
    if (before !== undefined && differInStatusOnly(before, object)) this.#setup.onStatusChange();
    else this.#setup.onChange();
  }

  #delete(resource: Resource, { metadata: { name, namespace = "" } }: RawObject): void {
    this.#raw.delete(rawKey(resource.kind, namespace, name));
    this.#objects.delete(resource.kind, namespace, name);
    this.#setup.onChange();
  }

  #lost({ kind }: Resource, error: ApiError): void {
    const { log } = this.#setup;
    log.warn({ kind, status: error.status, reason: error.message }, "a watch was lost; it goes on");
  }
}

/** Most of what a controller hears are the statuses that it writes itself. */
function differInStatusOnly(before: RawObject, after: RawObject): boolean {
  return isDeepStrictEqual(withoutStatus(before), withoutStatus(after));
}

function withoutStatus({ status: _status, metadata, ...object }: RawObject): object {
  const { resourceVersion: _version, ...rest } = metadata;
  return { ...object, metadata: rest };
}

function rawKey(kind: string, namespace: string, name: string): string {
  return `${kind} ${namespace} ${name}`;
}
