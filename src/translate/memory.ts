/**
 * The results of earlier compilations. An object is translated again when it has changed, or when something that its translation read has
 * changed; keys (keys.ts) record both.
 */
import type { KubernetesObject } from "../api/wire.js";
import {
  ROUTING_KINDS,
  type RoutingKind,
  type RoutingResources,
  byNamespaceAndName,
} from "../input/resources.js";
import { differInUnreadOnly } from "../status/object-status.js";
import { type Difference, compareIds, listDifferences, patched } from "../support/collections.js";
import { type Key, grantsKey, keyOfObject, objectKey } from "./keys.js";

/** The objects of the last call. */
export class KnownObjects {
  readonly #lists = new Map<RoutingKind, readonly KubernetesObject[]>();

  /**
   * Keys of added, changed and removed objects; of all objects in the first call. Routing does not read EndpointSlices, nor most fields
   * of statuses.
   */
  changedKeys(resources: RoutingResources): ReadonlySet<Key> {
    return new Set(this.changed(resources).map(keyOfObject));
  }

  /** The objects of `changedKeys`. */
  changed(resources: RoutingResources): readonly KubernetesObject[] {
    const changed: KubernetesObject[] = [];
    for (const kind of ROUTING_KINDS) {
      const list: readonly KubernetesObject[] = resources.list(kind);
      const known = this.#lists.get(kind) ?? [];
      for (const { before, now } of listDifferences(known, list, byNamespaceAndName)) {
        const object = before ?? now;
        const isRead = !before || !now || !differInUnreadOnly(kind, before, now);
        if (object !== undefined && isRead) changed.push(object);
      }
      this.#lists.set(kind, list);
    }
    return changed;
  }
}

const NONE: readonly never[] = [];

/** Texts of facts about several objects, by key. */
export class Facts {
  #facts: ReadonlyMap<Key, string> = new Map();

  /** Keys of facts that differ from those of the last call. */
  changed(facts: ReadonlyMap<Key, string>): readonly Key[] {
    const known = this.#facts;
    if (known === facts) return NONE;
    this.#facts = facts;
    const keys = new Set([...known.keys(), ...facts.keys()]);
    return [...keys].filter((key) => known.get(key) !== facts.get(key));
  }
}

/** Readers of each key. Most keys have one. */
export class Readers {
  readonly #readers = new Map<Key, Key | Set<Key>>();

  has(key: Key): boolean {
    return this.#readers.has(key);
  }

  of(key: Key): Iterable<Key> {
    const readers = this.#readers.get(key) ?? NONE;
    return typeof readers === "string" ? [readers] : readers;
  }

  add(key: Key, reader: Key): void {
    const known = this.#readers.get(key);
    if (known === undefined) this.#readers.set(key, reader);
    else if (typeof known !== "string") known.add(reader);
    else if (known !== reader) this.#readers.set(key, new Set([known, reader]));
  }

  /** Whether it was the last one. */
  remove(key: Key, reader: Key): boolean {
    const known = this.#readers.get(key);
    if (typeof known === "object") known.delete(reader);
    const isLast = known === reader || (typeof known === "object" && known.size === 0);
    if (isLast) this.#readers.delete(key);
    return isLast;
  }
}

/** The result of one step for each object. */
export class Parts<T extends object> {
  readonly #parts = new Map<Key, T>();
  readonly #reads = new Map<Key, readonly Key[]>();
  readonly #readers = new Readers();
  readonly #unread: (key: Key) => void;

  /** `unread`: called with keys that nothing reads any more. */
  constructor(unread: (key: Key) => void = () => undefined) {
    this.#unread = unread;
  }

  get(key: Key): T | undefined {
    return this.#parts.get(key);
  }

  entries(): Iterable<readonly [Key, T]> {
    return this.#parts;
  }

  /** What the translation of the object read. */
  readsOf(key: Key): readonly Key[] {
    return this.#reads.get(key) ?? [];
  }

  isRead(key: Key): boolean {
    return this.#readers.has(key);
  }

  /** Objects whose translation read one of the keys. */
  readersOf(keys: Iterable<Key>): readonly Key[] {
    const all: Key[] = [];
    for (const key of keys) for (const reader of this.#readers.of(key)) all.push(reader);
    return all;
  }

  /** Translates the objects again. `translate` returns undefined for a removed object. */
  update(
    stale: Iterable<Key>,
    translate: (key: Key, reads: Set<Key>) => T | undefined,
  ): readonly (Difference<T> & { readonly key: Key })[] {
    return Array.from(new Set(stale), (key) => {
      const reads = new Set<Key>();
      const before = this.#parts.get(key);
      const now = translate(key, reads);
      this.#note(key, reads);
      if (now === undefined) this.#parts.delete(key);
      else this.#parts.set(key, now);
      return { key, before, now };
    });
  }

  /** Also for a translation without a result: it may have one once what it read has changed. */
  #note(key: Key, reads: ReadonlySet<Key>): void {
    for (const read of reads) this.#readers.add(read, key);
    for (const read of this.#reads.get(key) ?? []) {
      if (!reads.has(read) && this.#readers.remove(read, key)) this.#unread(read);
    }
    if (reads.size === 0) this.#reads.delete(key);
    else this.#reads.set(key, [...reads]);
  }
}

/** Values of several parts, each id once, sorted by id. */
export class Union<T extends { readonly id: string }> {
  readonly #counts = new Map<string, number>();
  readonly #changes = new Map<string, Difference<T>>();
  readonly #known = new Map<string, T>();
  #values: readonly T[] = [];

  /** Values of one id are equal. */
  replace(before: readonly T[], now: readonly T[]): void {
    for (const { id } of before) this.#count(id, -1);
    for (const value of now) {
      this.#count(value.id, 1);
      this.#set(value.id, value);
    }
    for (const { id } of before) if (!this.#counts.has(id)) this.#set(id, undefined);
  }

  get values(): readonly T[] {
    this.#values = patched(this.#values, [...this.#changes.values()], compareIds);
    this.#changes.clear();
    return this.#values;
  }

  #count(id: string, added: number): void {
    const count = (this.#counts.get(id) ?? 0) + added;
    if (count === 0) this.#counts.delete(id);
    else this.#counts.set(id, count);
  }

  #set(id: string, now: T | undefined): void {
    const before = this.#known.get(id);
    if (before === now) return;
    // Between two calls of `values` a value may be replaced several times.
    this.#changes.set(id, { before: (this.#changes.get(id) ?? { before }).before, now });
    if (now === undefined) this.#known.delete(id);
    else this.#known.set(id, now);
  }
}

/** The same resources; adds the key of every lookup to `reads`, also of one that finds nothing. */
export function listening(resources: RoutingResources, reads: Set<Key>): RoutingResources {
  return {
    get: (kind, namespace, name) => {
      reads.add(objectKey({ kind, namespace, name }));
      return resources.get(kind, namespace, name);
    },
    list: (kind) => {
      throw new Error(`a change of any ${kind} is not noticed`);
    },
    grants: (namespace) => {
      reads.add(grantsKey(namespace));
      return resources.grants(namespace);
    },
    refused: [],
  };
}
