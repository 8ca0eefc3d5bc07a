import { createHash } from "node:crypto";

/**
 * One map of policy.json. Each entry is a shard, kept as the text that stands in the file; what two maps have in common they may
 * share.
 */
export class ShardMap {
  /** JSON by key, in byte order of the keys. It may be on several lines, and has line breaks nowhere but between its parts. */
  readonly shards: ReadonlyMap<string, string>;
  /** Of the whole map. */
  readonly digest: string;
  /** Bytes of `text()`. */
  readonly size: number;

  /** Of two entries with one key the last counts. */
  constructor(entries: Iterable<readonly [string, string]>) {
    this.shards = sorted(new Map(entries));
    const text = Buffer.from(this.text());
    this.size = text.length;
    this.digest = createHash("sha256").update(text).digest("base64");
  }

  /** As it stands in policy.json. */
  text(): string {
    if (this.shards.size === 0) return "{}";
    const parts: string[] = [];
    let before = "{\n    ";
    for (const [key, json] of this.shards) {
      parts.push(before, JSON.stringify(key), ": ", json);
      before = ",\n    ";
    }
    return `${parts.join("")}\n  }`;
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
