import type { RenderedPolicy } from "../render/rendered-file.js";

type Shards = ReadonlyMap<string, string>;

const NONE: Shards = new Map();

/**
 * The body of `PUT /policy` (docs/policy-format.md) that makes a data plane which serves `from` serve `to`: a first line,
 * then a line for each shard that differs. Without `from` everything is replaced.
 * Undefined when a key can't stand on a line; then only a reload brings the policy in. (No name that an API server
 * accepts has such a key.)
 */
export function policyDelta(
  from: RenderedPolicy | undefined,
  to: RenderedPolicy,
): string | undefined {
  const lines = [`albc-policy ${to.format} ${from?.version ?? "-"} ${to.version}`];
  for (const name of new Set([...to.maps.keys(), ...(from?.maps.keys() ?? [])])) {
    const changes = changesOf(name, shardsOf(from, name), shardsOf(to, name));
    if (changes === undefined) return undefined;
    for (const line of changes) lines.push(line);
  }
  return `${lines.join("\n")}\n`;
}

function shardsOf(policy: RenderedPolicy | undefined, name: string): Shards {
  return policy?.maps.get(name)?.shards ?? NONE;
}

function changesOf(name: string, before: Shards, after: Shards): readonly string[] | undefined {
  const lines: string[] = [];
  if (before === after) return lines;
  for (const [key, json] of after) {
    if (before.get(key) === json) continue;
    if (!standsOnLine(key)) return undefined;
    lines.push(`=\t${name}\t${key}\t${oneLine(json)}`);
  }
  for (const key of before.keys()) {
    if (after.has(key)) continue;
    if (!standsOnLine(key)) return undefined;
    lines.push(`-\t${name}\t${key}`);
  }
  return lines;
}

/** What stands between map and key, and between the lines, may not stand in it. */
function standsOnLine(key: string): boolean {
  return !/[\t\r\n\0]/.test(key);
}

/** In JSON a line break is never part of a value. */
function oneLine(json: string): string {
  return json.replace(/\n */g, "");
}
