import type { RenderedPolicy } from "../render/rendered-file.js";

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
  for (const [map, key, json] of to.changesSince(from)) {
    if (!standsOnLine(key)) return undefined;
    lines.push(json === undefined ? `-\t${map}\t${key}` : `=\t${map}\t${key}\t${oneLine(json)}`);
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
