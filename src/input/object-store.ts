/** Objects by kind, namespace and name. A store never changes: one that differs in some objects shares all else with it. */
import type { KindMap, KindName } from "../api/kinds.js";
import type { EndpointSlice, KubernetesObject } from "../api/wire.js";
import type { ResourceRef } from "../diagnostics/diagnostic.js";
import type { Locate } from "../diagnostics/sink.js";
import type { Difference } from "../support/collections.js";
import { patched } from "../support/collections.js";
import type { DecodedObject } from "./decode.js";
import type { Resources } from "./resources.js";
import { byNamespaceAndName, grantsIn } from "./resources.js";

const SERVICE_NAME_LABEL = "kubernetes.io/service-name";

interface Name {
  readonly namespace: string;
  readonly name: string;
}

/** Entries by namespace and name. A copy shares the namespaces that are not set in it. */
class NamespacedMap<T> {
  readonly #namespaces: Map<string, ReadonlyMap<string, T>>;
  /** Namespaces that are not shared. */
  readonly #own = new Map<string, Map<string, T>>();

  constructor(namespaces: ReadonlyMap<string, ReadonlyMap<string, T>> = new Map()) {
    this.#namespaces = new Map(namespaces);
  }

  copy(): NamespacedMap<T> {
    return new NamespacedMap(this.#namespaces);
  }

  /** Only before the copy is shared. */
  set({ namespace, name }: Name, entry: T | undefined): void {
    let names = this.#own.get(namespace);
    if (names === undefined) {
      names = new Map(this.#namespaces.get(namespace));
      this.#own.set(namespace, names);
      this.#namespaces.set(namespace, names);
    }
    if (entry === undefined) names.delete(name);
    else names.set(name, entry);
  }

  get(namespace: string, name: string): T | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  /** A new list. */
  entries(): T[] {
    return [...this.#namespaces.values()].flatMap((names) => [...names.values()]);
  }

  /** Where the other map has something else. */
  differences(other: NamespacedMap<T>): readonly Name[] {
    const namespaces = new Set([...this.#namespaces.keys(), ...other.#namespaces.keys()]);
    return [...namespaces].flatMap((namespace) => {
      const [a, b] = [this.#namespaces.get(namespace), other.#namespaces.get(namespace)];
      if (a === b) return [];
      const names = new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])]);
      return [...names].flatMap((name) =>
        a?.get(name) === b?.get(name) ? [] : [{ namespace, name }],
      );
    });
  }
}

/** Objects of one kind. */
class KindIndex<T extends KubernetesObject> {
  readonly #objects: NamespacedMap<T>;
  /** Absent until it is first needed: lists of some kinds never are. */
  #sorted: readonly T[] | undefined;
  /** Changes that `#sorted` lacks. */
  #changes: Difference<T>[] = [];

  constructor(objects = new NamespacedMap<T>(), sorted?: readonly T[]) {
    this.#objects = objects;
    this.#sorted = sorted;
  }

  copy(): KindIndex<T> {
    return new KindIndex(this.#objects.copy(), this.#sorted && this.list());
  }

  /** Only before the copy is shared, and each object at most once. */
  set(at: Name, now: T | undefined): void {
    this.#changes.push({ before: this.get(at.namespace, at.name), now });
    this.#objects.set(at, now);
  }

  get(namespace: string, name: string): T | undefined {
    return this.#objects.get(namespace, name);
  }

  list(): readonly T[] {
    this.#sorted =
      this.#sorted === undefined
        ? this.#objects.entries().sort(byNamespaceAndName)
        : patched(this.#sorted, this.#changes, byNamespaceAndName);
    this.#changes = [];
    return this.#sorted;
  }
}

type Index = { readonly [K in KindName]: KindIndex<KindMap[K]> };

/** By Service, sorted by name. Unchanged lists stay the same arrays. */
type Groups = NamespacedMap<readonly EndpointSlice[]>;

/** What became of one object: it is there now, or it is gone. */
export interface ObjectChange extends Name {
  readonly kind: KindName;
  readonly now?: DecodedObject | undefined;
}

export class ObjectStore {
  readonly #index: Index;
  readonly #slices: Groups;

  private constructor(index: Index, slices: Groups) {
    this.#index = index;
    this.#slices = slices;
  }

  static readonly EMPTY = new ObjectStore(emptyIndex(), new NamespacedMap());

  /** Each object at most once. */
  with(changes: readonly ObjectChange[]): ObjectStore {
    if (changes.length === 0) return this;
    const touched = new Set(changes.map((change) => change.kind));
    let index = this.#index;
    for (const kind of touched) index = { ...index, [kind]: index[kind].copy() };
    const slices = touched.has("EndpointSlice") ? this.#slices.copy() : this.#slices;
    for (const { kind, namespace, name, now } of changes) {
      if (kind === "EndpointSlice") {
        regroup(slices, index.EndpointSlice.get(namespace, name), undefined);
        if (isSlice(now)) regroup(slices, undefined, now.object);
      }
      if (now === undefined) index[kind].set({ namespace, name }, undefined);
      else put(index, now);
    }
    return new ObjectStore(index, slices);
  }

  /** As the rest of the program sees it. */
  resources(refused: readonly ResourceRef[], locate: Locate): Resources {
    const index = this.#index;
    const slices = this.#slices;
    return {
      list: (kind) => index[kind].list(),
      get: (kind, namespace, name) => index[kind].get(namespace, name),
      grants: (namespace) => grantsIn(index.ReferenceGrant.list(), namespace),
      slices,
      refused,
      locate,
    };
  }
}

/** A slice that moves to another Service leaves its old one. */
function regroup(
  groups: Groups,
  before: EndpointSlice | undefined,
  now: EndpointSlice | undefined,
): void {
  const { namespace = "", labels } = (now ?? before)?.metadata ?? {};
  const name = labels?.[SERVICE_NAME_LABEL];
  if (name === undefined) return;
  const others = (groups.get(namespace, name) ?? []).filter((slice) => slice !== before);
  const group = now === undefined ? others : [...others, now].sort(byNamespaceAndName);
  groups.set({ namespace, name }, group.length === 0 ? undefined : group);
}

function put<K extends KindName>(index: Index, entry: DecodedObject<K>): void {
  index[entry.kind].set(entry.object.metadata, entry.object);
}

function isSlice(entry: DecodedObject | undefined): entry is DecodedObject<"EndpointSlice"> {
  return entry?.kind === "EndpointSlice";
}

function emptyIndex(): Index {
  return {
    ALB2: new KindIndex(),
    Frontend: new KindIndex(),
    Rule: new KindIndex(),
    Ingress: new KindIndex(),
    IngressClass: new KindIndex(),
    GatewayClass: new KindIndex(),
    Gateway: new KindIndex(),
    ListenerSet: new KindIndex(),
    HTTPRoute: new KindIndex(),
    GRPCRoute: new KindIndex(),
    TLSRoute: new KindIndex(),
    TCPRoute: new KindIndex(),
    UDPRoute: new KindIndex(),
    BackendTLSPolicy: new KindIndex(),
    AuthPolicy: new KindIndex(),
    Service: new KindIndex(),
    EndpointSlice: new KindIndex(),
    Secret: new KindIndex(),
    ConfigMap: new KindIndex(),
    Namespace: new KindIndex(),
    ReferenceGrant: new KindIndex(),
  };
}
