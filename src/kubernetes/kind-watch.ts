/**
 * Keeps up with the objects of one kind, in one namespace or all: lists them once, then watches; goes on after lost
 * connections, expired versions (410) and an API server that is away for hours. What was known stays known meanwhile.
 */
import type { KubeConfig, KubernetesListObject, KubernetesObject } from "@kubernetes/client-node";
import { ListWatch } from "@kubernetes/client-node";
import { isObject } from "../support/json-object.js";
import type { ApiClient } from "./api-client.js";
import { ApiError } from "./api-client.js";
import type { RawObject } from "./raw-object.js";
import { isRawObject, sharing, trimmed } from "./raw-object.js";
import type { Resource } from "./resource.js";
import { apiVersionOf, listPath } from "./resource.js";
import { TrimmingWatch } from "./trimming-watch.js";

export interface KindWatchOptions {
  readonly config: KubeConfig;
  readonly client: ApiClient;
  readonly resource: Resource;
  /** Empty: all namespaces. */
  readonly namespace: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly onObject: (object: RawObject) => void;
  readonly onGone: (object: RawObject) => void;
  /** Lost for now; it is begun again. `status` is 404 when the kind is not served any more. */
  readonly onError: (error: ApiError) => void;
}

/** Objects in one answer to a list; longer lists come in several. */
const PAGE = 500;
/** Milliseconds before it is begun again after an error: doubled each time, up to the longest. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 15_000;

type Item = RawObject & KubernetesObject;

export class KindWatch {
  readonly #options: KindWatchOptions;
  readonly #informer: ListWatch<Item>;
  #pause = FIRST_PAUSE;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #onListed: () => void = () => undefined;
  /** The first whole list has been handed on. */
  readonly listed = new Promise<void>((resolve) => (this.#onListed = resolve));

  constructor(options: KindWatchOptions) {
    const { config, resource, namespace, labelSelector, fieldSelector } = options;
    this.#options = options;
    this.#informer = new ListWatch<Item>(
      listPath(resource, namespace),
      new TrimmingWatch(config, (object) => (isRawObject(object) ? this.#changed(object) : object)),
      () => this.#list(),
      false,
      labelSelector,
      fieldSelector,
    );
    this.#informer.on("add", options.onObject);
    this.#informer.on("update", options.onObject);
    this.#informer.on("delete", options.onGone);
    this.#informer.on("error", (error: unknown) => {
      this.#failed(error);
    });
  }

  start(): void {
    void this.#informer.start();
  }

  /** Everything that is known now. */
  objects(): readonly RawObject[] {
    return this.#informer.list();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#informer.stop();
  }

  #changed(object: RawObject): RawObject {
    const { name, namespace } = object.metadata;
    return sharing(this.#trim(object), this.#informer.get(name, namespace));
  }

  #trim(object: RawObject): RawObject {
    const { resource } = this.#options;
    return trimmed(object, apiVersionOf(resource), resource.kind);
  }

  /** All pages of one version. */
  async #list(): Promise<KubernetesListObject<Item>> {
    const { client, resource, namespace, labelSelector, fieldSelector } = this.#options;
    const items: Item[] = [];
    let next: string | undefined;
    let resourceVersion: string | undefined;
    do {
      const page = readList(
        await client.call({
          path: listPath(resource, namespace),
          query: { labelSelector, fieldSelector, limit: PAGE, continue: next },
        }),
      );
      for (const object of page.items) items.push(this.#trim(object));
      resourceVersion = page.resourceVersion;
      next = page.next;
    } while (next !== undefined);
    // After the informer has handed on what it was given.
    setImmediate(this.#onListed);
    this.#pause = FIRST_PAUSE;
    return { items, metadata: { ...(resourceVersion !== undefined && { resourceVersion }) } };
  }

  #failed(error: unknown): void {
    if (this.#closed) return;
    this.#options.onError(asApiError(error));
    this.#timer = setTimeout(() => {
      void this.#informer.start();
    }, this.#pause);
    this.#timer.unref();
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
  }
}

function readList(value: unknown): {
  readonly items: readonly RawObject[];
  readonly resourceVersion?: string;
  readonly next?: string;
} {
  const list = isObject(value) ? value : {};
  const metadata = isObject(list["metadata"]) ? list["metadata"] : {};
  const items = Array.isArray(list["items"]) ? list["items"].filter(isRawObject) : [];
  const version = metadata["resourceVersion"];
  const next = metadata["continue"];
  return {
    items,
    ...(typeof version === "string" && { resourceVersion: version }),
    ...(typeof next === "string" && next !== "" && { next }),
  };
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const status =
    error instanceof Error && "statusCode" in error && typeof error.statusCode === "number"
      ? error.statusCode
      : 0;
  return new ApiError(status, "", message, { cause: error });
}
