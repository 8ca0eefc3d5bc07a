/**
 * Brings the statuses of objects to what was computed: only those that differ, a few at a time, again when somebody changed the object
 * meanwhile. What others have written in a status stays; that is decided by `merge`. What was said of an object of which nothing is
 * to be said any more is taken back, unless somebody else has written over it already.
 */
import type { ObjectStatus } from "../status/object-status.js";
import { withdrawnStatus } from "../status/withdrawn-status.js";
import type { ApiClient } from "./api-client.js";
import { ApiError } from "./api-client.js";
import { now } from "./now.js";
import type { RawObject } from "./raw-object.js";
import { isRawObject } from "./raw-object.js";
import type { Resource } from "./resource.js";
import { objectPath } from "./resource.js";

export interface StatusWriterOptions {
  readonly client: ApiClient;
  /** Who owns the fields that are written. */
  readonly fieldManager: string;
  readonly resourceOf: (kind: string) => Resource | undefined;
  /** The object as the API server gave it last. */
  readonly current: (kind: string, namespace: string, name: string) => RawObject | undefined;
  /** Whether objects may be there all the same of which `current` knows nothing: they have lost the labels that are selected by. */
  readonly hides: boolean;
  /** The whole status that the object is to have; undefined when it has it. */
  readonly merge: (current: RawObject, computed: ObjectStatus, now: string) => unknown;
  /** The object as it is after a write, sooner than a watch tells. */
  readonly onObject: (resource: Resource, object: RawObject) => void;
  /** Asked before each write: a replica that was paused may find that another one leads. */
  readonly mayWrite: () => boolean;
  readonly onWritten: (kind: string, result: "written" | "conflict" | "error") => void;
  readonly onError: (error: unknown, status: ObjectStatus) => void;
}

/** Writes under way at once. */
const CONCURRENCY = 8;
/** Milliseconds before what could not be written is tried again: doubled each time, up to the longest. */
const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 30_000;
const NOT_FOUND = 404;
const CONFLICT = 409;

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  #desired: readonly ObjectStatus[] = [];
  /** By object: what was to be said until it was to be no more. */
  readonly #withdrawn = new Map<string, ObjectStatus>();
  #enabled = false;
  #running: Promise<void> | undefined;
  #again = false;
  #pause = FIRST_PAUSE;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** What holds from now on. */
  update(statuses: readonly ObjectStatus[]): void {
    if (statuses === this.#desired) return;
    this.#withdrawUnlike(statuses);
    this.#desired = statuses;
    this.recheck();
  }

  /** Whether this replica writes. */
  enable(enabled: boolean): void {
    this.#enabled = enabled;
    this.recheck();
  }

  /** Statuses may have changed under our hands. */
  recheck(): void {
    this.#again = true;
    if (!this.#enabled || this.#running !== undefined) return;
    clearTimeout(this.#timer);
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      if (this.#again) this.recheck();
    });
  }

  /** Writes nothing more; resolves when what is under way has ended. */
  async close(): Promise<void> {
    this.#enabled = false;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    // One moment for all that changes together.
    await new Promise((resolve) => setImmediate(resolve));
    this.#again = false;
    const { mayWrite } = this.#options;
    const waiting = [...this.#desired];
    const withdrawn = [...this.#withdrawn];
    /** False when something has to be tried again. */
    const work = async (): Promise<boolean> => {
      let done = true;
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (this.#enabled && mayWrite() && !(await this.#write(next))) done = false;
      }
      for (let next = withdrawn.shift(); next !== undefined; next = withdrawn.shift()) {
        const [key, said] = next;
        if (!this.#enabled || !mayWrite()) continue;
        if (!(await this.#withdraw(said))) done = false;
        else if (this.#withdrawn.get(key) === said) this.#withdrawn.delete(key);
      }
      return done;
    };
    const all = await Promise.all(Array.from({ length: CONCURRENCY }, work));
    if (all.includes(false)) this.#runLater();
    else this.#pause = FIRST_PAUSE;
  }

  /** Once for each list, not for each look at it: that comes with every status that anybody writes. */
  #withdrawUnlike(statuses: readonly ObjectStatus[]): void {
    const desired = new Set(statuses.map(keyOf));
    for (const key of this.#withdrawn.keys()) if (desired.has(key)) this.#withdrawn.delete(key);
    for (const said of this.#desired) {
      const key = keyOf(said);
      const { kind, metadata } = said;
      const { current, hides } = this.#options;
      const isThere = hides || current(kind, metadata.namespace, metadata.name) !== undefined;
      if (isThere && !desired.has(key)) this.#withdrawn.set(key, said);
    }
  }

  async #withdraw(said: ObjectStatus): Promise<boolean> {
    const { current, merge, hides, resourceOf } = this.#options;
    const { kind, metadata } = said;
    const resource = resourceOf(kind);
    if (resource === undefined) return true;
    const seen = current(kind, metadata.namespace, metadata.name);
    const object = seen ?? (hides ? await this.#look(said, resource) : undefined);
    if (object === "unknown") return false;
    const isStillOurs = object !== undefined && merge(object, said, now()) === undefined;
    const left = isStillOurs && withdrawnStatus(said, object.metadata.generation);
    if (left === false || left === undefined) return true;
    return this.#writeTo(object, left, resource);
  }

  /** At an object out of sight; undefined when there is none. */
  async #look(said: ObjectStatus, resource: Resource): Promise<RawObject | "unknown" | undefined> {
    const { client, onError } = this.#options;
    const { namespace, name } = said.metadata;
    try {
      const found = await client.call({ path: objectPath(resource, namespace, name) });
      return isRawObject(found) ? found : undefined;
    } catch (error: unknown) {
      if (error instanceof ApiError && error.status === NOT_FOUND) return undefined;
      onError(error, said);
      return "unknown";
    }
  }

  #runLater(): void {
    this.#timer = setTimeout(() => {
      this.recheck();
    }, this.#pause);
    this.#timer.unref();
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
  }

  /** False when it has to be tried again. */
  async #write(computed: ObjectStatus): Promise<boolean> {
    const { resourceOf, current } = this.#options;
    const { kind, metadata } = computed;
    const resource = resourceOf(kind);
    const object = current(kind, metadata.namespace, metadata.name);
    if (resource === undefined || object === undefined) return true;
    return this.#writeTo(object, computed, resource);
  }

  async #writeTo(object: RawObject, computed: ObjectStatus, resource: Resource): Promise<boolean> {
    const { client, fieldManager, current, merge, onWritten, onError } = this.#options;
    const { kind, metadata } = computed;
    const status = merge(object, computed, now());
    if (status === undefined) return true;
    const path = `${objectPath(resource, metadata.namespace, metadata.name)}/status`;
    const version = object.metadata.resourceVersion;
    try {
      const written = await client.call({
        method: "PATCH",
        path,
        query: { fieldManager },
        contentType: "application/json-patch+json",
        // The version makes it a conflict if the object has changed since.
        body: [
          { op: "replace", path: "/metadata/resourceVersion", value: version },
          { op: "add", path: "/status", value: status },
        ],
      });
      const isSeen = current(kind, metadata.namespace, metadata.name) !== undefined;
      if (isSeen && isRawObject(written)) this.#options.onObject(resource, written);
      onWritten(kind, "written");
      return true;
    } catch (error: unknown) {
      const code = error instanceof ApiError ? error.status : 0;
      if (code === NOT_FOUND) return true;
      onWritten(kind, code === CONFLICT ? "conflict" : "error");
      if (code !== CONFLICT) onError(error, computed);
      return false;
    }
  }
}

function keyOf({ kind, metadata: { namespace, name } }: ObjectStatus): string {
  return `${kind} ${namespace} ${name}`;
}
