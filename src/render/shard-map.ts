import { createHash } from "node:crypto";
import { compareStrings } from "../support/collections.js";
import { fnv1a } from "../support/text.js";

/** Key and JSON. The JSON may have several lines, but no line break within a string. */
type Shard = readonly [string, string];

/** Key and JSON; undefined: the shard is removed. */
export type ShardChange = readonly [string, string | undefined];

/** Neighbouring shards. */
interface Part {
  readonly shards: readonly Shard[];
  readonly digest: Buffer;
  /** Bytes. */
  readonly size: number;
}

const OPEN = "{\n    ";
const BETWEEN = ",\n    ";
const CLOSE = "\n  }";
const EMPTY = "{}";
const NONE: Part = { shards: [], digest: Buffer.alloc(0), size: 0 };
/** Average number of shards in a part; a power of two. */
const PART = 64;

/**
 * One map of policy.json. Each entry is a shard, kept as its text in the file. A map that differs in a few shards shares all other parts.
 * The keys alone determine where a part ends, so equal maps have equal parts, whatever they were made from.
 */
export class ShardMap {
  readonly #parts: readonly Part[];
  /** Of the whole map. */
  readonly digest: string;
  /** Bytes of all `chunks`. */
  readonly size: number;

  private constructor(parts: readonly Part[]) {
    this.#parts = parts;
    const hash = createHash("sha256");
    for (const { digest } of parts) hash.update(digest);
    this.digest = hash.digest("base64");
    const within = parts.reduce((sum, { size }) => sum + size + BETWEEN.length, 0);
    this.size = parts.length === 0 ? EMPTY.length : within + CLOSE.length;
  }

  static readonly EMPTY = new ShardMap([]);

  /** The last of several entries with the same key wins. */
  static of(shards: Iterable<Shard>): ShardMap {
    return ShardMap.EMPTY.with(new Map(shards));
  }

  /** The map with these JSON texts; undefined removes the shard. */
  with(changes: ReadonlyMap<string, string | undefined>): ShardMap {
    if (changes.size === 0) return this;
    const left = [...changes].sort(inOrder).reverse();
    const parts: Part[] = [];
    let open: readonly Shard[] = [];
    const all = this.#parts.length === 0 ? [NONE] : this.#parts;
    for (const [i, part] of all.entries()) {
      // Keys after the last part belong to it.
      const own = taken(left, i === all.length - 1 ? undefined : part.shards.at(-1)?.[0]);
      if (open.length === 0 && own.length === 0) {
        parts.push(part);
        continue;
      }
      const divided = dividedAtEnds([...open, ...edited(part.shards, own)]);
      open = isClosed(divided.at(-1)) ? [] : (divided.pop() ?? []);
      parts.push(...divided.map(partOf));
    }
    if (open.length > 0) parts.push(partOf(open));
    return new ShardMap(parts);
  }

  /** In byte order of the keys. */
  get shards(): ReadonlyMap<string, string> {
    return new Map(this.#parts.flatMap(({ shards }) => shards));
  }

  /** Changed shards, then removed shards. */
  changesSince(before: ShardMap): readonly ShardChange[] {
    const now = new Set(this.#parts);
    const then = new Set(before.#parts);
    const gone = new Map(before.#parts.flatMap((part) => (now.has(part) ? [] : part.shards)));
    const changes: ShardChange[] = [];
    for (const part of this.#parts) {
      for (const [key, json] of then.has(part) ? [] : part.shards) {
        if (gone.get(key) !== json) changes.push([key, json]);
        gone.delete(key);
      }
    }
    for (const key of gone.keys()) changes.push([key, undefined]);
    return changes;
  }

  /** The text in policy.json, in chunks, because thousands of shards are megabytes. */
  *chunks(): Iterable<string> {
    let before = OPEN;
    for (const { shards } of this.#parts) {
      yield before + textOf(shards);
      before = BETWEEN;
    }
    yield before === OPEN ? EMPTY : CLOSE;
  }
}

/** Removes the changes up to the last key from the end of the list, which is sorted backwards; undefined: all of them. */
function taken(left: ShardChange[], last: string | undefined): readonly ShardChange[] {
  const found: ShardChange[] = [];
  for (let next = left.at(-1); next !== undefined; next = left.at(-1)) {
    if (last !== undefined && next[0] > last) break;
    found.push(next);
    left.pop();
  }
  return found;
}

function edited(shards: readonly Shard[], changes: readonly ShardChange[]): readonly Shard[] {
  if (changes.length === 0) return shards;
  const changed = [...new Map<string, string | undefined>([...shards, ...changes])].sort(inOrder);
  return changed.flatMap(([key, json]) => (json === undefined ? [] : [[key, json] as const]));
}

/** Divides the shards after each key that ends a part; the last list may lack such a key. */
function dividedAtEnds(shards: readonly Shard[]): (readonly Shard[])[] {
  const lists: Shard[][] = [];
  for (const shard of shards) {
    const last = lists.at(-1);
    if (last === undefined || isClosed(last)) lists.push([shard]);
    else last.push(shard);
  }
  return lists;
}

function isClosed(shards: readonly Shard[] = []): boolean {
  const last = shards.at(-1);
  return last === undefined || isEnd(last[0]);
}

function inOrder([a]: ShardChange, [b]: ShardChange): number {
  return compareStrings(a, b);
}

function partOf(shards: readonly Shard[]): Part {
  const text = Buffer.from(textOf(shards));
  return { shards, digest: createHash("sha256").update(text).digest(), size: text.length };
}

function textOf(shards: readonly Shard[]): string {
  return shards.map(([key, json]) => `${JSON.stringify(key)}: ${json}`).join(BETWEEN);
}

/** One key in PART ends its part. */
function isEnd(key: string): boolean {
  return ((fnv1a(key) >>> 16) & (PART - 1)) === 0;
}
