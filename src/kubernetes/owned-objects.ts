/**
 * Makes the objects that belong to users' objects (a Gateway's Service and EndpointSlices) and keeps them as wanted: a level-triggered
 * loop gets an object, compares its version with the one that was last applied, and creates, applies or removes it. Fields that others
 * add stay; fields that others change are restored. An object that its owner does not control is left alone: a new object is created,
 * never applied onto an existing one, and an object is changed or removed only in the version that was read.
 */
import { listOf } from "../status/json.js";
import type { OwnedObject } from "../status/object-status.js";
import { KeyedBackoff } from "../support/backoff.js";
import { errorText } from "../support/text.js";
import { getOrInsert, groupBy } from "../support/collections.js";
import { isObject, own } from "../support/json-object.js";
import type { Log } from "../support/log.js";
import type { ApiClient } from "./api-client.js";
import { AGENT, ApiError, ifNotFound } from "./api-client.js";
import type { ClusterWatch } from "./cluster-watch.js";
import type { ObjectEvent } from "./event-recorder.js";
import type { RawObject } from "./raw-object.js";
import {
  MANAGED_BY,
  applyObject,
  createObject,
  getObject,
  keyOf,
  listPath,
  objectPath,
} from "./raw-object.js";
import { NEVER, WorkQueue } from "./work-queue.js";

interface OwnedObjectsOptions {
  readonly client: Pick<ApiClient, "call">;
  readonly watch: Pick<ClusterWatch, "get" | "resourceOf">;
  /** Several controllers may share a cluster: the annotation of an object names the controller that made it. */
  readonly controllerName: string;
  readonly annotation: string;
  /** Asked before each object (see WorkQueue). */
  readonly mayWrite: () => boolean;
  /** `problems` has a new entry. */
  readonly onProblem: () => void;
  readonly log: Pick<Log, "warn">;
  /** For tests. */
  readonly pauses?: typeof PAUSES;
}

/** An object that exists, as far as is known, or should exist. */
interface Entry {
  /** `made`: as wanted, when it was last looked at; `refused`: an object of others has the name. */
  outcome: "made" | "failed" | "refused";
  /** The wanted object and its owner's uid, as JSON, when it was made. */
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
const REMOVAL = "removal";
const CONFLICT = 409;
/** Kinds of objects that are made. */
const MADE: ReadonlySet<string> = new Set(["Service", "EndpointSlice"]);
const NOT_OURS =
  "an object of that name is there that was not made for the Gateway; it is left alone";

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
    this.#queue = new WorkQueue({
      work: (key) => this.#work(key),
      mayWork: () => options.mayWrite(),
    });
  }

  /** All objects that are wanted from now on. */
  update(objects: readonly OwnedObject[]): void {
    this.#wanted = new Map(objects.map((object) => [objectKey(object), object]));
    const dependents = groupBy([...this.#wanted.keys()], (key) => this.#requiredBy(key) ?? "");
    this.#dependents = dependents;
    for (const key of new Set([...this.#wanted.keys(), ...this.#entries.keys()]))
      this.#queue.add(key);
  }

  /** Whether this replica writes. */
  enable(enabled: boolean): void {
    this.#queue.enable(enabled);
  }

  /** The watch delivered this state of an object. */
  observe(kind: string, { metadata }: RawObject, isGone = false): void {
    const key = keyOf(kind, metadata);
    // An earlier leader may have made it.
    const isMarked = MADE.has(kind) && own(metadata.labels, MANAGED_BY) === AGENT && !isGone;
    const entry = isMarked ? getOrInsert(this.#entries, key, newEntry) : this.#entries.get(key);
    if (entry === undefined) return;
    const due = performance.now() + this.#pauses.changed;
    const isAsMade = entry.outcome === "made" && entry.version === metadata.resourceVersion;
    if (isGone) this.#backoff.succeeded(key);
    entry.due = isAsMade && !isGone ? NEVER : Math.min(entry.due, due);
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
    return requires && keyOf(requires.kind, { ...metadata, ...requires });
  }

  /** See WorkQueue. */
  async #work(key: string): Promise<number> {
    if (this.#wanted === undefined) return NEVER;
    const requiredKey = this.#requiredBy(key);
    const required = this.#entries.get(requiredKey ?? "");
    const object = required?.outcome === "refused" ? undefined : this.#wanted.get(key);
    const uid = object && this.#uidOf(object.owner.kind, object.owner);
    // Both come with an update, or when the required object is made.
    const isEarly =
      uid === undefined || (requiredKey !== undefined && required?.outcome !== "made");
    if (object !== undefined && isEarly) return NEVER;
    const entry = object ? getOrInsert(this.#entries, key, newEntry) : this.#entries.get(key);
    if (entry === undefined) return NEVER;
    const what = object === undefined ? REMOVAL : JSON.stringify([object, uid]);
    const isMade = entry.outcome === "made" && entry.what === what;
    const due = isMade ? entry.due : this.#backoff.dueOf(key, what);
    if (due !== undefined && performance.now() < due) return due;
    // What the watch delivers from now on needs another look.
    entry.due = NEVER;
    const done = object ? this.#make(object, uid ?? "", entry, what) : this.#remove(key, entry);
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
    if (error instanceof ApiError && error.status === CONFLICT) return this.#pauses.failed / 4;
    if (!(error instanceof ApiError && error.isOfDyingNamespace))
      this.#options.log.warn(
        { object: key, reason: errorText(error) },
        "could not create, change or remove an object; albc retries",
      );
    return this.#pauses.failed;
  }

  /** Returns the first pause before it is retried; undefined if it is made. */
  async #make(
    object: OwnedObject,
    uid: string,
    entry: Entry,
    what: string,
  ): Promise<number | undefined> {
    const { client } = this.#options;
    const { owner } = object;
    const key = objectKey(object);
    const path = this.#path(key);
    // The last call is for an object that others have created first.
    const live =
      (await getObject(client, path)) ??
      (await createObject(client, this.#path(key, listPath), this.#skeleton(object, uid))) ??
      (await getObject(client, path));
    if (live === undefined) throw new ApiError(CONFLICT, "", "created and removed at once");
    const controller = controllerOf(live);
    if (controller?.["uid"] === uid) {
      const { resourceVersion, uid: liveUid } = live.metadata;
      if (resourceVersion !== entry.version || entry.what !== what) {
        const body = this.#body(object, uid, { uid: liveUid, resourceVersion });
        const { metadata } = await applyObject(client, path, body);
        entry.version = metadata.resourceVersion ?? "";
      }
      entry.owner = uid;
      entry.what = what;
      this.#conclude(key, entry, "made");
      return undefined;
    }
    const isOfNamesake = controller?.["kind"] === owner.kind && controller["name"] === owner.name;
    // It was made for an owner that was removed and created again: the API server is about to remove it.
    if (isOfNamesake && this.#isMadeHere(live)) return this.#pauses.failed;
    if (entry.outcome !== "refused") {
      this.#conclude(key, entry, "refused");
      this.#options.log.warn({ object: key, owner: keyOf(owner.kind, owner) }, NOT_OURS);
      this.#options.onProblem();
    }
    return this.#pauses.refused;
  }

  /** Removes it only for a known owner: objects of other owners are removed by the API server, or by an albc that sees their owners. */
  async #remove(key: string, entry: Entry): Promise<undefined> {
    const path = this.#path(key);
    const live = await getObject(this.#options.client, path);
    const controller = live && controllerOf(live);
    if (live !== undefined && controller !== undefined && this.#isMadeHere(live)) {
      const { uid, resourceVersion, namespace } = live.metadata;
      const owner = { namespace, name: String(controller["name"]) };
      const owners = [entry.owner, this.#uidOf(String(controller["kind"]), owner)];
      const body = { preconditions: { uid, resourceVersion } };
      if (owners.includes(String(controller["uid"])))
        await this.#options.client.call({ method: "DELETE", path, body }).catch(ifNotFound);
    }
    this.#entries.delete(key);
  }

  /** Objects are created without their fields: those would stay when the object is later applied without them. */
  #skeleton(object: OwnedObject, uid: string): object {
    const metadata = { ...object.metadata, labels: {}, annotations: {} };
    return this.#body({ ...object, metadata, fields: object.skeleton }, uid);
  }

  #body(
    { apiVersion, kind, metadata, owner, fields }: OwnedObject,
    uid: string,
    more = {},
  ): object {
    const { annotation, controllerName } = this.#options;
    const { namespace: _namespace, ...reference } = owner;
    const whole = {
      ...{ ...metadata, ...more, ownerReferences: [{ ...reference, uid, controller: true }] },
      labels: { ...metadata.labels, [MANAGED_BY]: AGENT },
      annotations: { ...metadata.annotations, [annotation]: controllerName },
    };
    return { apiVersion, kind, metadata: whole, ...fields };
  }

  #isMadeHere({ metadata: { annotations } }: RawObject): boolean {
    return own(annotations, this.#options.annotation) === this.#options.controllerName;
  }

  #uidOf(kind: string, { namespace = "", name }: Parameters<typeof keyOf>[1]): string | undefined {
    return this.#options.watch.get(kind, namespace, name)?.metadata.uid;
  }

  #path(key: string, pathOf: typeof objectPath = objectPath): string {
    const [kind = "", namespace = "", name = ""] = key.split(/[ /]/);
    const resource = this.#options.watch.resourceOf(kind);
    if (resource === undefined) throw new ApiError(0, "", `${kind} is not served`);
    return pathOf(resource, namespace, name);
  }
}

function objectKey({ kind, metadata }: OwnedObject): string {
  return keyOf(kind, metadata);
}

function newEntry(): Entry {
  return { outcome: "failed", what: "", version: "", due: NEVER };
}

/** The owner reference that is marked as controller. */
function controllerOf({ metadata }: RawObject): Readonly<Record<string, unknown>> | undefined {
  const references = listOf("ownerReferences" in metadata ? metadata.ownerReferences : []);
  return references.filter(isObject).find(({ controller }) => controller === true);
}
