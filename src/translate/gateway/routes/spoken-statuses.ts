import type { RoutingResources } from "../../../input/resources.js";
import type { CompileOptions } from "../../../model/options.js";
import type { ObjectStatus } from "../../../status/object-status.js";
import { sameElements } from "../../../support/collections.js";

/**
 * Of the computed statuses those that say something: a route of which no parent is ours needs none, unless its status still has
 * an entry of ours. That is looked at for itself, so that a status that was written changes nothing else. Gives `before` again
 * if it is the same.
 */
export function spokenOf(
  statuses: readonly ObjectStatus[],
  resources: RoutingResources,
  { controllerName }: Pick<CompileOptions, "controllerName">,
  before: readonly ObjectStatus[],
): readonly ObjectStatus[] {
  const spoken = statuses.filter((status) => {
    const { parents } = status.status;
    if (!Array.isArray(parents) || parents.length > 0) return true;
    return writtenParents(status, resources).some(
      (entry) => entry.controllerName === controllerName,
    );
  });
  return sameElements(spoken, before) ? before : spoken;
}

const ROUTE_KINDS = ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"] as const;

function writtenParents(
  { kind, metadata: { namespace, name } }: ObjectStatus,
  resources: RoutingResources,
): readonly { readonly controllerName?: string }[] {
  const known = ROUTE_KINDS.find((each) => each === kind);
  const route = known && resources.get(known, namespace, name);
  return route?.status?.parents ?? [];
}
