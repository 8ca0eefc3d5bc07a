import type { ResourceRef } from "../diagnostics/diagnostic.js";
import type { RoutingResources } from "../input/resources.js";

const INDEXES = new WeakMap<readonly ResourceRef[], ReadonlyMap<string, readonly ResourceRef[]>>();

/** The refused objects of a kind in a namespace. Thousands of routes ask, and thousands of objects may be refused. */
export function refusedObjects(
  { refused }: Pick<RoutingResources, "refused">,
  kind: string,
  namespace: string,
): readonly ResourceRef[] {
  const index = INDEXES.get(refused) ?? indexed(refused);
  INDEXES.set(refused, index);
  return index.get(`${kind} ${namespace}`) ?? [];
}

function indexed(refused: readonly ResourceRef[]): ReadonlyMap<string, readonly ResourceRef[]> {
  const index = new Map<string, ResourceRef[]>();
  for (const ref of refused) {
    const key = `${ref.kind} ${ref.namespace}`;
    const known = index.get(key);
    if (known === undefined) index.set(key, [ref]);
    else known.push(ref);
  }
  return index;
}
