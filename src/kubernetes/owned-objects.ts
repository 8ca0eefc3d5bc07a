/**
 * Makes the objects that belong to users' objects (a Gateway's Service and EndpointSlices) and keeps them as wanted: a level-triggered
 * loop gets an object, compares its version with the last applied one, and creates, applies or removes it. Fields that others add stay;
 * fields that others change are restored. Objects of others are left alone: the version that was read is a precondition of each write.
 */
import type { OwnedObject } from "../status/object-status.js";
import { KeyedBackoff } from "../support/backoff.js";
import { getOrInsert, groupBy } from "../support/collections.js";
import { own } from "../support/json-object.js";
import { errorText } from "../support/text.js";
import { AGENT, ApiError } from "./api-client.js";
import type { ClusterWatch } from "./cluster-watch.js";
import type { ObjectEvent } from "./event-recorder.js";
import {
  type RawObject,
  MANAGED_BY,
  applyObject,
  controllerOf,
  deleteObject,
  getObject,
  getOrCreateObject,
  objectKey,
  objectPath,
} from "./raw-object.js";
import type { StatusWriterOptions } from "./status-writer.js";
import { NEVER, WorkQueue } from "./work-queue.js";

interface OwnedObjectsOptions extends Omit<StatusWriterOptions, "watch" | "hides" | "onWritten"> {
  readonly watch: Pick<ClusterWatch, "get" | "resourceOf">;
  /** Several controllers may share a cluster: this annotation of an object names the controller that made it. */
  readonly annotation: string;
  /** For tests. */
  readonly pauses?: typeof PAUSES;
}

/** What to make, and the uid of its owner. */
type Target = readonly [object: OwnedObject, uid: string];

/** An object that exists, as far as is known, or should exist. */
interface Entry {
  /** `made`: as wanted, when it was last looked at; `refused`: an object of others has the name. */
  outcome: "made" | "failed" | "refused";
  /** The target that was last tried (#targetOf), as JSON. */
  what: string;
  /** The version that our last write produced; empty: it must be written again. */
  version: string;
  /** The uid of the owner for which this replica made it. */
  owner?: string;
  /** The clock's time of the next look at a made object; NEVER: when the watch delivers another version. */
  due: number;
}

/**
 * Milliseconds: the first pauses after a failed call and after finding an object of others, the limit of their doubling, and the pause
 * before a change by others is undone, so that controllers do not race.
 */
const PAUSES = { failed: 1000, refused: 10_000, longest: 300_000, changed: 1000 };
/** Kinds of objects that are made. */
const MADE: ReadonlySet<string> = new Set(["Service", "EndpointSlice"]);
const NOT_DONE = "could not create, change or remove an object; albc retries";
const NOT_OURS =
  "an object with that name exists that was not made for the Gateway; albc leaves it alone";

const newEntry = (): Entry => ({ outcome: "failed", what: "", version: "", due: NEVER });

export class OwnedObjects {
  readonly #options: OwnedObjectsOptions;
  readonly #pauses: typeof PAUSES;
  readonly #backoff: KeyedBackoff;
  readonly #queue: WorkQueue;
  readonly #entries = new Map<string, Entry>();
  /** Undefined until it is known: all other objects that were made are removed. */
  #wanted: ReadonlyMap<string, OwnedObject> | undefined;
  /** Keys of wanted objects by the key of the object that they require. */
  #dependents: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(options: OwnedObjectsOptions) {
    this.#options = options;
    this.#pauses = options.pauses ?? PAUSES;
    this.#backoff = new KeyedBackoff(this.#pauses.longest, () => performance.now());
    this.#queue = new WorkQueue({ work: (key) => this.#work(key), mayWork: options.mayWrite });
  }

  /** All objects that are wanted from now on. */
  update(objects: readonly OwnedObject[]): void {
    this.#wanted = new Map(
      objects.map((object) => [objectKey(object.kind, object.metadata), object]),
    );
    this.#dependents = groupBy([...this.#wanted.keys()], (key) => this.#requiredBy(key) ?? "");
    for (const key of new Set([...this.#wanted.keys(), ...this.#entries.keys()]))
      this.#queue.add(key);
  }

  enable(enabled: boolean): void {
    this.#queue.enable(enabled);
  }

  /** The watch delivered this state of an object. */
  observe(kind: string, { metadata }: RawObject, isGone = false): void {
    const key = objectKey(kind, metadata);
    // An earlier leader may have made it.
    const isMarked = MADE.has(kind) && own(metadata.labels, MANAGED_BY) === AGENT && !isGone;
    const entry = isMarked ? getOrInsert(this.#entries, key, newEntry) : this.#entries.get(key);
    if (entry === undefined) return;
    const isAsMade = entry.outcome === "made" && entry.version === metadata.resourceVersion;
    const due = performance.now() + this.#pauses.changed;
    entry.due = isAsMade && !isGone ? NEVER : Math.min(entry.due, due);
    if (isGone) this.#backoff.succeeded(key);
    this.#queue.add(key, entry.due);
  }

  /** Objects that can't be made because objects of others have their names. */
  get problems(): readonly ObjectEvent[] {
    return [...(this.#wanted ?? [])].flatMap(([key, { kind, metadata, owner }]) => {
      const isRefused = this.#entries.get(key)?.outcome === "refused";
      const message = `${kind} ${metadata.name}: ${NOT_OURS}`;
      return isRefused ? [{ resource: owner, reason: "NameTaken", message }] : [];
    });
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  /** Key of the object without which this one is not made. */
  #requiredBy(key: string): string | undefined {
    const { metadata, requires } = this.#wanted?.get(key) ?? {};
    return requires && objectKey(requires.kind, { ...metadata, ...requires });
  }

  /** Undefined: wait for an update, or for the required object. */
  #targetOf(key: string): Target | "removal" | undefined {
    const object = this.#wanted?.get(key);
    const requiredKey = this.#requiredBy(key);
    const required = requiredKey === undefined ? "made" : this.#entries.get(requiredKey)?.outcome;
    if (object === undefined || required === "refused") return this.#wanted && "removal";
    const uid = this.#uidOf(object.owner.kind, object.owner);
    return uid === undefined || required !== "made" ? undefined : [object, uid];
  }

  /** See WorkQueue. */
  async #work(key: string): Promise<number> {
    const target = this.#targetOf(key);
    if (Array.isArray(target)) getOrInsert(this.#entries, key, newEntry);
    const entry = this.#entries.get(key);
    if (target === undefined || entry === undefined) return NEVER;
    const what = JSON.stringify(target);
    const isMade = entry.outcome === "made" && entry.what === what;
    const due = isMade ? entry.due : this.#backoff.dueOf(key, what);
    if (due !== undefined && performance.now() < due) return due;
    if (entry.what !== what) entry.version = "";
    entry.what = what;
    // What the watch delivers from now on needs another look.
    entry.due = NEVER;
    const done = target === "removal" ? this.#remove(key, entry) : this.#make(key, target, entry);
    const pause = await done.catch((error: unknown) => this.#failed(key, entry, error));
    if (pause !== undefined) return performance.now() + this.#backoff.failed(key, what, pause);
    this.#backoff.succeeded(key);
    return entry.due;
  }

  #conclude(key: string, entry: Entry, outcome: Entry["outcome"]): void {
    if (entry.outcome === outcome) return;
    entry.outcome = outcome;
    for (const dependent of this.#dependents.get(key) ?? []) this.#queue.add(dependent);
  }

  #failed(key: string, entry: Entry, error: unknown): number {
    entry.version = "";
    if (entry.outcome === "made") this.#conclude(key, entry, "failed");
    // Others write at the same time, or delete the namespace: no problem to report.
    if (error instanceof ApiError && error.isConflict) return this.#pauses.failed / 4;
    if (!(error instanceof ApiError && error.isOfDyingNamespace))
      this.#options.log.warn({ object: key, reason: errorText(error) }, NOT_DONE);
    return this.#pauses.failed;
  }

  /** Returns the first pause before it is retried; undefined if it is made. */
  async #make(key: string, [object, uid]: Target, entry: Entry): Promise<number | undefined> {
    const { client, log, onProblem } = this.#options;
    const { owner } = object;
    const path = this.#path(key);
    const live = await getOrCreateObject(client, path, this.#body(object, uid));
    const controller = controllerOf(live);
    if (controller?.["uid"] === uid) {
      if (live.metadata.resourceVersion !== entry.version) {
        const { metadata } = await applyObject(client, path, this.#body(object, uid, live));
        entry.version = metadata.resourceVersion ?? "";
      }
      entry.owner = uid;
      this.#conclude(key, entry, "made");
      return undefined;
    }
    const isOfNamesake = controller?.["kind"] === owner.kind && controller["name"] === owner.name;
    if (isOfNamesake && this.#isMadeHere(live)) {
      // It was made for an owner that was removed and created again: the API server is about to remove it.
      this.#conclude(key, entry, "failed");
      return this.#pauses.failed;
    }
    if (entry.outcome !== "refused") {
      this.#conclude(key, entry, "refused");
      log.warn({ object: key, owner: objectKey(owner.kind, owner) }, NOT_OURS);
      onProblem();
    }
    return this.#pauses.refused;
  }

  /** Removes it only for a known owner: objects of other owners are removed by the API server, or by an albc that sees their owners. */
  async #remove(key: string, entry: Entry): Promise<undefined> {
    const { client } = this.#options;
    const path = this.#path(key);
    const live = await getObject(client, path);
    const controller = live && controllerOf(live);
    if (live !== undefined && controller !== undefined && this.#isMadeHere(live)) {
      const owner = { ...live.metadata, name: String(controller["name"]) };
      const owners = [entry.owner, this.#uidOf(String(controller["kind"]), owner)];
      if (owners.includes(String(controller["uid"]))) await deleteObject(client, path, live);
    }
    this.#entries.delete(key);
  }

  /** Without `live`, what it is created with: any other field would stay when it is later applied without that field. */
  #body(object: OwnedObject, uid: string, live?: RawObject): object {
    const { annotation, controllerName } = this.#options;
    const { apiVersion, kind, metadata, owner } = object;
    const { namespace: _namespace, ...reference } = owner;
    const { labels, annotations } = live ? metadata : {};
    const whole = {
      ...{ name: metadata.name, namespace: metadata.namespace },
      ...(live && { uid: live.metadata.uid, resourceVersion: live.metadata.resourceVersion }),
      ownerReferences: [{ ...reference, uid, controller: true }],
      labels: { ...labels, [MANAGED_BY]: AGENT },
      annotations: { ...annotations, [annotation]: controllerName },
    };
    return { apiVersion, kind, metadata: whole, ...(live ? object.fields : object.skeleton) };
  }

  #isMadeHere({ metadata: { annotations } }: RawObject): boolean {
    return own(annotations, this.#options.annotation) === this.#options.controllerName;
  }

  #uidOf(
    kind: string,
    { namespace = "", name }: Parameters<typeof objectKey>[1],
  ): string | undefined {
    return this.#options.watch.get(kind, namespace, name)?.metadata.uid;
  }

  #path(key: string): string {
    const [kind = "", namespace = "", name = ""] = key.split(/[ /]/);
    const resource = this.#options.watch.resourceOf(kind);
    if (resource === undefined) throw new ApiError(0, "", `${kind} is not served`);
    return objectPath(resource, namespace, name);
  }
}
