/**
 * Watches all objects of the cluster that routing depends on. Kinds are added when their CRDs appear, and forgotten when those are
 * removed. A kind whose best served version changes keeps its objects, and its watches move to that version.
 */
import { type KindName, KIND_NAMES } from "../api/kinds.js";
import type { KindTable } from "../input/kind-table.js";
import { Backoff } from "../support/backoff.js";
import { getOrInsert } from "../support/collections.js";
import { isObject } from "../support/json-object.js";
import { type ApiClient, ApiError, ifNotFound } from "./api-client.js";
import { type KindWatchOptions, KindWatch } from "./kind-watch.js";
import { type RawObject, type Resource, apiVersionOf, basePath, pluralOf } from "./raw-object.js";

/** Which objects of the cluster are watched. */
export interface WatchScope {
  /** Namespaces to watch; empty: all. */
  readonly namespaces: readonly string[];
  /** Namespaces whose Secrets are read; `*`: all. */
  readonly secretNamespaces: readonly string[];
  /** Label selector for routes, Ingresses, Gateways and the load balancer's own kinds; empty: all. */
  readonly labelSelector: string;
  /** Label selector for Services and EndpointSlices; empty: all. */
  readonly backendSelector: string;
}

/** Milliseconds between two reads of the list of served kinds. */
const DISCOVERY_INTERVAL = 5000;
/** Milliseconds before a failed read is retried. */
const FIRST_PAUSE = 250;
const NOT_FOUND = 404;
/** Reads in a row that must miss a kind before it is forgotten: a new API server does not serve its CRDs at once. */
const MISSES = 6;

interface WatchedKind {
  readonly resource: Resource;
  readonly watches: readonly KindWatch[];
  /** Reads in a row that did not find the kind. */
  readonly misses: number;
}

export class ClusterWatch {
  readonly #options: ConstructorParameters<typeof ClusterWatch>[0];
  readonly #kinds = new Map<string, WatchedKind>();
  readonly #backoff = new Backoff(FIRST_PAUSE, DISCOVERY_INTERVAL);
  /** Of the read under way. A retry asks only for those that are missing: where many are lost, all of them hardly ever come at once. */
  #answers: ServedNames = new Map();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: {
    readonly client: ApiClient;
    readonly table: KindTable;
    readonly scope: WatchScope;
    readonly onObject: (kind: KindName, object: RawObject, before: RawObject | undefined) => void;
    readonly onGone: (kind: KindName, object: RawObject) => void;
    /** A watch was lost, and its objects have been listed again. Earlier writes may be lost, too. */
    readonly onListedAgain: () => void;
    /** A watch was lost and is restarted. */
    readonly onError: (kind: KindName, error: ApiError) => void;
    /** The list of served kinds could not be read; it is retried. `isAgain`: the previous try failed, too. */
    readonly onDiscoveryError: (error: unknown, isAgain: boolean) => void;
  }) {
    this.#options = options;
  }

  /** Resolves when all objects of every served kind are known. Throws errors that are no ApiError: a retry can't help. */
  async start(): Promise<void> {
    await new Promise<void>((onFirst, onUnusable) => {
      this.#look(onFirst, onUnusable);
    });
    await Promise.all(this.#watches().map((watch) => watch.listed));
  }

  /** The kinds that are served and watched. */
  get resources(): readonly Resource[] {
    return [...this.#kinds.values()].map(({ resource }) => resource);
  }

  resourceOf(kind: string): Resource | undefined {
    return this.#kinds.get(kind)?.resource;
  }

  /** The latest state of an object that a watch delivered. */
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

  /** Reads the list of served kinds, now and after each pause. The timer keeps the process alive. */
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
    const { client, table } = this.#options;
    const resources = await servedResources(client, table, this.#answers);
    this.#answers = new Map();
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
            // The version is no longer served: the next read of the list finds out.
            if (error.status !== NOT_FOUND) onError(kind, error);
          },
        }),
    );
    for (const watch of watches) watch.start();
    return watches;
  }
}

/** Names of resources that are served, by the path of their group's version. */
type ServedNames = Map<string, Promise<ReadonlySet<string>>>;

/**
 * The served kinds, each in the best version that albc reads. Throws ApiError if the API server can't be reached. What is in `answers` is
 * not asked for, and what has been answered is put there.
 */
export async function servedResources(
  client: Pick<ApiClient, "call">,
  table: KindTable,
  answers: ServedNames = new Map(),
): Promise<readonly Resource[]> {
  const ask = async (base: string): Promise<ReadonlySet<string>> => {
    try {
      return await resourceNames(client, base);
    } catch (error: unknown) {
      answers.delete(base);
      throw error;
    }
  };
  const plurals = (base: string): Promise<ReadonlySet<string>> =>
    getOrInsert(answers, base, () => ask(base));
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

async function resourceNames(
  client: Pick<ApiClient, "call">,
  base: string,
): Promise<ReadonlySet<string>> {
  return new Set(namesIn(await client.call({ path: base }).catch(ifNotFound)));
}

/** Names of an APIResourceList. */
function namesIn(list: unknown): readonly string[] {
  if (!isObject(list) || !Array.isArray(list["resources"])) return [];
  return list["resources"].flatMap((entry: unknown) =>
    isObject(entry) && typeof entry["name"] === "string" ? [entry["name"]] : [],
  );
}

/** Kinds that `labelSelector` applies to. */
const SELECTED: ReadonlySet<string> = new Set<KindName>([
  "ALB2",
  "Frontend",
  "Rule",
  "Ingress",
  "Gateway",
  "ListenerSet",
  "HTTPRoute",
  "GRPCRoute",
  "TLSRoute",
  "TCPRoute",
  "UDPRoute",
]);

/** Whether `labelSelector` applies to the kind. */
export function isSelected(kind: string): boolean {
  return SELECTED.has(kind);
}

/** Kinds that `backendSelector` applies to: of a large cluster, most objects are of these. */
const BACKENDS: ReadonlySet<KindName> = new Set(["Service", "EndpointSlice"]);

/** Helm stores its releases in large Secrets, which nothing refers to. */
const USEFUL_SECRETS = "type!=helm.sh/release.v1";
const EVERYWHERE = "*";

/** The watches that a kind needs; an empty namespace means all. */
function plansFor(
  kind: KindName,
  namespaced: boolean,
  scope: WatchScope,
): readonly Pick<KindWatchOptions, "namespace" | "labelSelector" | "fieldSelector">[] {
  const backendSelector = BACKENDS.has(kind) ? scope.backendSelector : "";
  const labelSelector = SELECTED.has(kind) ? scope.labelSelector : backendSelector;
  const selectors = {
    ...(labelSelector !== "" && { labelSelector }),
    ...(kind === "Secret" && { fieldSelector: USEFUL_SECRETS }),
  };
  if (!namespaced) return [{ namespace: "", ...selectors }];
  const wanted = kind === "Secret" ? secretNamespaces(scope) : scope.namespaces;
  if (kind !== "Secret" && wanted.length === 0) return [{ namespace: "", ...selectors }];
  if (wanted.includes(EVERYWHERE)) return [{ namespace: "", ...selectors }];
  return [...new Set(wanted)].sort().map((namespace) => ({ namespace, ...selectors }));
}

/** Only namespaces that are watched. */
function secretNamespaces({ namespaces, secretNamespaces: wanted }: WatchScope): readonly string[] {
  if (namespaces.length === 0) return wanted;
  if (wanted.includes(EVERYWHERE)) return namespaces;
  return wanted.filter((namespace) => namespaces.includes(namespace));
}
