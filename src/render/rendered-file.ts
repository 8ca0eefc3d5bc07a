import { createHash } from "node:crypto";
import { groupBy } from "../support/collections.js";
import type { SecretText } from "../support/secret-text.js";
import { type ShardChange, ShardMap } from "./shard-map.js";
import { PolicyTooLarge } from "../support/errors.js";

/** A file of the output, in memory. */
export interface RenderedFile {
  /** Relative to the output folder, with `/`; contains only generated names and digests. */
  readonly path: string;
  /** The text, or an object whose `reveal` returns it. */
  readonly contents: string | SecretText | RenderedPolicy;
  /** 0o600 for a file with a secret (0o640 if nginx is another user of albc's group), otherwise 0o644. */
  readonly mode: 0o600 | 0o640 | 0o644;
}

/** The text of a file in chunks, to write it. */
export function piecesOf({ contents }: RenderedFile): Iterable<string> {
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

const MIB = 1024 * 1024;
/** Bytes. A JavaScript string has at most 512 Mi characters, and policy.json and its delta are one each; nginx needs four times the size. */
const LARGEST_POLICY = 256 * MIB;
const MOST_NAMED = 3;

/** Throws PolicyTooLarge for a policy that can't be written or sent. */
export function mustFit(policy: RenderedPolicy): void {
  if (policy.size <= LARGEST_POLICY) return;
  const [size, limit] = [policy.size, LARGEST_POLICY].map(inMib);
  throw new PolicyTooLarge(
    `policy.json would have ${size ?? ""}, at most ${limit ?? ""} can be served${whose(policy)}`,
  );
}

function whose(policy: RenderedPolicy): string {
  const objects = policyShares(policy);
  if (objects.length === 0) return "";
  const namespaces = [...groupBy(objects, ({ name }) => name.split("/")[1] ?? "")]
    .map(([name, own]) => ({
      name,
      count: own.length,
      size: own.reduce((sum, { size }) => sum + size, 0),
    }))
    .sort(bySize);
  const most = namespaces
    .slice(0, MOST_NAMED)
    .map(({ name, size, count }) => `${name} (${inMib(size)} of ${String(count)} objects)`);
  const largest = objects.slice(0, MOST_NAMED).map(({ name, size }) => `${name} (${inMib(size)})`);
  return `; most of it is of the namespaces ${most.join(", ")}; the largest objects are ${largest.join(", ")}`;
}

function inMib(bytes: number): string {
  return `${String(Math.ceil(bytes / MIB))} MiB`;
}

/** Maps whose keys start with an object. */
const OF_OBJECTS = ["routes", "auths"];
const OBJECT = /^[^/]*\/[^/]*\/[^/@]*/;
const ROUTE = /"route":"([^"]*)"/;

/** Objects `<kind>/<namespace>/<name>` with their characters, largest first: an operator sees which of thousands is too large. */
export function policyShares({
  maps,
}: RenderedPolicy): readonly { readonly name: string; readonly size: number }[] {
  const sizes = new Map<string, number>();
  const add = (id: string, size: number): void => {
    const [name] = OBJECT.exec(id) ?? [];
    if (name !== undefined) sizes.set(name, (sizes.get(name) ?? 0) + size);
  };
  const shards = (map: string): Iterable<readonly [string, string]> => maps.get(map)?.shards ?? [];
  for (const map of OF_OBJECTS) for (const [id, json] of shards(map)) add(id, json.length);
  // Each line is a binding.
  for (const [, json] of shards("hosts"))
    for (const line of json.split("\n")) add(ROUTE.exec(line)?.[1] ?? "", line.length);
  // Endpoints of a Service.
  for (const [id, json] of shards("upstreams")) add(`service/${id}`, json.length);
  return [...sizes].map(([name, size]) => ({ name, size })).sort(bySize);
}

function bySize(a: { readonly size: number }, b: { readonly size: number }): number {
  return b.size - a.size;
}
