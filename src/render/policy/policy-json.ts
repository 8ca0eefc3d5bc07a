/**
 * policy.json as text: a line for each shard, and for each binding of a host, so that a diff shows what changed. Made
 * for eyes; the data plane reads any JSON of this shape.
 */
import { canonicalJson, sortedEntries } from "./canonical-json.js";
import type { PolicyDocument } from "./policy-document.js";

export function policyJson(policy: PolicyDocument): string {
  const { format, version, settings, servers, hosts, routes, auths, upstreams, certificates } =
    policy;
  const fields = [
    `"format": ${canonicalJson(format)}`,
    `"version": ${canonicalJson(version)}`,
    `"settings": ${canonicalJson(settings)}`,
    `"servers": ${shards(servers)}`,
    `"hosts": ${shards(hosts)}`,
    `"routes": ${shards(routes)}`,
    `"auths": ${shards(auths)}`,
    `"upstreams": ${shards(upstreams)}`,
    `"certificates": ${shards(certificates)}`,
  ];
  return `{\n  ${fields.join(",\n  ")}\n}\n`;
}

function shards(map: Readonly<Record<string, unknown>>): string {
  const lines = sortedEntries(map).map(
    ([key, value]) => `    ${canonicalJson(key)}: ${shard(value)}`,
  );
  return lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n  }`;
}

function shard(value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return canonicalJson(value);
  return `[\n${value.map((entry) => `      ${canonicalJson(entry)}`).join(",\n")}\n    ]`;
}
