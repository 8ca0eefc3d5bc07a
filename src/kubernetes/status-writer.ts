/**
 * Writes computed statuses to objects. Only statuses that differ are written; entries of others in a status stay (mergeStatus). A status
 * that is no longer computed is withdrawn, unless others have overwritten it.
 *
 * An answer to a write says nothing about the object, because it may be late or lost. So each state of an object that the watch delivers
 * is overwritten at most once, and the watch delivers the result.
 */
import { mergeStatus, withdrawnStatus } from "../status/merge-status.js";
import { type ObjectStatus, listOf } from "../status/object-status.js";
import { KeyedBackoff } from "../support/backoff.js";
import { memoized, withoutCommonEnds } from "../support/collections.js";
import { fieldsOf } from "../support/json-object.js";
import { errorText } from "../support/text.js";
import type { Log } from "../support/log.js";
import { type ApiClient, AGENT, ApiError, now } from "./api-client.js";
import { type ClusterWatch, isSelected } from "./cluster-watch.js";
import type { ObjectEvent } from "./event-recorder.js";
import { type RawObject, type Resource, getObject, objectKey, objectPath } from "./raw-object.js";
import { NEVER, WorkQueue } from "./work-queue.js";

export interface StatusWriterOptions {
  readonly client: Pick<ApiClient, "call">;
  readonly watch: Pick<ClusterWatch, "get" | "resourceOf" | "isTerminating">;
  /** Whether objects may exist that `watch` does not know: those without the labels of the selector, which other shards may serve. */
  readonly hides: boolean;
  /** Names our entries in lists that controllers share (mergeStatus). */
  readonly controllerName: string;
  /** Asked before each object (see WorkQueue). */
  readonly mayWrite: () => boolean;
  readonly onWritten: (kind: string, result: "written" | "conflict" | "error") => void;
  /** `problems` has a new entry. */
  readonly onProblem: () => void;
  readonly log: Pick<Log, "warn">;
}

/** Milliseconds after which a write has failed. The API server waits 10 s for a webhook by default. */
const DEADLINE = 20_000;
/** Milliseconds before the same status is written to the same object again: doubled each time, up to the longest. */
const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 30_000;
/** Milliseconds: a pause that only a status reaches which others have overwritten several times in a row. */
const CONTESTED = FIRST_PAUSE * 8;
const NOT_FOUND = 404;
const CONTESTED_STATUS =
  "another controller keeps overwriting this status; it is written less and less often: let one controller serve the object (ingressClassName)";

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #queue: WorkQueue;
  #statuses: readonly ObjectStatus[] = [];
  /** By object: the status that it should have, or that is being withdrawn. */
  readonly #targets = new Map<
    string,
    { readonly status: ObjectStatus; readonly isWithdrawn: boolean }
  >();
  /** Limits how often the same status is written: repeating it is only needed if others overwrite it. */
  readonly #writes = new KeyedBackoff(LONGEST_PAUSE, () => performance.now());
  readonly #failures = new KeyedBackoff(LONGEST_PAUSE, () => performance.now());
  /** States of objects that were overwritten, or found to be outdated. */
  #spent = new WeakSet<RawObject>();
  readonly #contested = new Map<string, ObjectStatus>();

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ work: (key) => this.#work(key), mayWork: options.mayWrite });
  }

  /** All computed statuses. Only those that are not the same values as in the last call are compared with their objects. */
  update(computed: readonly ObjectStatus[]): void {
    const statuses = this.#options.hides ? computed.flatMap(this.#ownPart) : computed;
    const differing = withoutCommonEnds(this.#statuses, statuses);
    const [before, now] = [new Set(differing.before), new Set(differing.now)];
    const gone = differing.before.filter((status) => !now.has(status));
    const wanted = new Map(
      differing.now
        .filter((status) => !before.has(status))
        .map((status) => [nameOf(status), status]),
    );
    for (const [key, status] of wanted) {
      this.#targets.set(key, { status, isWithdrawn: false });
      this.#queue.add(key);
    }
    for (const status of gone) if (!wanted.has(nameOf(status))) this.#beginWithdrawal(status);
    this.#statuses = statuses;
  }

  /** Whether the object has a computed status. */
  has(kind: string, namespace: string, name: string): boolean {
    return this.#targets.get(objectKey(kind, { namespace, name }))?.isWithdrawn === false;
  }

  /** Objects whose statuses others keep overwriting. */
  get problems(): readonly ObjectEvent[] {
    return [...this.#contested.values()].map(({ apiVersion, kind, metadata }) => {
      const resource = { apiVersion, kind, ...metadata };
      return { resource, reason: "StatusContested", message: CONTESTED_STATUS };
    });
  }

  /** The watch has delivered a new state of an object, or its deletion. */
  observe(kind: string, { metadata }: RawObject): void {
    const key = objectKey(kind, metadata);
    if (this.#targets.has(key)) this.#queue.add(key);
  }

  /** Written statuses may be lost: the API server may have been restored to an older state. */
  doubt(): void {
    this.#spent = new WeakSet();
    this.#lookAtAll();
  }

  /** Whether this replica writes. */
  enable(enabled: boolean): void {
    this.#queue.enable(enabled);
    this.#lookAtAll();
  }

  /** Starts no more writes; resolves when those under way have ended. */
  close(): Promise<void> {
    return this.#queue.close();
  }

  /**
   * Every shard watches all policies, and would say of those of the others that their targets do not exist, or clear their statuses.
   * The shard that knows an ancestor writes its entry.
   */
  readonly #ownPart = memoized((computed: ObjectStatus): readonly ObjectStatus[] => {
    const { metadata, status } = computed;
    const { ancestors } = status;
    if (ancestors === undefined) return [computed];
    const { watch } = this.#options;
    const entries = listOf(ancestors);
    const known = entries.filter((entry) => {
      const { kind, namespace, name } = fieldsOf(fieldsOf(entry)["ancestorRef"]);
      if (typeof kind !== "string" || !isSelected(kind) || typeof name !== "string") return true;
      const place = typeof namespace === "string" ? namespace : metadata.namespace;
      return watch.get(kind, place, name) !== undefined;
    });
    if (known.length === 0) return [];
    if (known.length === entries.length) return [computed];
    return [{ ...computed, status: { ...status, ancestors: known } }];
  });

  #lookAtAll(): void {
    for (const key of this.#targets.keys()) this.#queue.add(key);
  }

  #beginWithdrawal(status: ObjectStatus): void {
    const { watch, hides } = this.#options;
    const { kind, metadata } = status;
    const key = nameOf(status);
    const isThere = hides || watch.get(kind, metadata.namespace, metadata.name) !== undefined;
    if (!isThere) {
      this.#forget(key);
      return;
    }
    this.#targets.set(key, { status, isWithdrawn: true });
    this.#queue.add(key);
  }

  #forget(key: string): void {
    this.#targets.delete(key);
    this.#contested.delete(key);
    for (const backoff of [this.#writes, this.#failures]) backoff.succeeded(key);
  }

  /** See WorkQueue. */
  async #work(key: string): Promise<number> {
    const target = this.#targets.get(key);
    if (target === undefined) return NEVER;
    if (!target.isWithdrawn) return this.#write(target.status);
    const due = await this.#withdraw(target.status);
    if (due === undefined && this.#targets.get(key) === target) this.#forget(key);
    return due ?? NEVER;
  }

  /** Returns the clock's time of the next try. */
  async #write(computed: ObjectStatus): Promise<number> {
    const { watch } = this.#options;
    const { kind, metadata } = computed;
    const resource = watch.resourceOf(kind);
    const object = watch.get(kind, metadata.namespace, metadata.name);
    if (resource === undefined || object === undefined) return NEVER;
    return this.#writeTo(object, computed, resource);
  }

  /** Returns the clock's time of the next try; undefined if nothing of ours is left in the status. */
  async #withdraw(written: ObjectStatus): Promise<number | undefined> {
    const { watch, hides } = this.#options;
    const { kind, metadata } = written;
    const resource = watch.resourceOf(kind);
    if (resource === undefined) return undefined;
    const seen = watch.get(kind, metadata.namespace, metadata.name);
    const object = seen ?? (hides ? await this.#fetch(written, resource) : undefined);
    if (object === "unknown") return this.#failed(written);
    // This state is outdated: the watch is about to deliver the next one.
    if (object !== undefined && this.#spent.has(object)) return NEVER;
    const isStillOurs = object !== undefined && this.#merged(object, written) === undefined;
    const left = isStillOurs && withdrawnStatus(written, object.metadata.generation);
    if (left === false || left === undefined) return undefined;
    return this.#writeTo(object, left, resource);
  }

  /** An object that the watch does not know; undefined if there is none. */
  async #fetch(
    written: ObjectStatus,
    resource: Resource,
  ): Promise<RawObject | "unknown" | undefined> {
    const { namespace, name } = written.metadata;
    const path = objectPath(resource, namespace, name);
    try {
      return await getObject(this.#options.client, path, { deadline: DEADLINE });
    } catch (error: unknown) {
      this.#report(error, written);
      return "unknown";
    }
  }

  /** The whole status that the object should have; undefined if it has it. */
  #merged({ status }: RawObject, computed: ObjectStatus): unknown {
    return mergeStatus(status, computed, {
      controllerName: this.#options.controllerName,
      now: now(),
    });
  }

  #report(error: unknown, computed: ObjectStatus): void {
    const fields = { object: nameOf(computed), reason: errorText(error) };
    this.#options.log.warn(fields, "could not write a status; albc retries");
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
    // The watch was faster than the answer, or never delivers this object.
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
      // The version turns the write into a conflict if the object has changed.
      body: [
        { op: "replace", path: "/metadata/resourceVersion", value },
        { op: "add", path: "/status", value: status },
      ],
    });
  }

  /**
   * Whether the error means that the object has changed, so that the watch delivers its new state. A 404 does not: it may be the version
   * of the API that is gone, and the next version serves the same objects.
   */
  #isAnswered(error: unknown, computed: ObjectStatus): boolean {
    const { onWritten } = this.#options;
    if (error instanceof ApiError && error.status === NOT_FOUND) return false;
    const isConflict = error instanceof ApiError && error.isConflict;
    onWritten(computed.kind, isConflict ? "conflict" : "error");
    if (isConflict) return true;
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

/** What a retry must wait for: a new object of the same name, or another version of the API, may be written at once. */
function whatOf({ status }: ObjectStatus, object: RawObject | undefined): string {
  return JSON.stringify([object?.apiVersion, object?.metadata.uid, status]);
}

function nameOf({ kind, metadata }: ObjectStatus): string {
  return objectKey(kind, metadata);
}
