import { fnv1a } from "./text.js";

/** Average number of entries of a bucket. */
const BUCKET = 32;

type Bucket<V> = ReadonlyMap<string, V>;
type Changes<V> = ReadonlyMap<string, V> | readonly (readonly [string, V])[];

/** Entries by text. A map with some changes shares everything else with the map before, so it costs what has changed. */
export class SharedMap<V> {
  /** Their number is a power of two. */
  readonly #buckets: readonly Bucket<V>[];
  readonly size: number;

  private constructor(buckets: readonly Bucket<V>[], size: number) {
    this.#buckets = buckets;
    this.size = size;
  }

  static of<V>(entries: Changes<V> = []): SharedMap<V> {
    return new SharedMap<V>([new Map()], 0).with(entries);
  }

  get(key: string): V | undefined {
    return this.#buckets[hashOf(key) & (this.#buckets.length - 1)]?.get(key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  *entries(): Iterable<readonly [string, V]> {
    for (const bucket of this.#buckets) yield* bucket;
  }

  values(): V[] {
    return this.#buckets.flatMap((bucket) => [...bucket.values()]);
  }

  /** The map with these entries; undefined removes one. */
  with(changes: Changes<V | undefined>): SharedMap<V> {
    const count = "size" in changes ? changes.size : changes.length;
    // Thousands of new entries would otherwise be set in few buckets first, and then again.
    const buckets = [...this.#fitting(this.size + count).#buckets];
    const own = new Map<number, Map<string, V>>();
    let { size } = this;
    for (const [key, value] of changes) {
      const at = hashOf(key) & (buckets.length - 1);
      let bucket = own.get(at);
      if (bucket === undefined) {
        bucket = new Map(buckets[at]);
        own.set(at, bucket);
        buckets[at] = bucket;
      }
      size -= bucket.size;
      if (value === undefined) bucket.delete(key);
      else bucket.set(key, value);
      size += bucket.size;
    }
    return own.size === 0 ? this : new SharedMap(buckets, size);
  }

  /** Keys whose values differ in the other map. */
  differences(other: SharedMap<V>): readonly string[] {
    const isAlike = this.#buckets.length === other.#buckets.length;
    const differing = isAlike
      ? this.#buckets.map((bucket, i) => differencesOf(bucket, other.#buckets[i]))
      : [differencesOf(new Map(this.entries()), new Map(other.entries()))];
    return differing.flat();
  }

  /** The map with room for so many entries. Maps only grow, so a size that goes up and down costs nothing. */
  #fitting(size: number): SharedMap<V> {
    if (size <= 2 * BUCKET * this.#buckets.length) return this;
    let count = 1;
    while (count * BUCKET < size) count *= 2;
    const buckets = Array.from({ length: count }, () => new Map<string, V>());
    for (const [key, value] of this.entries()) buckets[hashOf(key) & (count - 1)]?.set(key, value);
    return new SharedMap(buckets, this.size);
  }
}

function differencesOf<V>(a: Bucket<V>, b: Bucket<V> = new Map<string, V>()): readonly string[] {
  if (a === b) return [];
  const keys = new Set([...a.keys(), ...b.keys()]);
  return [...keys].filter((key) => a.get(key) !== b.get(key));
}

/** The number of buckets takes the low bits, which FNV-1a mixes least. */
function hashOf(key: string): number {
  const hash = fnv1a(key);
  return (hash >>> 15) ^ hash;
}
