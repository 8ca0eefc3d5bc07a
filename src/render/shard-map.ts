import { createHash } from "node:crypto";

/** Characters, about. */
const CHUNK = 65_536;

/**
 * One map of policy.json. Each entry is a shard, kept as the text that stands in the file; what two maps have in common they may
 * share.
 */
export class ShardMap {
  /** JSON by key, in byte order of the keys. It may be on several lines, and has line breaks nowhere but between its parts. */
  readonly shards: ReadonlyMap<string, string>;
  /** Of the whole map. */
  readonly digest: string;
  /** Bytes of all `chunks`. */
  readonly size: number;

  /** Of two entries with one key the last counts. */
  constructor(entries: Iterable<readonly [string, string]>) {
    this.shards = sorted(new Map(entries));
    const hash = createHash("sha256");
    let size = 0;
    for (const chunk of this.chunks()) {
      const bytes = Buffer.from(chunk);
      size += bytes.length;
      hash.update(bytes);
    }
    this.size = size;
    this.digest = hash.digest("base64");
  }

  /** As it stands in policy.json, in pieces: of thousands of shards the whole is megabytes. */
  *chunks(): Iterable<string> {
    let parts: string[] = [];
    let length = 0;
    let before = "{\n    ";
    for (const [key, json] of this.shards) {
      parts.push(before, JSON.stringify(key), ": ", json);
      before = ",\n    ";
      length += json.length;
      if (length < CHUNK) continue;
      yield parts.join("");
      [parts, length] = [[], 0];
    }
    yield this.shards.size === 0 ? "{}" : `${parts.join("")}\n  }`;
  }
}

function sorted(shards: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  let last = "";
  for (const key of shards.keys()) {
    if (key < last) return new Map([...shards].sort(([a], [b]) => (a < b ? -1 : 1)));
    last = key;
  }
  return shards;
}
