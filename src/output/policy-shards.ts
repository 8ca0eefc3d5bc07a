/**
 * A policy as the control protocol sees it: a version and shards. It is taken from the text of policy.json, so that what
 * is sent is what is on disk; what is in a shard is of no interest here.
 */

/** Maps whose entries are shards; `settings` is one shard, with the key `-`. */
const MAPS = [
  "settings",
  "servers",
  "hosts",
  "routes",
  "auths",
  "upstreams",
  "backendTls",
  "certificates",
];

export interface PolicyShards {
  readonly version: string;
  readonly format: number;
  /** JSON text by `<map><TAB><key>`. */
  readonly shards: ReadonlyMap<string, string>;
}

/** Reads the text of policy.json. Throws when it is none: it is our own, so that is a bug. */
export function policyShards(text: string): PolicyShards {
  const document = record(JSON.parse(text));
  const { version, format } = document;
  if (typeof version !== "string" || typeof format !== "number") throw new Error("no policy");
  const shards = new Map<string, string>();
  for (const map of MAPS) {
    const entries = map === "settings" ? { "-": document[map] } : record(document[map] ?? {});
    for (const [key, value] of Object.entries(entries)) {
      shards.set(`${map}\t${key}`, JSON.stringify(value));
    }
  }
  return { version, format, shards };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) throw new Error("no policy");
  return Object.fromEntries(Object.entries(value));
}
