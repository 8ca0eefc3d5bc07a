/**
 * Follows all objects of the cluster that routing depends on. Kinds that are not served yet are picked up when their CRDs appear; kinds
 * whose CRDs are removed are forgotten; a kind whose best served version changes keeps its objects, and its watches move to that version.
 */
import type { KindName } from "../api/kinds.js";
import { KIND_NAMES } from "../api/kinds.js";
import type { KindTable } from "../input/kind-table.js";
import { Backoff } from "../support/backoff.js";
import { getOrInsert } from "../support/collections.js";
import { isObject } from "../support/json-object.js";
import type { ApiClient } from "./api-client.js";
import { ApiError, ifNotFound } from "./api-client.js";
import { KindWatch } from "./kind-watch.js";
import type { RawObject, Resource } from "./raw-object.js";
import { apiVersionOf, basePath, pluralOf } from "./raw-object.js";
import type { WatchScope } from "./scope.js";
import { plansFor } from "./scope.js";

export interface ClusterWatchOptions {
  readonly client: ApiClient;
  readonly table: KindTable;
  readonly scope: WatchScope;
  readonly onObject: (kind: KindName, object: RawObject, before: RawObject | undefined) => void;
  readonly onGone: (kind: KindName, object: RawObject) => void;
  /** A watch was lost, and its objects have been listed again: of what was written before, nothing need be left. */
  readonly onListedAgain: () => void;
  /** A watch is lost and begun again. */
  readonly onError: (kind: KindName, error: ApiError) => void;
  /** What is served could not be asked for; it is asked again. `isAgain`: the question before this one failed, too. */
  readonly onDiscoveryError: (error: unknown, isAgain: boolean) => void;
}

/** Milliseconds between two looks at what is served. */
const DISCOVERY_INTERVAL = 5000;
/** Milliseconds before a failed question is asked again. */
const FIRST_PAUSE = 250;
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
  readonly #kinds = new Map<string, WatchedKind>();
  readonly #backoff = new Backoff(FIRST_PAUSE, DISCOVERY_INTERVAL);
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: ClusterWatchOptions) {
    this.#options = options;
  }

  /** Resolves when every kind that is served has been listed as a whole. Throws what is no ApiError: asking again can't help. */
  async start(): Promise<void> {
    await new Promise<void>((onFirst, onUnusable) => {
      this.#look(onFirst, onUnusable);
    });
    await Promise.all(this.#watches().map((watch) => watch.listed));
  }

  /** What is served, and watched. */
  get resources(): readonly Resource[] {
    return [...this.#kinds.values()].map(({ resource }) => resource);
  }

  resourceOf(kind: string): Resource | undefined {
    return this.#kinds.get(kind)?.resource;
  }

  /** An object as a watch delivered it last. */
  get(kind: string, namespace: string, name: string): RawObject | undefined {
    for (const watch of this.#kinds.get(kind)?.watches ?? []) {
      const object = watch.get(namespace, name);
      if (object !== undefined) return object;
    }
    return undefined;
  }

  /** Whether a namespace is being deleted: its objects are deleted with it. */
  isTerminating(namespace: string): boolean {
    const found = this.get("Namespace", "", namespace);
    return found?.metadata.deletionTimestamp !== undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.all(this.#watches().map((watch) => watch.close()));
  }

  #watches(): readonly KindWatch[] {
    return [...this.#kinds.values()].flatMap(({ watches }) => watches);
  }

  /** Looks at what is served now, and again after a pause, which keeps the process alive. */
  #look(onFirst: () => void, onUnusable: (error: unknown) => void): void {
    const again = (pause: number): void => {
      if (this.#closed) return;
      this.#timer = setTimeout(() => {
        this.#look(onFirst, onUnusable);
      }, pause);
    };
    this.#discover().then(
      () => {
        this.#backoff.succeeded();
        onFirst();
        again(DISCOVERY_INTERVAL);
      },
      (error: unknown) => {
        const isUnusable = !(error instanceof ApiError) && this.#kinds.size === 0;
        if (isUnusable) onUnusable(error);
        else this.#options.onDiscoveryError(error, this.#backoff.hasFailed);
        again(this.#backoff.failed());
      },
    );
  }

  async #discover(): Promise<void> {
    const resources = await servedResources(this.#options.client, this.#options.table);
    if (this.#closed) return;
    const served = new Set<string>(resources.map(({ kind }) => kind));
    for (const [kind, known] of this.#kinds) {
      const misses = served.has(kind) ? 0 : known.misses + 1;
      this.#kinds.set(kind, { ...known, misses });
      if (misses >= MISSES) await this.#forget(known);
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

  async #forget({ resource, watches }: WatchedKind): Promise<void> {
    this.#kinds.delete(resource.kind);
    for (const watch of watches) {
      await watch.close();
      for (const object of watch.objects()) this.#options.onGone(resource.kind, object);
    }
  }

  #watch(resource: Resource): readonly KindWatch[] {
    const { client, scope, onObject, onGone, onListedAgain, onError } = this.#options;
    const { kind, namespaced } = resource;
    const watches = plansFor(kind, namespaced, scope).map(
      (plan) =>
        new KindWatch({
          ...plan,
          client,
          resource,
          onObject: (object, before) => {
            onObject(kind, object, before);
          },
          onGone: (object) => {
            onGone(kind, object);
          },
          onListedAgain,
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

/** The kinds that are served, each in the best version that we read. Throws ApiError when the API server can't be reached. */
export async function servedResources(
  client: ApiClient,
  table: KindTable,
): Promise<readonly Resource[]> {
  const known = new Map<string, Promise<ReadonlySet<string>>>();
  const plurals = (base: string): Promise<ReadonlySet<string>> =>
    getOrInsert(known, base, () => resourceNames(client, base));
  const found = await Promise.all(KIND_NAMES.map((kind) => find(kind, table, plurals)));
  return found.filter((resource) => resource !== undefined);
}

async function find(
  kind: KindName,
  table: KindTable,
  plurals: (base: string) => Promise<ReadonlySet<string>>,
): Promise<Resource | undefined> {
  const { group, versions, namespaced } = table[kind];
  for (const version of versions) {
    const names = await plurals(basePath({ group, version }));
    if (names.has(pluralOf(kind))) return { kind, group, version, namespaced };
  }
  return undefined;
}

async function resourceNames(client: ApiClient, base: string): Promise<ReadonlySet<string>> {
  return new Set(namesIn(await client.call({ path: base }).catch(ifNotFound)));
}

/** Names of an APIResourceList. */
function namesIn(list: unknown): readonly string[] {
  if (!isObject(list) || !Array.isArray(list["resources"])) return [];
  return list["resources"].flatMap((entry: unknown) =>
    isObject(entry) && typeof entry["name"] === "string" ? [entry["name"]] : [],
  );
}
