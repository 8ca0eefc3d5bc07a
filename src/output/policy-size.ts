import type { RenderedPolicy } from "../render/rendered-file.js";
import { PolicyTooLarge } from "../support/errors.js";

const MIB = 1024 * 1024;
/** Bytes. A JavaScript string has at most 512 Mi characters, and policy.json and its delta are one each; nginx needs four times the size. */
const LARGEST_POLICY = 256 * MIB;
const MOST_NAMED = 3;

/** Throws PolicyTooLarge for a policy that can't be written or sent. */
export function mustFit(policy: RenderedPolicy): void {
  if (policy.size <= LARGEST_POLICY) return;
  const [size, limit] = [policy.size, LARGEST_POLICY].map(inMib);
  throw new PolicyTooLarge(
    `policy.json would have ${size ?? ""}, at most ${limit ?? ""} can be served${whose(policy)}`,
  );
}

function whose(policy: RenderedPolicy): string {
  const { namespaces, objects } = policyShares(policy);
  if (objects.length === 0) return "";
  const most = namespaces
    .slice(0, MOST_NAMED)
    .map((share) => `${share.name} (${inMib(share.size)} of ${String(share.objects)} objects)`);
  const largest = objects.slice(0, MOST_NAMED).map(({ name, size }) => `${name} (${inMib(size)})`);
  return `; most of it is of the namespaces ${most.join(", ")}; the largest objects are ${largest.join(", ")}`;
}

function inMib(bytes: number): string {
  return `${String(Math.ceil(bytes / MIB))} MiB`;
}

interface Share {
  /** `<kind>/<namespace>/<name>` of an object, or a namespace. */
  readonly name: string;
  /** Characters. */
  readonly size: number;
}

interface NamespaceShare extends Share {
  readonly objects: number;
}

/** Maps whose keys start with an object. */
const OF_OBJECTS = ["routes", "auths"];
const OBJECT = /^[^/]*\/[^/]*\/[^/@]*/;
const ROUTE = /"route":"([^"]*)"/;

/** Shares of a policy, largest first: they show an operator which of thousands of objects has made it too large. */
export function policyShares({ maps }: RenderedPolicy): {
  readonly namespaces: readonly NamespaceShare[];
  readonly objects: readonly Share[];
} {
  const sizes = new Map<string, number>();
  const add = (id: string, size: number): void => {
    const [name] = OBJECT.exec(id) ?? [];
    if (name !== undefined) sizes.set(name, (sizes.get(name) ?? 0) + size);
  };
  const shards = (map: string): Iterable<readonly [string, string]> => maps.get(map)?.shards ?? [];
  for (const map of OF_OBJECTS) for (const [id, json] of shards(map)) add(id, json.length);
  // Each line is a binding.
  for (const [, json] of shards("hosts"))
    for (const line of json.split("\n")) add(ROUTE.exec(line)?.[1] ?? "", line.length);
  // Endpoints of a Service.
  for (const [id, json] of shards("upstreams")) add(`service/${id}`, json.length);
  const objects = [...sizes].map(([name, size]): Share => ({ name, size }));
  return { namespaces: byNamespace(objects).sort(bySize), objects: objects.sort(bySize) };
}

function byNamespace(shares: readonly Share[]): NamespaceShare[] {
  const found = new Map<string, NamespaceShare>();
  for (const { name, size } of shares) {
    const [, namespace = ""] = name.split("/");
    const before = found.get(namespace) ?? { name: namespace, size: 0, objects: 0 };
    found.set(namespace, { ...before, size: before.size + size, objects: before.objects + 1 });
  }
  return [...found.values()];
}

function bySize(a: Share, b: Share): number {
  return b.size - a.size;
}
