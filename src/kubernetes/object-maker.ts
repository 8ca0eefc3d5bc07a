/**
 * Makes, keeps and removes single objects that belong to users' objects. What is there under the name of one and is not controlled by
 * its owner is somebody else's: it is neither changed nor removed.
 */
import type { OwnedObject } from "../status/owned-object.js";
import { ApiError } from "./api-client.js";
import type { MadeObjects } from "./made-objects.js";
import type { FoundObject, OwnedObjectClient } from "./owned-object-client.js";
import type { RetryTimes } from "./retry-times.js";

export interface ObjectMakerOptions {
  readonly client: OwnedObjectClient;
  /** Of what was made here; see OwnedObjectClient. */
  readonly controllerName: string;
  /** Of an owner; undefined while it is not known, then nothing is made for it. */
  readonly uidOf: (kind: string, namespace: string, name: string) => string | undefined;
  /** The name of one is somebody else's; said once. */
  readonly onRefused: (object: OwnedObject) => void;
  readonly onError: (error: unknown, object: string) => void;
}

/** Milliseconds. */
export interface MakerPauses {
  /** Before what failed is tried again, at first. */
  readonly failed: number;
  /** Before what is somebody else's is looked at again, at first. */
  readonly refused: number;
}

export interface MakerState {
  readonly made: MadeObjects;
  readonly retries: RetryTimes;
  readonly pauses: MakerPauses;
}

/** `refused` for all that somebody else's object is in the way of. */
export type Outcome = "made" | "failed" | "refused";

const CONFLICT = 409;

export class ObjectMaker {
  readonly #options: ObjectMakerOptions;
  readonly #state: MakerState;
  readonly #refused = new Map<string, OwnedObject>();

  constructor(options: ObjectMakerOptions, state: MakerState) {
    this.#options = options;
    this.#state = state;
  }

  get refused(): readonly OwnedObject[] {
    return [...this.#refused.values()];
  }

  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#refused.keys()) if (!keys.has(key)) this.#refused.delete(key);
  }

  /** `required` is what became of the object that it requires. */
  async settle(object: OwnedObject, required: Outcome): Promise<Outcome> {
    const key = keyOf(object);
    const { uidOf } = this.#options;
    const { made, retries, pauses } = this.#state;
    const { kind, namespace, name } = object.owner;
    const uid = uidOf(kind, namespace, name);
    const text = JSON.stringify([object, uid]);
    if (required === "refused") {
      if (made.get(key) === undefined) this.#giveUp(key);
      return "refused";
    }
    if (retries.mustWait(key, text)) return this.#refused.has(key) ? "refused" : "failed";
    if (uid === undefined || required === "failed") {
      // What was heard of it is looked into when it may be made.
      if (made.isStale(key)) retries.failed(key, text, pauses.failed);
      else retries.forget(key);
      return "failed";
    }
    if (made.get(key)?.text === text && !made.isDue(key, performance.now())) {
      retries.forget(key);
      return "made";
    }
    return this.#try({ key, object, uid, text });
  }

  /** What is not to be any more. */
  async remove(key: string, found: FoundObject): Promise<void> {
    const { client, onError } = this.#options;
    const { made, retries } = this.#state;
    if (retries.mustWait(key, REMOVAL)) return;
    try {
      const isStale = made.isStale(key);
      made.looked(key);
      const now = isStale ? await client.findAgain(found) : found;
      if (now !== undefined && this.#isStillOurs(now, found)) await client.remove(now);
      made.delete(key);
      retries.forget(key);
    } catch (error: unknown) {
      this.#failed(key, REMOVAL, error);
      if (!isExpected(error)) onError(error, key);
    }
  }

  async #try(task: Task): Promise<Outcome> {
    const { key, text, uid } = task;
    try {
      const found = await this.#findOrCreate(task);
      if (found.controller?.uid !== uid) return this.#refuse(task, found);
      await this.#apply(task, found);
      this.#state.retries.forget(key);
      this.#refused.delete(key);
      return "made";
    } catch (error: unknown) {
      this.#failed(key, text, error);
      if (!isExpected(error)) this.#options.onError(error, key);
      return "failed";
    }
  }

  async #findOrCreate({ key, object, uid }: Task): Promise<FoundObject> {
    const { client } = this.#options;
    const { made } = this.#state;
    const known = made.isStale(key) ? undefined : made.get(key)?.found;
    made.looked(key);
    // The last is for what was not created because somebody was quicker.
    const found =
      known ??
      (await client.find(object)) ??
      (await client.create(object, uid)) ??
      (await client.find(object));
    if (found === undefined) throw new ApiError(CONFLICT, "", "made and removed at the same time");
    return found;
  }

  async #apply({ key, object, uid, text }: Task, found: FoundObject): Promise<void> {
    const { made } = this.#state;
    const before = made.get(key);
    if (before?.text === text && before.versions.has(found.version)) return;
    const applied = await this.#options.client.apply(object, uid, found);
    // A watch may tell of what was found after this; only what comes then is news.
    made.set(key, { text, found: applied, versions: new Set([found.version, applied.version]) });
  }

  #refuse({ key, object, text }: Task, { madeBy, controller }: FoundObject): Outcome {
    const { controllerName, onRefused } = this.#options;
    const { made, retries, pauses } = this.#state;
    const { kind, name } = object.owner;
    made.delete(key);
    // Made for an owner that was removed and is there again: it goes by itself.
    if (madeBy === controllerName && controller?.kind === kind && controller.name === name) {
      retries.failed(key, text, pauses.failed);
      return "failed";
    }
    retries.failed(key, text, pauses.refused);
    const isNew = !this.#refused.has(key);
    this.#refused.set(key, object);
    if (isNew) onRefused(object);
    return "refused";
  }

  #giveUp(key: string): void {
    this.#state.made.looked(key);
    this.#state.retries.forget(key);
    this.#refused.delete(key);
  }

  /** Another controller may have taken it over, with its owner. */
  #isStillOurs({ controller, madeBy }: FoundObject, before: FoundObject): boolean {
    return (
      controller !== undefined &&
      controller.uid === before.controller?.uid &&
      madeBy === this.#options.controllerName
    );
  }

  /** What was known of it may be wrong. */
  #failed(key: string, what: string, error: unknown): void {
    const { made, retries, pauses } = this.#state;
    made.hear(key, undefined, performance.now());
    retries.failed(key, what, isConflict(error) ? pauses.failed / 4 : pauses.failed);
  }
}

interface Task {
  readonly key: string;
  readonly object: OwnedObject;
  readonly uid: string;
  readonly text: string;
}

/** Among the texts of what is made. */
const REMOVAL = "";

export function keyOf({ kind, metadata: { namespace, name } }: OwnedObject): string {
  return objectKey(kind, namespace, name);
}

export function objectKey(kind: string, namespace: string, name: string): string {
  return `${kind} ${namespace}/${name}`;
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === CONFLICT;
}

/** Somebody wrote at the same time, or is removing the namespace: it is looked at again, and nobody need know. */
function isExpected(error: unknown): boolean {
  return isConflict(error) || (error instanceof ApiError && error.isOfDyingNamespace);
}
