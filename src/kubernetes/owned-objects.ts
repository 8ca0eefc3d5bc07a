/**
 * Makes the objects that belong to users' objects (a Gateway's Service and EndpointSlices) and keeps them as they are wanted: one loop
 * gets each object, compares it, and creates, applies or removes it. Fields that others add stay; fields that others change are restored.
 * An object that its owner does not control belongs to somebody else and is left alone: a new object is created, not applied to what
 * may be there, and an object is changed or removed only in the version that was looked at.
 */
import { listOf } from "../status/json.js";
import type { OwnedObject } from "../status/object-status.js";
import { KeyedBackoff } from "../support/backoff.js";
import { errorText } from "../support/text.js";
import { getOrInsert } from "../support/collections.js";
import { isObject, own } from "../support/json-object.js";
import type { Log } from "../support/log.js";
import { Alarm } from "./alarm.js";
import type { ApiClient, ApiCall } from "./api-client.js";
import { AGENT, ApiError, ifExists, ifNotFound } from "./api-client.js";
import type { ClusterWatch } from "./cluster-watch.js";
import type { ObjectEvent } from "./event-recorder.js";
import type { RawObject } from "./raw-object.js";
import type { ObjectPlace } from "./raw-object.js";
import { MANAGED_BY, isRawObject, keyOf, listPath, objectPath } from "./raw-object.js";

export interface OwnedObjectsOptions {
  readonly client: Pick<ApiClient, "call">;
  readonly watch: Pick<ClusterWatch, "get" | "resourceOf">;
  /** Several controllers may share a cluster: the annotation of an object names the one that made it. */
  readonly controllerName: string;
  readonly annotation: string;
  /** Asked before each object, see StatusWriterOptions. */
  readonly mayWrite: () => boolean;
  /** `problems` has a new entry. */
  readonly onProblem: () => void;
  readonly log: Pick<Log, "warn">;
  /** For tests. */
  readonly pauses?: typeof PAUSES;
}

interface Entry {
  /** What was tried last: the wanted object and its owner's uid as JSON, or REMOVAL. */
  tried: string;
  /** `refused`: somebody else's object has the name. */
  outcome: "made" | "failed" | "refused";
  /** The version that our last write produced; empty: it must be written again. */
  version: string;
  /** The uid of the owner for which this replica made it. */
  owner?: string;
  /** The clock's time of the next look; Infinity: when the watch delivers another version. */
  due: number;
}

/**
 * Milliseconds: the first pauses after a failed call and after a look at somebody else's object, their limit when they are doubled,
 * and the pause before a change by others is undone, so that controllers do not race.
 */
const PAUSES = { failed: 1000, refused: 10_000, longest: 300_000, changed: 1000 };
const REMOVAL = "removal";
const CONFLICT = 409;
/** Kinds of objects that are made. */
const MADE: ReadonlySet<string> = new Set(["Service", "EndpointSlice"]);
const MANAGER = { fieldManager: AGENT };
const NOT_OURS =
  "an object of that name is there that was not made for the Gateway; it is left alone";

export class OwnedObjects {
  readonly #options: OwnedObjectsOptions;
  readonly #pauses: typeof PAUSES;
  readonly #backoff: KeyedBackoff;
  readonly #alarm = new Alarm(() => {
    this.#run();
  });
  #entries = new Map<string, Entry>();
  /** Undefined until it is known: all other objects that were made are removed. */
  #wanted: readonly OwnedObject[] | undefined;
  #enabled = false;
  #running: Promise<void> | undefined;
  #again = false;

  constructor(options: OwnedObjectsOptions) {
    this.#options = options;
    this.#pauses = options.pauses ?? PAUSES;
    this.#backoff = new KeyedBackoff(this.#pauses.longest, () => performance.now());
  }

  /** All objects that are wanted from now on. */
  update(wanted: readonly OwnedObject[]): void {
    this.#wanted = wanted;
    this.#run();
  }

  /** Whether this replica writes. When it begins to, it looks at every object: another replica may have written. */
  enable(enabled: boolean): void {
    this.#enabled = enabled;
    this.#entries = new Map([...this.#entries.keys()].map((key) => [key, newEntry()]));
    this.#run();
  }

  /** The watch delivered this state of an object. */
  observe(kind: string, { metadata }: RawObject, isGone = false): void {
    const key = keyOf(kind, metadata);
    // An earlier leader may have made it.
    const isMarked = MADE.has(kind) && own(metadata.labels, MANAGED_BY) === AGENT && !isGone;
    const entry = isMarked ? getOrInsert(this.#entries, key, newEntry) : this.#entries.get(key);
    if (entry === undefined) return;
    const due = performance.now() + this.#pauses.changed;
    if (isGone) this.#backoff.succeeded(key);
    if (isGone || entry.due === Infinity) entry.due = Math.min(entry.due, due);
    if (!isGone && entry.outcome === "made" && entry.version === metadata.resourceVersion)
      entry.due = Infinity;
    this.#alarm.set(entry.due);
  }

  /** Objects that can't be made because their names are taken. */
  get problems(): readonly ObjectEvent[] {
    return (this.#wanted ?? []).flatMap(({ kind, metadata, owner }) => {
      const isRefused = this.#entries.get(keyOf(kind, metadata))?.outcome === "refused";
      const message = `${kind} ${metadata.name}: ${NOT_OURS}`;
      return isRefused ? [{ resource: owner, reason: "NameTaken", message }] : [];
    });
  }

  async close(): Promise<void> {
    this.#enabled = false;
    await this.#running;
    this.#alarm.clear();
  }

  #run(): void {
    this.#again = true;
    if (!this.#enabled || this.#running !== undefined) return;
    this.#alarm.clear();
    this.#running = this.#reconcile().finally(() => {
      this.#running = undefined;
      if (this.#again) this.#run();
    });
  }

  async #reconcile(): Promise<void> {
    this.#again = false;
    if (this.#wanted === undefined) return;
    const kept = new Set<string>();
    for (const object of this.#wanted) {
      const { kind, metadata, owner, requires } = object;
      const required = this.#entries.get(keyOf(requires?.kind ?? "", { ...metadata, ...requires }));
      if (required?.outcome === "refused") continue;
      const key = keyOf(kind, metadata);
      kept.add(key);
      const uid = this.#uidOf(owner.kind, owner);
      if (uid === undefined || (requires && required?.outcome !== "made")) continue;
      const text = JSON.stringify([object, uid]);
      await this.#attempt(key, text, (entry) => this.#make(object, uid, entry));
    }
    for (const key of [...this.#entries.keys()].filter((each) => !kept.has(each)))
      await this.#attempt(key, REMOVAL, (entry) => this.#remove(key, entry));
  }

  /** `act` returns the first pause before it is tried again, or nothing; another thing is tried at once. */
  async #attempt(
    key: string,
    what: string,
    act: (entry: Entry) => Promise<number | undefined>,
  ): Promise<void> {
    const entry = getOrInsert(this.#entries, key, newEntry);
    if (entry.tried === what && performance.now() < entry.due) {
      this.#alarm.set(entry.due);
      return;
    }
    if (!this.#enabled) return;
    if (!this.#options.mayWrite()) {
      this.#alarm.set(performance.now() + this.#pauses.failed);
      return;
    }
    if (entry.tried !== what) entry.version = "";
    entry.tried = what;
    // What the watch delivers from now on asks for another look.
    entry.due = Infinity;
    const pause = await act(entry).catch((error: unknown) => this.#failed(key, entry, error));
    if (pause === undefined) this.#backoff.succeeded(key);
    else entry.due = performance.now() + this.#backoff.failed(key, what, pause);
    this.#alarm.set(entry.due);
  }

  #failed(key: string, entry: Entry, error: unknown): number {
    entry.version = "";
    if (entry.outcome === "made") entry.outcome = "failed";
    // Others write at the same time, or delete the namespace.
    if (error instanceof ApiError && error.status === CONFLICT) return this.#pauses.failed / 4;
    if (!(error instanceof ApiError && error.isOfDyingNamespace))
      this.#options.log.warn(
        { object: key, reason: errorText(error) },
        "an object could not be made or removed",
      );
    return this.#pauses.failed;
  }

  /** Like `act` of #attempt. */
  async #make(object: OwnedObject, uid: string, entry: Entry): Promise<number | undefined> {
    const { kind, metadata, owner } = object;
    const key = keyOf(kind, metadata);
    // The last look is for an object that somebody else created first.
    const live =
      (await this.#get(key)) ?? (await this.#create(key, object, uid)) ?? (await this.#get(key));
    if (live === undefined) throw new ApiError(CONFLICT, "", "created and removed at once");
    const controller = controllerOf(live);
    if (controller?.["uid"] === uid) {
      if (live.metadata.resourceVersion !== entry.version)
        entry.version = await this.#apply(key, object, uid, live);
      entry.owner = uid;
      entry.outcome = "made";
      return undefined;
    }
    const isOfNamesake = controller?.["kind"] === owner.kind && controller["name"] === owner.name;
    // Made for an owner that was removed and exists again: the API server is about to remove it.
    if (isOfNamesake && this.#isMadeHere(live)) return this.#pauses.failed;
    if (entry.outcome !== "refused") {
      entry.outcome = "refused";
      this.#options.log.warn({ object: key, owner: keyOf(owner.kind, owner) }, NOT_OURS);
      this.#options.onProblem();
    }
    return this.#pauses.refused;
  }

  /** Only for an owner that is known: the API server removes the objects of others, or another albc does, which sees their owners. */
  async #remove(key: string, entry: Entry): Promise<undefined> {
    const live = await this.#get(key);
    const controller = live && controllerOf(live);
    if (live !== undefined && controller !== undefined && this.#isMadeHere(live)) {
      const { uid, resourceVersion, namespace } = live.metadata;
      const owner = { namespace, name: String(controller["name"]) };
      const owners = [entry.owner, this.#uidOf(String(controller["kind"]), owner)];
      const body = { preconditions: { uid, resourceVersion } };
      const call = { method: "DELETE", path: this.#path(key), body } as const;
      if (owners.includes(String(controller["uid"])))
        await this.#options.client.call(call).catch(ifNotFound);
    }
    this.#entries.delete(key);
  }

  #get(key: string): Promise<RawObject | undefined> {
    return this.#ask({ path: this.#path(key) }, ifNotFound);
  }

  /** No more than what identifies it: fields that an object is created with stay when it is applied without them. */
  #create(key: string, object: OwnedObject, uid: string): Promise<RawObject | undefined> {
    const metadata = { ...object.metadata, labels: {}, annotations: {} };
    const body = this.#body({ ...object, metadata, fields: object.skeleton }, uid);
    const call = { method: "POST", path: this.#path(key, listPath), query: MANAGER, body } as const;
    return this.#ask(call, ifExists);
  }

  /** Returns the new version. */
  async #apply(key: string, object: OwnedObject, uid: string, live: RawObject): Promise<string> {
    const { resourceVersion } = live.metadata;
    const body = this.#body(object, uid, { uid: live.metadata.uid, resourceVersion });
    const query = { ...MANAGER, force: "true" };
    const contentType = "application/apply-patch+yaml";
    const call = { method: "PATCH", path: this.#path(key), query, contentType, body } as const;
    return (await this.#ask(call))?.metadata.resourceVersion ?? "";
  }

  /** Undefined after an error that `accept` accepts. */
  async #ask(call: ApiCall, accept?: (error: unknown) => null): Promise<RawObject | undefined> {
    const answer = await this.#options.client.call(call).catch(accept);
    if (answer === null || isRawObject(answer)) return answer ?? undefined;
    throw new ApiError(0, "", `${call.method ?? "GET"} ${call.path}: the answer is not an object`);
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

  #uidOf(kind: string, { namespace = "", name }: ObjectPlace): string | undefined {
    return this.#options.watch.get(kind, namespace, name)?.metadata.uid;
  }

  #path(key: string, pathOf: typeof objectPath = objectPath): string {
    const [kind = "", namespace = "", name = ""] = key.split(/[ /]/);
    const resource = this.#options.watch.resourceOf(kind);
    if (resource === undefined) throw new ApiError(0, "", `${kind} is not served`);
    return pathOf(resource, namespace, name);
  }
}

function newEntry(): Entry {
  return { tried: "", outcome: "failed", version: "", due: 0 };
}

/** The owner reference that is marked as controller. */
function controllerOf({ metadata }: RawObject): Readonly<Record<string, unknown>> | undefined {
  const references = listOf("ownerReferences" in metadata ? metadata.ownerReferences : []);
  return references.filter(isObject).find(({ controller }) => controller === true);
}
