/** Objects by kind, namespace and name. Stores are immutable: a changed one shares everything else with the previous one. */
import { KIND_NAMES, type KindMap, type KindName } from "../api/kinds.js";
import type { EndpointSlice, KubernetesObject } from "../api/wire.js";
import { type Diagnostic, type ResourceRef, refKey } from "../diagnostics/diagnostic.js";
import { type Locate, sortDiagnostics } from "../diagnostics/sink.js";
import {
  type Difference,
  compareStrings,
  getOrInsert,
  patched,
  trimmed,
} from "../support/collections.js";
import { SharedMap } from "../support/shared-map.js";
import { type DecodedObject, decode } from "./decode.js";
import { diagnosticsOf } from "./documents.js";
import { type InputOptions, type KindTable, kindTable } from "./kind-table.js";
import { closedDiagnostic, keptDiagnostic } from "./last-good.js";
import {
  type ObjectDifference,
  type Resources,
  byNamespaceAndName,
  grantsIn,
  refDifferences,
} from "./resources.js";

const SERVICE_NAME_LABEL = "kubernetes.io/service-name";

interface Name {
  readonly namespace: string;
  readonly name: string;
}

/** Entries by namespace and name. A copy costs what is set in it. */
class NamespacedMap<T> {
  readonly #namespaces: Map<string, SharedMap<T>>;
  /** What `#namespaces` lacks. */
  readonly #changes = new Map<string, Map<string, T | undefined>>();

  constructor(namespaces: ReadonlyMap<string, SharedMap<T>> = new Map()) {
    this.#namespaces = new Map(namespaces);
  }

  copy(): NamespacedMap<T> {
    return new NamespacedMap(this.settled());
  }

  /** Only before the copy is shared. */
  set({ namespace, name }: Name, entry: T | undefined): void {
    getOrInsert(this.#changes, namespace, () => new Map()).set(name, entry);
  }

  get(namespace: string, name: string): T | undefined {
    const changes = this.#changes.size === 0 ? undefined : this.#changes.get(namespace);
    return changes?.has(name) === true
      ? changes.get(name)
      : this.#namespaces.get(namespace)?.get(name);
  }

  /** A new list. */
  entries(): T[] {
    return [...this.settled().values()].flatMap((names) => names.values());
  }

  /** Names whose entries differ in the other map. */
  differences(other: NamespacedMap<T>): readonly Name[] {
    const [own, others] = [this.settled(), other.settled()];
    const namespaces = new Set([...own.keys(), ...others.keys()]);
    return [...namespaces].flatMap((namespace) => {
      const [a = SharedMap.of<T>(), b = SharedMap.of<T>()] = [
        own.get(namespace),
        others.get(namespace),
      ];
      return a === b ? [] : a.differences(b).map((name) => ({ namespace, name }));
    });
  }

  /** The same, but with these namespaces as in the other map. */
  keeping(other: NamespacedMap<T>, kept: Iterable<string>): NamespacedMap<T> {
    const [namespaces, others] = [new Map(this.settled()), other.settled()];
    for (const namespace of kept) {
      const names = others.get(namespace);
      if (names === undefined) namespaces.delete(namespace);
      else namespaces.set(namespace, names);
    }
    return new NamespacedMap(namespaces);
  }

  /** With what was set. */
  settled(): ReadonlyMap<string, SharedMap<T>> {
    for (const [namespace, changes] of this.#changes) {
      const names = this.#namespaces.get(namespace) ?? SharedMap.of<T>();
      this.#namespaces.set(namespace, names.with(changes));
    }
    this.#changes.clear();
    return this.#namespaces;
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

  settle(): void {
    this.#objects.settled();
  }

  changesSince(other: KindIndex<T>): readonly Omit<ObjectDifference, "kind">[] {
    if (this === other) return NONE;
    return this.#objects.differences(other.#objects).map(({ namespace, name }) => {
      const [before, now] = [other.get(namespace, name), this.get(namespace, name)];
      return { namespace, name, before, now };
    });
  }

  keeping(other: KindIndex<T>, namespaces: ReadonlySet<string>): KindIndex<T> {
    if (!this.changesSince(other).some(({ namespace }) => namespaces.has(namespace))) return this;
    const isKept = ({ metadata }: T): boolean => namespaces.has(metadata.namespace);
    const own = this.list().filter((object) => !isKept(object));
    // Two sorted runs, which the sort only merges.
    const sorted = [...own, ...other.list().filter(isKept)].sort(byNamespaceAndName);
    return new KindIndex(this.#objects.keeping(other.#objects, namespaces), sorted);
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

/** A kind without objects may be absent. */
type Index = { readonly [K in KindName]?: KindIndex<KindMap[K]> };

const NONE: readonly never[] = [];

/** By Service, sorted by name. Unchanged lists stay the same arrays. */
type Groups = NamespacedMap<readonly EndpointSlice[]>;

/** `now`: the object; undefined if it was removed. */
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

  static readonly EMPTY = new ObjectStore({}, new NamespacedMap());

  /** Each object at most once. */
  with(changes: readonly ObjectChange[]): ObjectStore {
    if (changes.length === 0) return this;
    const touched = new Set(changes.map((change) => change.kind));
    let index = this.#index;
    for (const kind of touched)
      index = { ...index, [kind]: index[kind]?.copy() ?? new KindIndex() };
    const slices = touched.has("EndpointSlice") ? this.#slices.copy() : this.#slices;
    for (const { kind, namespace, name, now } of changes) {
      if (kind === "EndpointSlice") {
        regroup(slices, index.EndpointSlice?.get(namespace, name), undefined);
        if (isSlice(now)) regroup(slices, undefined, now.object);
      }
      if (now === undefined) index[kind]?.set({ namespace, name }, undefined);
      else put(index, now);
    }
    return new ObjectStore(index, slices).#settled(touched);
  }

  /** The first change after a start would otherwise wait for what the start has set. */
  #settled(touched: ReadonlySet<KindName>): this {
    for (const kind of touched) this.#index[kind]?.settle();
    this.#slices.settled();
    return this;
  }

  entry(kind: KindName, namespace: string, name: string): DecodedObject | undefined {
    const object = this.#index[kind]?.get(namespace, name);
    return object && { kind, object };
  }

  resources(refused: readonly ResourceRef[], locate: Locate): StoredResources {
    const [index, slices] = [this.#index, this.#slices];
    return {
      ...{ index, slices, refused, locate },
      list: (kind) => index[kind]?.list() ?? NONE,
      get: (kind, namespace, name) => index[kind]?.get(namespace, name),
      grants: (namespace) => grantsIn(index.ReferenceGrant?.list() ?? NONE, namespace),
      changesSince: (other: StoredResources) => [
        ...changesBetween(other.index, index),
        ...refDifferences(refused, other.refused),
      ],
      keeping: (other: StoredResources, namespaces) => {
        const store = new ObjectStore(
          keptIndex(index, other.index, namespaces),
          slices.keeping(other.slices, namespaces),
        );
        const isKept = ({ namespace }: ResourceRef): boolean => namespaces.has(namespace);
        const are = refused.filter((ref) => !isKept(ref));
        return store.resources([...are, ...other.refused.filter(isKept)], locate);
      },
    };
  }
}

/** What `ObjectStore.resources` returns: snapshots are only ever compared with each other. */
interface StoredResources extends Resources {
  readonly index: Index;
  readonly slices: Groups;
}

function changesBetween(before: Index, now: Index): readonly ObjectDifference[] {
  return KIND_NAMES.flatMap((kind) => {
    const changes = indexOf(now, kind).changesSince(indexOf(before, kind));
    return changes.map((change) => ({ kind, ...change }));
  });
}

function keptIndex(now: Index, before: Index, namespaces: ReadonlySet<string>): Index {
  return Object.fromEntries(
    KIND_NAMES.map((kind) => [kind, indexOf(now, kind).keeping(indexOf(before, kind), namespaces)]),
  );
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
  const group = now === undefined ? others : trimmed([...others, now].sort(byNamespaceAndName));
  groups.set({ namespace, name }, group.length === 0 ? undefined : group);
}

function indexOf<K extends KindName>(index: Index, kind: K): KindIndex<KindMap[K]> {
  return index[kind] ?? new KindIndex();
}

function put<K extends KindName>(index: Index, entry: DecodedObject<K>): void {
  index[entry.kind]?.set(entry.object.metadata, entry.object);
}

function isSlice(entry: DecodedObject | undefined): entry is DecodedObject<"EndpointSlice"> {
  return entry?.kind === "EndpointSlice";
}

/**
 * Objects of an API server, each checked once when it is added or changed. A refused object keeps its last valid version; without one it is
 * closed. A snapshot costs what has changed since the previous one.
 */
export class LiveObjects {
  readonly #table: KindTable;
  readonly #known = new Set<string>();
  /** Since the last snapshot, by key. */
  #changes = new Map<string, ObjectChange>();
  #store = ObjectStore.EMPTY;
  readonly #diagnosticsOf = new Map<string, readonly Diagnostic[]>();
  readonly #refusedOf = new Map<string, ResourceRef>();
  /** The two maps as lists; undefined once the map has changed. */
  #diagnostics: readonly Diagnostic[] | undefined = [];
  #refused: readonly ResourceRef[] | undefined = [];

  constructor(options: InputOptions) {
    this.#table = kindTable(options.albGroup);
  }

  /** Adds or replaces an object. `value` must have that kind, namespace and name. */
  put(kind: KindName, namespace: string, name: string, value: unknown): void {
    const decoded = decode(value, this.#table);
    if (decoded.result === "unknown") {
      this.#known.add(this.#note({ kind, namespace, name }));
      return;
    }
    const { result, ref, served } = decoded;
    const good = result === "refused" ? this.#good(kind, namespace, name) : undefined;
    const now = good ?? served?.entry;
    const outcome =
      ref && (good ? keptDiagnostic(ref) : served && closedDiagnostic(served.entry, ref));
    this.#known.add(
      this.#note(
        { kind, namespace, name, now },
        [...diagnosticsOf(decoded), ...(outcome ? [outcome] : [])],
        now === undefined ? ref : undefined,
      ),
    );
  }

  delete(kind: KindName, namespace: string, name: string): void {
    this.#known.delete(this.#note({ kind, namespace, name }));
  }

  /** The object as it was when it was last valid. */
  #good(kind: KindName, namespace: string, name: string): DecodedObject | undefined {
    const change = this.#changes.get(refKey({ kind, namespace, name }));
    const before = change ? change.now : this.#store.entry(kind, namespace, name);
    return before?.object.closed === undefined ? before : undefined;
  }

  /** The number of objects, including refused ones. */
  get size(): number {
    return this.#known.size;
  }

  snapshot(): { readonly resources: Resources; readonly diagnostics: readonly Diagnostic[] } {
    this.#store = this.#store.with([...this.#changes.values()]);
    this.#changes = new Map();
    this.#diagnostics ??= sortDiagnostics([...this.#diagnosticsOf.values()].flat());
    this.#refused ??= [...this.#refusedOf]
      .sort(([a], [b]) => compareStrings(a, b))
      .map(([, ref]) => ref);
    return {
      resources: this.#store.resources(this.#refused, nowhere),
      diagnostics: this.#diagnostics,
    };
  }

  /** Returns the key of the object. */
  #note(
    change: ObjectChange,
    diagnostics: readonly Diagnostic[] = NONE,
    refused?: ResourceRef,
  ): string {
    const key = refKey(change);
    this.#changes.set(key, change);
    const reported = diagnostics.length === 0 ? undefined : diagnostics;
    if (update(this.#diagnosticsOf, key, reported)) this.#diagnostics = undefined;
    if (update(this.#refusedOf, key, refused)) this.#refused = undefined;
    return key;
  }
}

/** Sets or removes an entry; returns whether that changes the map. */
function update<T>(map: Map<string, T>, key: string, value: T | undefined): boolean {
  if (value === undefined) return map.delete(key);
  map.set(key, value);
  return true;
}

const nowhere = (): undefined => undefined;
