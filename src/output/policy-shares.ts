/** Whose a policy is: for those who must find out at night which of thousands of objects has made it too large. */
import type { RenderedPolicy } from "../render/rendered-policy.js";

/** What objects have of a policy, most first. */
export interface PolicyShares {
  readonly namespaces: readonly NamespaceShare[];
  readonly objects: readonly Share[];
}

export interface Share {
  /** An object as `<kind>/<namespace>/<name>`, or a namespace. */
  readonly name: string;
  /** Characters. */
  readonly size: number;
}

export interface NamespaceShare extends Share {
  readonly objects: number;
}

/** Maps whose keys begin with an object; what follows is a part of it. */
const OF_OBJECTS = ["routes", "auths"];
const OBJECT = /^[^/]*\/[^/]*\/[^/@]*/;
const ROUTE = /"route":"([^"]*)"/;

export function policyShares({ maps }: RenderedPolicy): PolicyShares {
  const sizes = new Map<string, number>();
  const add = (id: string, size: number): void => {
    const [name] = OBJECT.exec(id) ?? [];
    if (name !== undefined) sizes.set(name, (sizes.get(name) ?? 0) + size);
  };
  const shards = (map: string): Iterable<readonly [string, string]> => maps.get(map)?.shards ?? [];
  for (const map of OF_OBJECTS) for (const [id, json] of shards(map)) add(id, json.length);
  // A line is a binding.
  for (const [, json] of shards("hosts"))
    for (const line of json.split("\n")) add(ROUTE.exec(line)?.[1] ?? "", line.length);
  // Of the Service's endpoints.
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
