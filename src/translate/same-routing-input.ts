/** Which changes of objects routing can't see, besides those of EndpointSlices. */
import type { KubernetesObject } from "../api/wire.js";
import type { RoutingKind, RoutingResources } from "../input/resources.js";
import { ROUTING_KINDS } from "../input/resources.js";
import { isSameJson } from "../status/json.js";
import { differInStatusOnly } from "../status/status-only.js";
import { isObject } from "../support/json-object.js";
import { own } from "../support/own.js";

/**
 * Fields of statuses by which something is decided: where a Service is reached, which addresses a Gateway has already, and the room
 * that others leave in a policy's. All else of statuses changes whenever ours are written: once for every object after a start.
 */
const STATUS_FIELDS: Readonly<Partial<Record<RoutingKind, string>>> = {
  Service: "loadBalancer",
  Gateway: "addresses",
  BackendTLSPolicy: "ancestors",
  AuthPolicy: "ancestors",
};

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
  const field = STATUS_FIELDS[kind];
  return now.every((object, i) => {
    const old = before[i];
    return (
      object === old ||
      (old !== undefined &&
        differInStatusOnly(object, old) &&
        (field === undefined || isSameJson(statusField(object, field), statusField(old, field))))
    );
  });
}

function statusField(
  object: KubernetesObject & { readonly status?: unknown },
  field: string,
): unknown {
  return isObject(object.status) ? own(object.status, field) : undefined;
}
