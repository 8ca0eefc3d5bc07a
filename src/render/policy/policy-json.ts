/**
 * policy.json as text: a line for each shard, and for each binding of a host, so that a diff shows what changed. Made
 * for eyes; the data plane reads any JSON of this shape.
 */
import { createHash } from "node:crypto";
import { canonicalJson, sortedEntries } from "./canonical-json.js";
import type { PolicyContents } from "./build-policy.js";

/** The text, with a version that is a digest of everything else. */
export function policyJson(policy: PolicyContents): string {
  const { format, settings, servers, hosts, routes, auths, upstreams, backendTls, certificates } =
    policy;
  const rest = [
    `"settings": ${canonicalJson(settings)}`,
    `"servers": ${shards(servers)}`,
    `"hosts": ${shards(hosts)}`,
    `"routes": ${shards(routes)}`,
    `"auths": ${shards(auths)}`,
    `"upstreams": ${shards(upstreams)}`,
    ...(backendTls === undefined ? [] : [`"backendTls": ${shards(backendTls)}`]),
    `"certificates": ${shards(certificates)}`,
  ].join(",\n  ");
  const version = createHash("sha256").update(`${format}\n${rest}`).digest("hex").slice(0, 32);
  return `{\n  "format": ${format},\n  "version": "${version}",\n  ${rest}\n}\n`;
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
