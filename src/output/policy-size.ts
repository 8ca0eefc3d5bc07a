import { PolicyTooLarge } from "../support/policy-too-large.js";
import type { RenderedPolicy } from "../render/rendered-policy.js";

const MIB = 1024 * 1024;
/** Bytes. A text has at most 512 Mi characters, and policy.json and the change that is sent are one each; nginx needs four times it. */
const LARGEST_POLICY = 256 * MIB;
const MOST_NAMED = 3;

/** Throws PolicyTooLarge for a policy that could be neither written nor sent. */
export function mustFit(policy: RenderedPolicy): void {
  if (policy.size <= LARGEST_POLICY) return;
  const [size, limit] = [policy.size, LARGEST_POLICY].map((bytes) =>
    String(Math.ceil(bytes / MIB)),
  );
  const named = largestRoutes(policy).map(([name, count]) => `${name} (${String(count)} bindings)`);
  const of = named.length === 0 ? "" : `; most of it is of ${named.join(", ")}`;
  throw new PolicyTooLarge(
    `policy.json would have ${size ?? ""} MiB, at most ${limit ?? ""} MiB can be served${of}`,
  );
}

/** Objects by how often they are bound, most first. */
function largestRoutes(policy: RenderedPolicy): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const json of policy.maps.get("hosts")?.shards.values() ?? []) {
    // Kind, namespace and name: what follows is the rule's.
    for (const [, name = ""] of json.matchAll(/"route":"([^"/]*\/[^"/]*\/[^"/]*)/g)) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, MOST_NAMED);
}
