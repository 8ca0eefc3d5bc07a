/**
 * Follows all objects of the cluster that routing depends on. Kinds that are not served yet are picked up when their CRDs appear; kinds
 * whose CRDs are removed are forgotten; a kind whose best served version changes keeps its objects, and its watches move to that version.
 */
import type { KindName } from "../api/kinds.js";
import type { KindTable } from "../input/kind-table.js";
import type { ApiClient, ApiError } from "./api-client.js";
import { servedResources } from "./discovery.js";
import { KindWatch } from "./kind-watch.js";
import type { RawObject } from "./raw-object.js";
import type { Resource } from "./resource.js";
import { apiVersionOf } from "./resource.js";
import type { WatchScope } from "./scope.js";
import { plansFor } from "./scope.js";

export interface ClusterWatchOptions {
  readonly client: ApiClient;
  readonly table: KindTable;
  readonly scope: WatchScope;
  readonly onObject: (kind: KindName, object: RawObject) => void;
  readonly onGone: (kind: KindName, object: RawObject) => void;
  /** A watch is lost and begun again. */
  readonly onError: (kind: KindName, error: ApiError) => void;
  /** What is served could not be asked for; it is asked again. */
  readonly onDiscoveryError: (error: unknown) => void;
}

/** Milliseconds between two looks at what is served. */
const DISCOVERY_INTERVAL = 5000;
const NOT_FOUND = 404;
/** Looks in a row that must miss a kind: an API server that has just started does not serve its CRDs at once. */
const MISSES = 6;

interface WatchedKind {
  readonly resource: Resource;
  readonly watches: readonly KindWatch[];
  /** Looks in a row that did not find the kind. */
  readonly misses: number;
}

export class ClusterWatch {
  readonly #options: ClusterWatchOptions;
  readonly #kinds = new Map<KindName, WatchedKind>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: ClusterWatchOptions) {
    this.#options = options;
  }

  /** Resolves when every kind that is served has been listed as a whole. Throws ApiError when nothing can be asked. */
  async start(): Promise<void> {
    await this.#discover();
    this.#discoverLater();
    await Promise.all(this.#watches().map((watch) => watch.listed));
  }

  /** What is served, and watched. */
  get resources(): readonly Resource[] {
    return [...this.#kinds.values()].map(({ resource }) => resource);
  }

  resourceOf(kind: string): Resource | undefined {
    return this.resources.find((resource) => resource.kind === kind);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.all(this.#watches().map((watch) => watch.close()));
  }

  #watches(): readonly KindWatch[] {
    return [...this.#kinds.values()].flatMap(({ watches }) => watches);
  }

  #discoverLater(): void {
    this.#timer = setTimeout(() => {
      this.#discover()
        .catch((error: unknown) => {
          this.#options.onDiscoveryError(error);
        })
        .finally(() => {
          if (!this.#closed) this.#discoverLater();
        });
    }, DISCOVERY_INTERVAL);
    this.#timer.unref();
  }

  async #discover(): Promise<void> {
    const resources = await servedResources(this.#options.client, this.#options.table);
    if (this.#closed) return;
    const served = new Set(resources.map(({ kind }) => kind));
    for (const [kind, known] of this.#kinds) {
      const misses = served.has(kind) ? 0 : known.misses + 1;
      this.#kinds.set(kind, { ...known, misses });
      if (misses >= MISSES) await this.#forget(kind, known);
    }
    for (const resource of resources) this.#follow(resource);
  }

  #follow(resource: Resource): void {
    const known = this.#kinds.get(resource.kind);
    const watches = known?.watches ?? this.#watch(resource);
    this.#kinds.set(resource.kind, { resource, watches, misses: 0 });
    if (known !== undefined && apiVersionOf(known.resource) !== apiVersionOf(resource))
      for (const watch of watches) watch.move(resource);
  }

  async #forget(kind: KindName, { watches }: WatchedKind): Promise<void> {
    this.#kinds.delete(kind);
    for (const watch of watches) {
      await watch.close();
      for (const object of watch.objects()) this.#options.onGone(kind, object);
    }
  }

  #watch(resource: Resource): readonly KindWatch[] {
    const { client, scope, onObject, onGone, onError } = this.#options;
    const { kind, namespaced } = resource;
    const watches = plansFor(kind, namespaced, scope).map(
      (plan) =>
        new KindWatch({
          ...plan,
          client,
          resource,
          onObject: (object) => {
            onObject(kind, object);
          },
          onGone: (object) => {
            onGone(kind, object);
          },
          onError: (error) => {
            // The version is no longer served: the next look at what is served tells.
            if (error.status !== NOT_FOUND) onError(kind, error);
          },
        }),
    );
    for (const watch of watches) watch.start();
    return watches;
  }
}
