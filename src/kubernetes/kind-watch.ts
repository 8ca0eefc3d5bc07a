/**
 * Watches the objects of one kind, in one namespace or all: lists them, then watches. It starts again after lost connections, expired
 * versions (410), and an API server that is away for hours or comes back with an older state. Objects stay known meanwhile.
 */
import { isDeepStrictEqual } from "node:util";
import { Backoff } from "../support/backoff.js";
import { isObject } from "../support/json-object.js";
import { type ApiClient, ApiError } from "./api-client.js";
import {
  type RawObject,
  type Resource,
  apiVersionOf,
  isRawObject,
  listPath,
  sharing,
  keptParts,
} from "./raw-object.js";

export interface KindWatchOptions {
  readonly client: Pick<ApiClient, "call" | "watch">;
  readonly resource: Resource;
  /** Empty: all namespaces. */
  readonly namespace: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** `before`: the previous state. */
  readonly onObject: (object: RawObject, before: RawObject | undefined) => void;
  readonly onGone: (object: RawObject) => void;
  /** All objects were listed again. States in between may have been missed. */
  readonly onListedAgain: () => void;
  /** The watch was lost and is restarted. `status` is 404 if the API server no longer serves this version of the kind. */
  readonly onError: (error: ApiError) => void;
}

/** Objects in one page of a list. */
const PAGE = 500;
/**
 * Seconds after which the API server ends a watch, and the next one starts. Bookmarks come only once a minute, so the end of a watch
 * proves that its connection is alive: ApiClient gives up a connection that is silent for longer.
 */
const WATCH_SECONDS = 15;
/** Milliseconds that a watch lasts at least, unless it is lost. */
const IN_DUE_TIME = (WATCH_SECONDS - 1) * 1000;
/** Milliseconds: the shortest time between the starts of two watches. */
const SHORTEST = 1000;
/** Milliseconds before a restart after an error. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 15_000;
const GONE = 410;

export class KindWatch {
  readonly #options: KindWatchOptions;
  readonly #objects = new Map<string, RawObject>();
  #resource: Resource;
  /** The resourceVersion to watch from; empty: list first. */
  #version = "";
  #turn = new AbortController();
  #wake: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();
  #closed = false;
  #isListed = false;
  #onListed: () => void = () => undefined;
  /** Resolves when all objects of the first list have been delivered. */
  readonly listed = new Promise<void>((resolve) => (this.#onListed = resolve));

  constructor(options: KindWatchOptions) {
    this.#options = options;
    this.#resource = options.resource;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Watches the objects in another version of their API. They stay known until that version has been listed. */
  move(resource: Resource): void {
    this.#resource = resource;
    this.#version = "";
    this.#interrupt();
  }

  get(namespace: string, name: string): RawObject | undefined {
    return this.#objects.get(keyOf({ metadata: { namespace, name } }));
  }

  /** All known objects. */
  objects(): readonly RawObject[] {
    return [...this.#objects.values()];
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#interrupt();
    await this.#running;
  }

  #interrupt(): void {
    this.#turn.abort();
    this.#wake();
  }

  async #run(): Promise<void> {
    const backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
    while (!this.#closed) {
      const began = performance.now();
      const { signal } = (this.#turn = new AbortController());
      const error = await this.#follow(signal);
      if (signal.aborted) continue;
      const lived = performance.now() - began;
      if (error === undefined || lived >= SHORTEST) backoff.succeeded();
      if (error === undefined) {
        await this.#rest(SHORTEST - lived);
      } else {
        if (error.status !== GONE) this.#options.onError(error);
        await this.#rest(backoff.failed());
      }
    }
  }

  /** One watch, after a list if there is no version to watch from. */
  async #follow(signal: AbortSignal): Promise<ApiError | undefined> {
    try {
      if (this.#version === "") await this.#list(signal);
      signal.throwIfAborted();
      const query = {
        ...this.#selectors(),
        ...{ watch: "true", allowWatchBookmarks: "true", timeoutSeconds: WATCH_SECONDS },
        resourceVersion: this.#version,
      };
      const began = performance.now();
      const events = await this.#options.client.watch({ path: this.#path(), query }, signal);
      for await (const event of events) {
        if (signal.aborted) return undefined;
        this.#take(event);
      }
      if (performance.now() - began < IN_DUE_TIME) this.#version = "";
      return undefined;
    } catch (error: unknown) {
      // The API server may come back with an older history that has not reached this version: a watch from it would stay silent.
      this.#version = "";
      return error instanceof ApiError
        ? error
        : new ApiError(0, "", String(error), { cause: error });
    }
  }

  /** Resolves after the pause, or on an interrupt. */
  #rest(pause: number): Promise<void> {
    if (pause <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pause);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #path(): string {
    return listPath(this.#resource, this.#options.namespace);
  }

  #selectors(): { readonly labelSelector?: string; readonly fieldSelector?: string } {
    const { labelSelector, fieldSelector } = this.#options;
    return {
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
    };
  }

  /** All pages of one version. */
  async #list(signal: AbortSignal): Promise<void> {
    const path = this.#path();
    const items: RawObject[] = [];
    let next: string | undefined;
    let version: string;
    do {
      const query = { ...this.#selectors(), limit: PAGE, continue: next };
      const page = readList(await this.#options.client.call({ path, query }));
      items.push(...page.items);
      version = page.version;
      next = page.next;
    } while (next !== undefined);
    signal.throwIfAborted();
    const found = new Set(items.map(keyOf));
    for (const [key, object] of this.#objects) if (!found.has(key)) this.#forget(key, object);
    for (const object of items) this.#putListed(object);
    this.#version = version;
    if (this.#isListed) this.#options.onListedAgain();
    this.#isListed = true;
    this.#onListed();
  }

  #take(event: unknown): void {
    const { type, object } = isObject(event) ? event : {};
    if (!isObject(object)) return;
    if (type === "ERROR") throw errorOf(object);
    if (type === "DELETED" && isRawObject(object)) {
      const key = keyOf(object);
      const known = this.#objects.get(key);
      if (known !== undefined) this.#forget(key, known);
    } else if (type !== "BOOKMARK" && isRawObject(object)) {
      this.#put(keyOf(object), this.#trimmed(object));
    }
    this.#version = versionOf(object) || this.#version;
  }

  /** Compares contents, because an API server that was restored reuses versions. */
  #putListed(listed: RawObject): void {
    const key = keyOf(listed);
    const object = this.#trimmed(listed);
    if (!isDeepStrictEqual(object, this.#objects.get(key))) this.#put(key, object);
  }

  #trimmed(object: RawObject): RawObject {
    return keptParts(object, apiVersionOf(this.#resource), this.#resource.kind);
  }

  #put(key: string, object: RawObject): void {
    const before = this.#objects.get(key);
    const kept = sharing(object, before);
    this.#objects.set(key, kept);
    this.#options.onObject(kept, before);
  }

  #forget(key: string, object: RawObject): void {
    this.#objects.delete(key);
    this.#options.onGone(object);
  }
}

function keyOf({ metadata: { namespace = "", name } }: RawObject): string {
  return `${namespace}/${name}`;
}

function readList(value: unknown): {
  readonly items: readonly RawObject[];
  readonly version: string;
  readonly next: string | undefined;
} {
  const list = isObject(value) ? value : {};
  const items = Array.isArray(list["items"]) ? list["items"].filter(isRawObject) : [];
  const next = isObject(list["metadata"]) ? list["metadata"]["continue"] : undefined;
  return {
    items,
    version: versionOf(list),
    next: typeof next === "string" && next !== "" ? next : undefined,
  };
}

function versionOf(value: Readonly<Record<string, unknown>>): string {
  const version = isObject(value["metadata"]) ? value["metadata"]["resourceVersion"] : undefined;
  return typeof version === "string" ? version : "";
}

/** The error in the Status object that ends a watch. */
function errorOf(status: Readonly<Record<string, unknown>>): ApiError {
  const { code, reason, message } = status;
  return new ApiError(
    typeof code === "number" ? code : 0,
    typeof reason === "string" ? reason : "",
    typeof message === "string" ? message : "the API server ended the watch with an error",
  );
}
