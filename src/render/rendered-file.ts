import { createHash } from "node:crypto";
import type { SecretText } from "../support/secret-text.js";
import type { ShardChange } from "./shard-map.js";
import { ShardMap } from "./shard-map.js";

/** A file of the output, in memory. */
export interface RenderedFile {
  /** Relative to the output folder, with `/`; contains only generated names and digests. */
  readonly path: string;
  /** The text, or an object whose `reveal` returns it. */
  readonly contents: string | SecretText | RenderedPolicy;
  /** 0o600 for a file with a secret (0o640 if nginx is another user of albc's group), otherwise 0o644. */
  readonly mode: 0o600 | 0o640 | 0o644;
  /** nginx reads it at a reload; a change of this file alone may wait for one. */
  readonly patient?: true;
}

/** The text of a file in chunks, to write it. */
export function chunksOf({ contents }: RenderedFile): Iterable<string> {
  if (typeof contents === "string") return [contents];
  return "chunks" in contents ? contents.chunks() : [contents.reveal()];
}

/** The text of a file, to write or compare it. */
export function contentsOf({ contents }: RenderedFile): string {
  return typeof contents === "string" ? contents : contents.reveal();
}

/** Key of the only shard of `settings`, which is not a map in policy.json. */
export const SETTINGS_KEY = "-";
const SETTINGS = "settings";

/**
 * policy.json as shards, so a change is found and sent without looking at all of it; the text is made only when it is written. Each shard
 * and each binding of a host has its own line, so diffs are readable; the data plane reads any JSON of this shape.
 */
export class RenderedPolicy {
  readonly format: number;
  /** Digest of everything else, so equal policies have equal versions. */
  readonly version: string;
  /** In the order of the file. `settings` has one shard with the key `-`. */
  readonly maps: ReadonlyMap<string, ShardMap>;
  /** Bytes of the text. */
  readonly size: number;

  constructor(format: number, maps: ReadonlyMap<string, ShardMap>) {
    this.format = format;
    this.maps = maps;
    const hash = createHash("sha256").update(`${format}\n`);
    for (const [name, { digest }] of maps) hash.update(`${name} ${digest}\n`);
    this.version = hash.digest("hex").slice(0, 32);
    let size = this.#head().length + TAIL.length + Math.max(0, maps.size - 1) * BETWEEN.length;
    for (const [name, map] of maps) {
      size += before(name).length;
      size += name === SETTINGS ? Buffer.byteLength(settingsJson(map)) : map.size;
    }
    this.size = size;
  }

  /** Changed and removed shards as map, key and JSON, map by map. Without `before`: all shards. */
  changesSince(before?: RenderedPolicy): readonly (readonly [string, ...ShardChange])[] {
    const names = new Set([...this.maps.keys(), ...(before?.maps.keys() ?? [])]);
    return [...names].flatMap((name) => {
      const changes = shardsOf(this, name).changesSince(shardsOf(before, name));
      return changes.map((change) => [name, ...change] as const);
    });
  }

  /** The text of policy.json. */
  reveal(): string {
    return [...this.chunks()].join("");
  }

  /** The text of policy.json in chunks. */
  *chunks(): Iterable<string> {
    yield this.#head();
    let between = "";
    for (const [name, map] of this.maps) {
      yield between + before(name);
      between = BETWEEN;
      if (name === SETTINGS) yield settingsJson(map);
      else yield* map.chunks();
    }
    yield TAIL;
  }

  #head(): string {
    return `{\n  "format": ${this.format},\n  "version": "${this.version}",\n  `;
  }
}

function shardsOf(policy: RenderedPolicy | undefined, name: string): ShardMap {
  return policy?.maps.get(name) ?? ShardMap.EMPTY;
}

const BETWEEN = ",\n  ";
const TAIL = "\n}\n";

function before(name: string): string {
  return `"${name}": `;
}

function settingsJson({ shards }: ShardMap): string {
  return shards.get(SETTINGS_KEY) ?? "{}";
}
