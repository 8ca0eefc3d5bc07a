/**
 * Objects of an API server, followed by watches. Once every worker serves a compilation, the leader of the replicas writes it back:
 * statuses, events, and the objects that belong to Gateways. Every replica computes them, so that another one can take over at once.
 */
import type { KindName } from "../api/kinds.js";
import { type Diagnostic, refKey } from "../diagnostics/diagnostic.js";
import type { Observe, StatusResult } from "../health/run-health.js";
import { kindTable } from "../input/kind-table.js";
import { LiveObjects } from "../input/object-store.js";
import type { ApiClient } from "../kubernetes/api-client.js";
import { type WatchScope, ClusterWatch } from "../kubernetes/cluster-watch.js";
import { EventRecorder, type ObjectEvent, eventsOf } from "../kubernetes/event-recorder.js";
import { LeaderElection } from "../kubernetes/leader-election.js";
import { OwnedObjects } from "../kubernetes/owned-objects.js";
import type { RawObject } from "../kubernetes/raw-object.js";
import { StatusWriter } from "../kubernetes/status-writer.js";
import type { CompileOptions } from "../model/options.js";
import {
  type ObjectStatus,
  type OwnedObject,
  differInUnreadOnly,
} from "../status/object-status.js";
import { getOrInsert, sameElements } from "../support/collections.js";
import { errorText } from "../support/text.js";
import type { Log } from "../support/log.js";
import type { ChangedObject, ObjectSource } from "./controller.js";

const LEASE = "albc-leader";
/** Milliseconds in which written statuses are counted before they are reported: a message to the health thread costs 0.2 ms. */
const COUNTING = 250;

export class ClusterSource {
  readonly #setup: ConstructorParameters<typeof ClusterSource>[0];
  readonly #objects: LiveObjects;
  readonly #watch: ClusterWatch;
  readonly #statuses: StatusWriter;
  readonly #owned: OwnedObjects;
  readonly #events: EventRecorder;
  readonly #election: LeaderElection;
  #diagnostics: readonly Diagnostic[] = [];
  /** Of `#diagnostics`. */
  #found: readonly ObjectEvent[] = [];
  /** Since the last reading, by key; undefined before the first one. */
  #changed: Map<string, ChangedObject> | undefined;
  /** Numbers of written statuses that are not reported yet, by kind. */
  readonly #written = new Map<string, Map<StatusResult, number>>();
  #notify: () => void = () => undefined;

  constructor(setup: {
    readonly client: ApiClient;
    readonly scope: WatchScope;
    /** This replica, and the namespace where replicas agree on a leader. */
    readonly replica: { readonly namespace: string; readonly identity: string };
    readonly options: CompileOptions;
    readonly log: Log;
    readonly observe: Observe;
  }) {
    const { client, options, scope, replica, log } = setup;
    const { controllerName, domains } = options;
    this.#setup = setup;
    this.#objects = new LiveObjects({ albGroup: domains.group });
    const watch = (this.#watch = this.#createWatch());
    const writer = {
      ...{ client, watch, controllerName, log },
      mayWrite: () => this.#election.isLeader,
      onProblem: () => {
        this.#recordEvents();
      },
    };
    this.#statuses = new StatusWriter({
      ...writer,
      hides: scope.labelSelector !== "",
      onWritten: (kind, result) => {
        this.#countWritten(kind, result);
      },
    });
    this.#owned = new OwnedObjects({
      ...writer,
      annotation: `${domains.annotations}/controller-name`,
    });
    this.#events = new EventRecorder({ client, watch, log });
    this.#election = new LeaderElection({
      ...{ client, ...replica, name: LEASE },
      onChange: (leads) => {
        this.#lead(leads);
      },
      onError: (error) => {
        log.warn({ reason: errorText(error) }, "could not renew or take the leader's lease");
      },
    });
  }

  /** Resolves when all existing objects are known, so that no part of a cluster is compiled alone. */
  async start(notify: () => void): Promise<void> {
    this.#notify = notify;
    await this.#watch.start();
    const kinds = this.#watch.resources.map(({ kind }) => kind);
    this.#setup.log.info({ objects: this.#objects.size, kinds }, "watching the cluster");
  }

  open(): void {
    this.#setup.observe("leads", false);
    this.#election.start();
  }

  read(): ReturnType<ObjectSource["read"]> {
    const objects = this.#objects.size;
    const changed = [...(this.#changed?.values() ?? [])];
    this.#changed = new Map();
    const files = { unreadable: [], broken: [] };
    return Promise.resolve({ ...this.#objects.snapshot(), ...files, objects, changed });
  }

  served(
    compilation: {
      readonly statuses: readonly ObjectStatus[];
      readonly objects: readonly OwnedObject[];
    },
    diagnostics: readonly Diagnostic[],
  ): void {
    this.#statuses.update(compilation.statuses);
    this.#owned.update(compilation.objects);
    if (!sameElements(diagnostics, this.#diagnostics)) this.#found = eventsOf(diagnostics);
    this.#diagnostics = diagnostics;
    this.#recordEvents();
  }

  async close(): Promise<void> {
    await this.#watch.close();
    await this.#statuses.close();
    await this.#owned.close();
    await this.#election.close();
    this.#setup.client.close();
  }

  #createWatch(): ClusterWatch {
    const { client, options, scope, log, observe } = this.#setup;
    return new ClusterWatch({
      client,
      scope,
      table: kindTable(options.domains.group),
      onObject: (kind, object, before) => {
        this.#put(kind, object, before);
      },
      onGone: (kind, object) => {
        this.#delete(kind, object);
      },
      onListedAgain: () => {
        this.#statuses.doubt();
      },
      onError: (kind, { status, message }) => {
        observe("watchFailed", kind);
        log.warn({ kind, status, reason: message }, "a watch was lost and is restarted");
      },
      onDiscoveryError: (error, isAgain) => {
        observe("watchFailed", "discovery");
        log[isAgain ? "debug" : "error"](
          { reason: errorText(error) },
          "the API server can't be asked what it serves; albc retries until it answers",
        );
      },
    });
  }

  #put(kind: KindName, object: RawObject, before: RawObject | undefined): void {
    const { name, namespace = "" } = object.metadata;
    this.#objects.put(kind, namespace, name, object);
    this.#owned.observe(kind, object);
    this.#statuses.observe(kind, object);
    // Most events are about statuses that albc itself has written.
    const isStatus = before !== undefined && differInUnreadOnly(kind, before, object);
    // An object without a computed status may still have one that an earlier leader wrote: only a compilation can tell.
    if (!isStatus) this.#noteChange({ kind, namespace, name, removed: false });
    else if (!this.#statuses.has(kind, namespace, name)) this.#notify();
  }

  #delete(kind: KindName, object: RawObject): void {
    const { name, namespace = "" } = object.metadata;
    this.#objects.delete(kind, namespace, name);
    this.#owned.observe(kind, object, true);
    this.#statuses.observe(kind, object);
    this.#noteChange({ kind, namespace, name, removed: true });
  }

  #noteChange(object: ChangedObject): void {
    this.#changed?.set(refKey(object), object);
    this.#notify();
  }

  #countWritten(kind: string, result: StatusResult): void {
    if (this.#written.size === 0) {
      setTimeout(() => {
        this.#reportWritten();
      }, COUNTING).unref();
    }
    const counts = getOrInsert(this.#written, kind, () => new Map<StatusResult, number>());
    counts.set(result, (counts.get(result) ?? 0) + 1);
  }

  #reportWritten(): void {
    for (const [kind, counts] of this.#written) {
      for (const [result, count] of counts)
        this.#setup.observe("statusesWritten", kind, result, count);
    }
    this.#written.clear();
  }

  #lead(leads: boolean): void {
    const { observe, log, replica } = this.#setup;
    observe("leads", leads);
    const message = leads ? "this replica leads" : "this replica no longer leads";
    log.info({ identity: replica.identity, leads }, message);
    this.#statuses.enable(leads);
    this.#owned.enable(leads);
    this.#recordEvents();
  }

  #recordEvents(): void {
    if (!this.#election.isLeader) return;
    const problems = [...this.#owned.problems, ...this.#statuses.problems];
    void this.#events.update([...this.#found, ...problems]);
  }
}
