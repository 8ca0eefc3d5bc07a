/**
 * Says in the cluster what became of its objects: statuses and events. Only the leader of several replicas does; each computes them, so
 * that another can go on at once.
 */
import type { Diagnostic, ResourceRef } from "../diagnostics/diagnostic.js";
import { formatFieldPath } from "../diagnostics/field-path.js";
import type { ApiClient } from "../kubernetes/api-client.js";
import type { ObjectEvent } from "../kubernetes/event-recorder.js";
import { EventRecorder } from "../kubernetes/event-recorder.js";
import { LeaderElection } from "../kubernetes/leader-election.js";
import { OwnedObjectClient } from "../kubernetes/owned-object-client.js";
import { OwnedObjects } from "../kubernetes/owned-objects.js";
import type { RawObject } from "../kubernetes/raw-object.js";
import type { Resource } from "../kubernetes/resource.js";
import { StatusWriter } from "../kubernetes/status-writer.js";
import { mergeStatus } from "../status/merge-status.js";
import type { ObjectStatus } from "../status/object-status.js";
import type { OwnedObject } from "../status/owned-object.js";
import { errorText } from "../support/error-text.js";
import type { Log } from "./log.js";
import type { Observer } from "./observer.js";

/** This replica, and where replicas agree on a leader. */
export interface Replica {
  readonly namespace: string;
  readonly identity: string;
}

export interface StatusPublisherOptions {
  readonly client: ApiClient;
  readonly controllerName: string;
  /** Annotation with the controller's name on what it makes. */
  readonly controllerAnnotation: string;
  /** The only ones that are looked at; none: all. */
  readonly namespaces: readonly string[];
  /** See StatusWriterOptions. */
  readonly hides: boolean;
  readonly replica: Replica;
  readonly log: Log;
  readonly observer: Pick<Observer, "statusWritten" | "leads">;
  readonly resourceOf: (kind: string) => Resource | undefined;
  readonly current: (kind: string, namespace: string, name: string) => RawObject | undefined;
}

/** What is to be said and made. */
export interface Published {
  readonly statuses: readonly ObjectStatus[];
  readonly objects: readonly OwnedObject[];
  readonly diagnostics: readonly Diagnostic[];
}

const NAME = "albc";
const LEASE = "albc-leader";
const NOT_OURS =
  "an object of that name is there that was not made for the Gateway; it is left alone";
const CONTESTED =
  "another controller keeps overwriting this status; it is written less and less often: let one controller serve the object (ingressClassName)";

export class StatusPublisher {
  readonly #options: StatusPublisherOptions;
  readonly #writer: StatusWriter;
  readonly #objects: OwnedObjects;
  readonly #events: EventRecorder;
  readonly #election: LeaderElection;
  #leads = false;
  #diagnostics: readonly Diagnostic[] = [];

  constructor(options: StatusPublisherOptions) {
    const { client, controllerName, replica, log, observer } = options;
    const { resourceOf, current, hides } = options;
    this.#options = options;
    this.#events = new EventRecorder(client, NAME);
    const mayWrite = (): boolean => this.#election.isLeader;
    this.#writer = new StatusWriter({
      client,
      fieldManager: NAME,
      resourceOf,
      current,
      hides,
      isGoing: (namespace) => this.#isGoing(namespace),
      mayWrite,
      merge: (object, computed, now) =>
        mergeStatus(object.status, computed, { controllerName, now }),
      onWritten: (kind, result) => {
        observer.statusWritten(kind, result);
      },
      onError: (error, { kind, metadata }) => {
        const object = `${kind} ${metadata.namespace}/${metadata.name}`;
        log.warn({ object, reason: errorText(error) }, "a status could not be written");
      },
      onContested: ({ kind, metadata }) => {
        log.warn({ object: `${kind} ${metadata.namespace}/${metadata.name}` }, CONTESTED);
        this.#recordEvents();
      },
    });
    this.#objects = this.#ownedObjects(mayWrite);
    this.#election = new LeaderElection({
      client,
      ...replica,
      name: LEASE,
      onChange: (leads) => {
        this.#lead(leads);
      },
      onError: (error) => {
        log.warn({ reason: errorText(error) }, "the leader's lease could not be renewed or taken");
      },
    });
  }

  start(): void {
    this.#election.start();
  }

  /** Every worker serves what these were computed with. */
  publish({ statuses, objects, diagnostics }: Published): void {
    this.#writer.update(statuses);
    this.#objects.update(objects);
    this.#diagnostics = diagnostics;
    this.#recordEvents();
  }

  /**
   * Nothing but the status of an object has changed. False when nothing is said of it, so that it must be found out whether there is
   * something to say now: it may hold what a former leader wrote.
   */
  recheck(kind: string, { metadata: { namespace = "", name } }: RawObject): boolean {
    this.#writer.recheck();
    return this.#writer.says(kind, namespace, name);
  }

  /** What was written may be lost. */
  doubt(): void {
    this.#writer.doubt();
  }

  /** What the watch tells of an object, which may be one that was made here. */
  observe(kind: string, object: RawObject, before: RawObject | undefined): void {
    const { namespace = "", name, resourceVersion } = object.metadata;
    this.#objects.observe(kind, namespace, name, resourceVersion);
    this.#writer.observe(before);
  }

  observeGone(kind: string, { metadata: { namespace = "", name } }: RawObject): void {
    this.#objects.observe(kind, namespace, name, undefined);
  }

  async close(): Promise<void> {
    await this.#writer.close();
    await this.#objects.close();
    await this.#election.close();
  }

  #ownedObjects(mayWrite: () => boolean): OwnedObjects {
    const { client, controllerName, controllerAnnotation, namespaces, current, log } =
      this.#options;
    return new OwnedObjects({
      client: new OwnedObjectClient({
        client,
        fieldManager: NAME,
        controllerName,
        annotation: controllerAnnotation,
      }),
      controllerName,
      namespaces,
      uidOf: (kind, namespace, name) => current(kind, namespace, name)?.metadata.uid,
      mayWrite,
      onRefused: ({ kind, metadata: { namespace, name }, owner }) => {
        const gateway = `${owner.kind} ${owner.namespace}/${owner.name}`;
        log.warn({ object: `${kind} ${namespace}/${name}`, owner: gateway }, NOT_OURS);
        this.#recordEvents();
      },
      onError: (error, object) => {
        log.warn({ object, reason: errorText(error) }, "an object could not be made or removed");
      },
    });
  }

  #lead(leads: boolean): void {
    this.#leads = leads;
    this.#options.observer.leads(leads);
    const { identity } = this.#options.replica;
    this.#options.log.info(
      { identity },
      leads ? "this replica leads" : "this replica leads no more",
    );
    this.#writer.enable(leads);
    this.#objects.enable(leads);
    this.#recordEvents();
  }

  #recordEvents(): void {
    if (!this.#leads || !this.#election.isLeader) return;
    const errors = this.#diagnostics.filter(({ severity }) => severity === "error");
    const warnings = this.#diagnostics.filter(({ severity }) => severity === "warning");
    const events = [
      ...[...errors, ...warnings].flatMap((diagnostic) => this.#eventOf(diagnostic) ?? []),
      ...this.#objects.refused.map((object) => this.#eventOfRefused(object)),
      ...this.#writer.contested.map(({ apiVersion, kind, metadata }) =>
        this.#warning({ apiVersion, kind, ...metadata }, "StatusContested", CONTESTED),
      ),
    ].filter(({ resource }) => !this.#isGoing(resource.namespace));
    this.#events.update(events).catch((error: unknown) => {
      this.#options.log.warn({ reason: errorText(error) }, "events could not be written");
    });
  }

  #isGoing(namespace: string): boolean {
    if (namespace === "") return false;
    const found = this.#options.current("Namespace", "", namespace);
    return found?.metadata.deletionTimestamp !== undefined;
  }

  #eventOf({ code, message, field, hint, resource }: Diagnostic): ObjectEvent | undefined {
    if (resource === undefined) return undefined;
    const place = field === undefined || field.length === 0 ? "" : `${formatFieldPath(field)}: `;
    const advice = hint === undefined ? "" : `; ${hint}`;
    return this.#warning(resource, camelCase(code), `${place}${message}${advice}`);
  }

  #eventOfRefused({ kind, metadata, owner }: OwnedObject): ObjectEvent {
    return this.#warning(owner, "NameTaken", `${kind} ${metadata.name}: ${NOT_OURS}`);
  }

  #warning(resource: ResourceRef, reason: string, message: string): ObjectEvent {
    const { kind, namespace, name } = resource;
    const uid = this.#options.current(kind, namespace, name)?.metadata.uid;
    return { resource, ...(uid !== undefined && { uid }), reason, message, type: "Warning" };
  }
}

/** `SERVICE_NOT_FOUND` as `ServiceNotFound`. */
function camelCase(code: string): string {
  return code
    .split("_")
    .map((word) => word.slice(0, 1) + word.slice(1).toLowerCase())
    .join("");
}
