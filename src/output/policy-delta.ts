import type { PolicyShards } from "./policy-shards.js";

/**
 * The body of `PUT /policy` (docs/policy-format.md) that makes a data plane which serves `from` serve `to`: a first line,
 * then a line for each shard that differs. Without `from` everything is replaced.
 * Undefined when a key can't stand on a line; then only a reload brings the policy in. (No name that an API server
 * accepts has such a key.)
 */
export function policyDelta(from: PolicyShards | undefined, to: PolicyShards): string | undefined {
  const before = from?.shards ?? new Map<string, string>();
  const lines = [`albc-policy ${to.format} ${from?.version ?? "-"} ${to.version}`];
  for (const [key, json] of to.shards) {
    if (before.get(key) !== json) lines.push(`=\t${key}\t${json}`);
  }
  for (const key of before.keys()) {
    if (!to.shards.has(key)) lines.push(`-\t${key}`);
  }
  const keys = [...before.keys(), ...to.shards.keys()];
  return keys.every(standsOnLine) ? `${lines.join("\n")}\n` : undefined;
}

/** The tab between map and key is the only one, and there is no line break. */
function standsOnLine(key: string): boolean {
  return !/[\r\n\0]/.test(key) && key.split("\t").length === 2;
}
