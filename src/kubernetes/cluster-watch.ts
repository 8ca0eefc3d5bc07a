/**
 * Keeps up with all objects of the cluster that routing depends on. Kinds that are not served yet are picked up when their
 * CRDs appear; kinds whose CRDs are removed are forgotten.
 */
import type { KubeConfig } from "@kubernetes/client-node";
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
  readonly config: KubeConfig;
  readonly client: ApiClient;
  readonly table: KindTable;
  readonly scope: WatchScope;
  readonly onObject: (resource: Resource, object: RawObject) => void;
  readonly onGone: (resource: Resource, object: RawObject) => void;
  /** A watch is lost and begun again. */
  readonly onError: (resource: Resource, error: ApiError) => void;
  /** What is served could not be asked for; it is asked again. */
  readonly onDiscoveryError: (error: unknown) => void;
}

/** Milliseconds between two looks at what is served. */
const DISCOVERY_INTERVAL = 5000;
const NOT_FOUND = 404;
/** Looks in a row that must miss a kind: an API server that has just started does not serve its CRDs at once. */
const MISSES = 6;

export class ClusterWatch {
  readonly #options: ClusterWatchOptions;
  readonly #watches = new Map<string, readonly KindWatch[]>();
  readonly #misses = new Map<string, number>();
  #resources: readonly Resource[] = [];
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: ClusterWatchOptions) {
    this.#options = options;
  }

  /** Resolves when every kind that is served has been listed as a whole. Throws ApiError when nothing can be asked. */
  async start(): Promise<void> {
    await this.#discover();
    this.#discoverLater();
    await Promise.all([...this.#watches.values()].flat().map((watch) => watch.listed));
  }

  /** What is served, and watched. */
  get resources(): readonly Resource[] {
    return this.#resources;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.all([...this.#watches.values()].flat().map((watch) => watch.close()));
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
    const wanted = new Map(resources.map((resource) => [keyOf(resource), resource]));
    for (const [key, watches] of this.#watches) {
      const misses = wanted.has(key) ? 0 : (this.#misses.get(key) ?? 0) + 1;
      this.#misses.set(key, misses);
      if (misses >= MISSES) await this.#forget(key, watches);
    }
    for (const [key, resource] of wanted) {
      if (!this.#watches.has(key)) this.#watches.set(key, this.#watch(resource));
    }
    this.#resources = [
      ...resources,
      ...this.#resources.filter(
        (known) => !wanted.has(keyOf(known)) && this.#watches.has(keyOf(known)),
      ),
    ];
  }

  async #forget(key: string, watches: readonly KindWatch[]): Promise<void> {
    const resource = this.#resources.find((known) => keyOf(known) === key);
    this.#watches.delete(key);
    for (const watch of watches) {
      await watch.close();
      if (resource === undefined) continue;
      for (const object of watch.objects()) this.#options.onGone(resource, object);
    }
  }

  #watch(resource: Resource): readonly KindWatch[] {
    const { config, client, scope } = this.#options;
    const watches = plansFor(resource.kind, resource.namespaced, scope).map(
      (plan) =>
        new KindWatch({
          ...plan,
          config,
          client,
          resource,
          onObject: (object) => {
            this.#options.onObject(resource, object);
          },
          onGone: (object) => {
            this.#options.onGone(resource, object);
          },
          onError: (error) => {
            // Its CRD is gone: the next look at what is served will tell.
            if (error.status !== NOT_FOUND) this.#options.onError(resource, error);
          },
        }),
    );
    for (const watch of watches) watch.start();
    return watches;
  }
}

function keyOf(resource: Resource): string {
  return `${apiVersionOf(resource)} ${resource.kind}`;
}
