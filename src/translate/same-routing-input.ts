/** Which changes of objects routing can't see, besides those of EndpointSlices. */
import type { KubernetesObject } from "../api/wire.js";
import type { RoutingKind, RoutingResources } from "../input/resources.js";
import { ROUTING_KINDS } from "../input/resources.js";
import { differInUnreadOnly } from "../status/json.js";

/** All that routing is translated from, a list for each kind, each sorted by namespace and name. */
export type RoutingObjects = readonly (readonly KubernetesObject[])[];

export function routingObjects(resources: RoutingResources): RoutingObjects {
  return ROUTING_KINDS.map((kind) => resources.list(kind));
}

export function isSameToRouting(now: RoutingObjects, before: RoutingObjects): boolean {
  return ROUTING_KINDS.every((kind, i) => isSameKind(kind, now[i] ?? [], before[i] ?? []));
}

function isSameKind(
  kind: RoutingKind,
  now: readonly KubernetesObject[],
  before: readonly KubernetesObject[],
): boolean {
  if (now === before) return true;
  if (now.length !== before.length) return false;
  return now.every((object, i) => {
    const old = before[i];
    return object === old || (old !== undefined && differInUnreadOnly(kind, object, old));
  });
}
