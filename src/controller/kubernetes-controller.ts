/**
 * Objects of an API server → a data plane that serves them: watches, compiles, applies; and when every worker serves what was
 * compiled, says so in the objects' statuses.
 */
import type { KindName } from "../api/kinds.js";
import type { Compilation } from "../compile.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { kindTable } from "../input/kind-table.js";
import { LiveObjects } from "../input/live-objects.js";
import type { ApiClient } from "../kubernetes/api-client.js";
import { ClusterWatch } from "../kubernetes/cluster-watch.js";
import type { RawObject } from "../kubernetes/raw-object.js";
import type { WatchScope } from "../kubernetes/scope.js";
import { isSameJson } from "../status/json.js";
import { differInUnreadOnly } from "../status/status-only.js";
import { errorText } from "../support/error-text.js";
import type { ControllerOptions, CurrentObjects } from "./compiling-controller.js";
import { CompilingController } from "./compiling-controller.js";
import type { Replica } from "./status-publisher.js";
import { StatusPublisher } from "./status-publisher.js";

export interface KubernetesControllerOptions extends ControllerOptions {
  readonly client: ApiClient;
  readonly scope: WatchScope;
  readonly replica: Replica;
}

export class KubernetesController extends CompilingController {
  readonly #setup: KubernetesControllerOptions;
  readonly #objects: LiveObjects;
  readonly #raw = new Map<string, RawObject>();
  readonly #watch: ClusterWatch;
  readonly #publisher: StatusPublisher;

  constructor(setup: KubernetesControllerOptions) {
    const { client, options, scope, log, observer } = setup;
    super(setup);
    this.#setup = setup;
    this.#objects = new LiveObjects({ albGroup: options.domains.group });
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
      onListedAgain: () => {
        this.#publisher.doubt();
      },
      onError: (kind, { status, message }) => {
        observer.watchFailed(kind);
        log.warn({ kind, status, reason: message }, "a watch was lost; it goes on");
      },
      onDiscoveryError: (error, isAgain) => {
        observer.watchFailed("discovery");
        log[isAgain ? "debug" : "error"](
          { reason: errorText(error) },
          "the API server can't be asked what it serves; it is asked again until it answers",
        );
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
  }

  /** Resolves when everything is known that is there: nothing is compiled from a part of the cluster. */
  async start(): Promise<void> {
    await this.#watch.start();
    const kinds = this.#watch.resources.map(({ kind }) => kind);
    this.#setup.log.info({ objects: this.#objects.size, kinds }, "watching the cluster");
  }

  override open(): void {
    this.#publisher.start();
    super.open();
  }

  override async close(): Promise<void> {
    await this.#watch.close();
    await super.close();
    await this.#publisher.close();
    this.#setup.client.close();
  }

  protected override read(): Promise<CurrentObjects> {
    return Promise.resolve({
      ...this.#objects.snapshot(),
      unreadable: [],
      objects: this.#objects.size,
    });
  }

  protected override publish(
    { statuses, objects }: Compilation,
    diagnostics: readonly Diagnostic[],
  ): void {
    this.#publisher.publish({ statuses, objects, diagnostics });
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
    // Two changes of a field that is read may cancel each other out: compiling then says nothing new.
    const isChecked = isStatus || !isSameJson(before?.status, object.status);
    const isSaid = isChecked && this.#publisher.recheck(kind, object);
    if (!isStatus || !isSaid) this.loop.notify(URGENT.has(kind));
  }

  #delete(kind: KindName, object: RawObject): void {
    const { name, namespace = "" } = object.metadata;
    this.#raw.delete(rawKey(kind, namespace, name));
    this.#objects.delete(kind, namespace, name);
    this.#publisher.observeGone(kind, object);
    this.loop.notify(URGENT.has(kind));
  }
}

/** Requests fail until they are followed, and only the upstreams are compiled for them. */
const URGENT: ReadonlySet<string> = new Set(["EndpointSlice"]);

function rawKey(kind: string, namespace: string, name: string): string {
  return `${kind} ${namespace} ${name}`;
}
