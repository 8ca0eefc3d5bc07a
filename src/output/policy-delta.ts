import type { RenderedPolicy } from "../render/rendered-file.js";
import { ShardMap } from "../render/shard-map.js";

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
    const before = from?.maps.get(name) ?? ShardMap.EMPTY;
    for (const [key, json] of (to.maps.get(name) ?? ShardMap.EMPTY).changesSince(before)) {
      if (!standsOnLine(key)) return undefined;
      lines.push(
        json === undefined ? `-\t${name}\t${key}` : `=\t${name}\t${key}\t${oneLine(json)}`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

/** What stands between map and key, and between the lines, may not stand in it. */
function standsOnLine(key: string): boolean {
  return !/[\t\r\n\0]/.test(key);
}

/** In JSON a line break is never part of a value. */
function oneLine(json: string): string {
  return json.replace(/\n */g, "");
}
