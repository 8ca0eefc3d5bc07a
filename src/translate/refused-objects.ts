import type { ResourceRef } from "../diagnostics/diagnostic.js";
import type { RoutingResources } from "../input/resources.js";
import { groupBy, memoized } from "../support/collections.js";

const indexed = memoized((refused: readonly ResourceRef[]) =>
  groupBy(refused, ({ kind, namespace }) => `${kind} ${namespace}`),
);

/** The refused objects of a kind in a namespace, by an index: thousands of routes ask, and thousands of objects may be refused. */
export function refusedObjects(
  { refused }: Pick<RoutingResources, "refused">,
  kind: string,
  namespace: string,
): readonly ResourceRef[] {
  return indexed(refused).get(`${kind} ${namespace}`) ?? [];
}
