/**
 * Brings the statuses of objects to what was computed: only those that differ, a few at a time. What others have written in a status
 * stays (mergeStatus). What was said of an object of which nothing is to be said any more is withdrawn, unless somebody else has
 * overwritten it already.
 *
 * Answers to writes say nothing about the object: they may be late or lost. Each state of an object that the watch delivered is written
 * over once, and the watch delivers what became of it.
 */
import { mergeStatus, withdrawnStatus } from "../status/merge-status.js";
import type { ObjectStatus } from "../status/object-status.js";
import { KeyedBackoff } from "../support/backoff.js";
import { errorText } from "../support/text.js";
import type { Log } from "../support/log.js";
import { Alarm } from "./alarm.js";
import type { ApiClient } from "./api-client.js";
import { AGENT, ApiError, ifNotFound, now } from "./api-client.js";
import type { ClusterWatch } from "./cluster-watch.js";
import type { ObjectEvent } from "./event-recorder.js";
import type { RawObject, Resource } from "./raw-object.js";
import { isRawObject, keyOf, objectPath } from "./raw-object.js";
import { NamespaceQueue } from "./namespace-queue.js";

export interface StatusWriterOptions {
  readonly client: Pick<ApiClient, "call">;
  readonly watch: Pick<ClusterWatch, "get" | "resourceOf" | "isTerminating">;
  /** Whether objects may exist of which `watch` knows nothing: they have lost the labels that are selected by. */
  readonly hides: boolean;
  /** Whose entries of shared lists in a status are ours (mergeStatus). */
  readonly controllerName: string;
  /** Asked before each write: a replica that was paused may find that another one leads. */
  readonly mayWrite: () => boolean;
  readonly onWritten: (kind: string, result: "written" | "conflict" | "error") => void;
  /** `problems` has a new entry. */
  readonly onProblem: () => void;
  readonly log: Pick<Log, "warn">;
}

/** Writes under way at once that are not late, and all those of one namespace. */
const CONCURRENCY = 8;
/** Milliseconds after which a write is late: others do not wait for it. */
const PATIENCE = 250;
/** Milliseconds after which a write has failed. Where a webhook does not answer, the API server takes 10 s by default. */
const DEADLINE = 20_000;
/** Milliseconds before the same status is written to the same object again: doubled each time, up to the longest. */
const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 30_000;
/** A pause that only a status gets which others have overwritten several times in a row. */
const CONTESTED = FIRST_PAUSE * 8;
/** Objects that are looked at in one turn of the event loop. */
const MOST_LOOKS = 100;
/** When what is done is tried again. */
const NEVER = Infinity;
const NOT_FOUND = 404;
const CONFLICT = 409;
const CONTESTED_STATUS =
  "another controller keeps overwriting this status; it is written less and less often: let one controller serve the object (ingressClassName)";

/** What is to be said of an object, or was to be said until it was to be no more. */
interface Said {
  readonly status: ObjectStatus;
  readonly isWithdrawn: boolean;
}

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  #statuses: readonly ObjectStatus[] = [];
  /** By object. */
  readonly #said = new Map<string, Said>();
  /** When the same status may be written again: it is only needed when others overwrite it. */
  readonly #writes = new KeyedBackoff(LONGEST_PAUSE, () => performance.now());
  readonly #failures = new KeyedBackoff(LONGEST_PAUSE, () => performance.now());
  /** States of objects that were written over, or found to be outdated. */
  #spent = new WeakSet<RawObject>();
  readonly #contested = new Map<string, ObjectStatus>();
  #enabled = false;
  /** What has to be looked at. */
  readonly #waiting = new NamespaceQueue(CONCURRENCY);
  /** How many objects may be looked at before others get the processor. */
  #looks = 0;
  /** Objects that are being looked at or written to: whether they have to be looked at again. */
  readonly #underWay = new Map<string, boolean>();
  readonly #settling = new Set<Promise<void>>();
  #free = CONCURRENCY;
  #moment: NodeJS.Immediate | undefined;
  /** When objects have to be looked at again. */
  readonly #due = new Map<string, number>();
  readonly #alarm = new Alarm(() => {
    this.#wake();
  });

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** What holds from now on. Only statuses that are not the same objects as before are looked at. */
  update(statuses: readonly ObjectStatus[]): void {
    const before = new Set(this.#statuses);
    const now = new Set(statuses);
    const gone = this.#statuses.filter((status) => !now.has(status));
    const wanted = new Map(
      statuses.filter((status) => !before.has(status)).map((status) => [nameOf(status), status]),
    );
    for (const [key, status] of wanted) {
      this.#said.set(key, { status, isWithdrawn: false });
      this.#look(key);
    }
    for (const status of gone) if (!wanted.has(nameOf(status))) this.#withdrawAtOnce(status);
    this.#statuses = statuses;
  }

  /** Whether anything is said of an object. */
  says(kind: string, namespace: string, name: string): boolean {
    return this.#said.get(keyOf(kind, { namespace, name }))?.isWithdrawn === false;
  }

  /** Objects whose statuses others keep overwriting. */
  get problems(): readonly ObjectEvent[] {
    return [...this.#contested.values()].map(({ apiVersion, kind, metadata }) => {
      const resource = { apiVersion, kind, ...metadata };
      return { resource, reason: "StatusContested", message: CONTESTED_STATUS };
    });
  }

  /** The watch has delivered an object, or what became of it. */
  observe(kind: string, { metadata }: RawObject): void {
    this.#look(keyOf(kind, metadata));
  }

  /** What was written may be lost: the API server may have been put back to an older state. */
  doubt(): void {
    this.#spent = new WeakSet();
    this.#lookAtAll();
  }

  /** Whether this replica writes. */
  enable(enabled: boolean): void {
    this.#enabled = enabled;
    this.#lookAtAll();
  }

  /** Writes nothing more; resolves when what is under way has ended. */
  async close(): Promise<void> {
    this.#enabled = false;
    this.#alarm.clear();
    await Promise.all(this.#settling);
  }

  #withdrawAtOnce(status: ObjectStatus): void {
    const { watch, hides } = this.#options;
    const { kind, metadata } = status;
    const key = nameOf(status);
    const isThere = hides || watch.get(kind, metadata.namespace, metadata.name) !== undefined;
    if (isThere) this.#said.set(key, { status, isWithdrawn: true });
    else this.#forget(key);
    this.#look(key);
  }

  #forget(key: string): void {
    this.#said.delete(key);
    this.#due.delete(key);
    this.#contested.delete(key);
    for (const backoff of [this.#writes, this.#failures]) backoff.succeeded(key);
  }

  #lookAtAll(): void {
    for (const key of this.#said.keys()) this.#look(key);
  }

  #look(key: string): void {
    const namespace = this.#said.get(key)?.status.metadata.namespace;
    if (namespace === undefined) return;
    if (this.#underWay.has(key)) this.#underWay.set(key, true);
    else this.#waiting.add({ namespace, key });
    this.#begin();
  }

  #wake(): void {
    const now = performance.now();
    for (const [key, due] of this.#due) {
      if (due > now) this.#alarm.set(due);
      else this.#due.delete(key);
      if (due <= now) this.#look(key);
    }
    this.#begin();
  }

  /** One moment for all that changes together. */
  #begin(): void {
    if (!this.#enabled || this.#waiting.isEmpty || this.#moment !== undefined) return;
    this.#moment = setImmediate(() => {
      this.#moment = undefined;
      this.#looks = MOST_LOOKS;
      this.#fill();
    });
  }

  /** Begins with what is waiting, as far as there are slots. */
  #fill(): void {
    while (this.#enabled && this.#free > 0 && this.#looks > 0) {
      if (!this.#options.mayWrite()) {
        this.#alarm.set(performance.now() + PATIENCE);
        return;
      }
      const next = this.#waiting.take();
      if (next === undefined) return;
      this.#looks -= 1;
      const said = this.#said.get(next.key);
      if (said === undefined) this.#waiting.done(next);
      else {
        const settled = this.#settle(next.key, said).finally(() => this.#settling.delete(settled));
        this.#settling.add(settled);
      }
    }
    if (this.#looks === 0) this.#begin();
  }

  /** A late one gives its slot to another object, which belongs to another namespace if too many of this one are under way. */
  async #settle(key: string, said: Said): Promise<void> {
    const { status, isWithdrawn } = said;
    let slots = 1;
    const timer = setTimeout(() => {
      slots = 0;
      this.#free += 1;
      this.#fill();
    }, PATIENCE);
    this.#free -= 1;
    this.#underWay.set(key, false);
    const due = await (isWithdrawn ? this.#withdraw(status) : this.#write(status));
    if (due === undefined && this.#said.get(key) === said) this.#forget(key);
    if (due !== undefined && due !== NEVER) {
      this.#due.set(key, due);
      this.#alarm.set(due);
    }
    clearTimeout(timer);
    this.#waiting.done(status.metadata);
    this.#free += slots;
    const isLookedAtAgain = this.#underWay.get(key) === true;
    this.#underWay.delete(key);
    if (isLookedAtAgain) this.#look(key);
    this.#fill();
  }

  /** Returns the clock's time when it has to be tried again; undefined when nothing of ours is left. */
  async #withdraw(said: ObjectStatus): Promise<number | undefined> {
    const { watch, hides } = this.#options;
    const { kind, metadata } = said;
    const resource = watch.resourceOf(kind);
    if (resource === undefined) return undefined;
    const seen = watch.get(kind, metadata.namespace, metadata.name);
    const object = seen ?? (hides ? await this.#fetch(said, resource) : undefined);
    if (object === "unknown") return this.#failed(said);
    // What it has now is what was said, or will be: the watch delivers it.
    if (object !== undefined && this.#spent.has(object)) return NEVER;
    const isStillOurs = object !== undefined && this.#merged(object, said) === undefined;
    const left = isStillOurs && withdrawnStatus(said, object.metadata.generation);
    if (left === false || left === undefined) return undefined;
    return this.#writeTo(object, left, resource);
  }

  /** At an object out of sight; undefined when there is none. */
  async #fetch(said: ObjectStatus, resource: Resource): Promise<RawObject | "unknown" | undefined> {
    const { namespace, name } = said.metadata;
    const path = objectPath(resource, namespace, name);
    try {
      const found = await this.#options.client.call({ path, deadline: DEADLINE }).catch(ifNotFound);
      return isRawObject(found) ? found : undefined;
    } catch (error: unknown) {
      this.#report(error, said);
      return "unknown";
    }
  }

  /** The whole status that the object is to have; undefined when it has it. */
  #merged({ status }: RawObject, computed: ObjectStatus): unknown {
    return mergeStatus(status, computed, {
      controllerName: this.#options.controllerName,
      now: now(),
    });
  }

  #report(error: unknown, said: ObjectStatus): void {
    const fields = { object: nameOf(said), reason: errorText(error) };
    this.#options.log.warn(fields, "a status could not be written");
  }

  /** Returns the clock's time when it has to be tried again. */
  async #write(computed: ObjectStatus): Promise<number> {
    const { watch } = this.#options;
    const { kind, metadata } = computed;
    const resource = watch.resourceOf(kind);
    const object = watch.get(kind, metadata.namespace, metadata.name);
    if (resource === undefined || object === undefined) return NEVER;
    return this.#writeTo(object, computed, resource);
  }

  async #writeTo(object: RawObject, computed: ObjectStatus, resource: Resource): Promise<number> {
    const { watch } = this.#options;
    const { kind, metadata } = computed;
    if (this.#spent.has(object) || watch.isTerminating(metadata.namespace)) return NEVER;
    const status = this.#merged(object, computed);
    if (status === undefined) return NEVER;
    const key = nameOf(computed);
    for (const backoff of [this.#writes, this.#failures]) {
      const due = backoff.dueOf(key, whatOf(computed, object));
      if (due !== undefined) return due;
    }
    try {
      await this.#send(object, status, objectPath(resource, metadata.namespace, metadata.name));
      this.#noteWritten(key, computed, object);
    } catch (error: unknown) {
      if (!this.#isAnswered(error, computed)) return this.#failed(computed, object);
    }
    const latest = watch.get(kind, metadata.namespace, metadata.name);
    if (latest === object) {
      this.#spent.add(object);
      return NEVER;
    }
    // The watch was quicker than the answer, or never tells about this object.
    return latest === undefined ? this.#failed(computed, object) : performance.now();
  }

  async #send(object: RawObject, status: unknown, path: string): Promise<void> {
    const value = object.metadata.resourceVersion;
    await this.#options.client.call({
      method: "PATCH",
      path: `${path}/status`,
      query: { fieldManager: AGENT },
      deadline: DEADLINE,
      contentType: "application/json-patch+json",
      // The version makes it a conflict if the object has changed since.
      body: [
        { op: "replace", path: "/metadata/resourceVersion", value },
        { op: "add", path: "/status", value: status },
      ],
    });
  }

  /**
   * Whether the error says that the object has changed, so that the watch delivers what is to be done. Not so where nothing is found:
   * that may be the version of the API, which is served again with the same objects.
   */
  #isAnswered(error: unknown, computed: ObjectStatus): boolean {
    const { onWritten } = this.#options;
    const code = error instanceof ApiError ? error.status : 0;
    if (code === NOT_FOUND) return false;
    onWritten(computed.kind, code === CONFLICT ? "conflict" : "error");
    if (code === CONFLICT) return true;
    this.#report(error, computed);
    return false;
  }

  #noteWritten(key: string, computed: ObjectStatus, object: RawObject): void {
    this.#options.onWritten(computed.kind, "written");
    this.#failures.succeeded(key);
    const pause = this.#writes.failed(key, whatOf(computed, object), FIRST_PAUSE);
    if (pause < CONTESTED) this.#contested.delete(key);
    else if (!this.#contested.has(key)) {
      this.#contested.set(key, computed);
      this.#options.log.warn({ object: nameOf(computed) }, CONTESTED_STATUS);
      this.#options.onProblem();
    }
  }

  #failed(computed: ObjectStatus, object?: RawObject): number {
    const what = whatOf(computed, object);
    return performance.now() + this.#failures.failed(nameOf(computed), what, FIRST_PAUSE);
  }
}

/** An object that is created again has the name of the one before, but is another; another version of the API is asked elsewhere. */
function whatOf({ status }: ObjectStatus, object: RawObject | undefined): string {
  return JSON.stringify([object?.apiVersion, object?.metadata.uid, status]);
}

function nameOf({ kind, metadata }: ObjectStatus): string {
  return keyOf(kind, metadata);
}
