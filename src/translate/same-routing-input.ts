/** Which changes of objects routing can see: not those of EndpointSlices, nor those of most statuses. */
import type { KubernetesObject } from "../api/wire.js";
import {
  type RoutingKind,
  type RoutingResources,
  ROUTING_KINDS,
  byNamespaceAndName,
} from "../input/resources.js";
import { differInUnreadOnly } from "../status/object-status.js";
import { type Difference, listDifferences } from "../support/collections.js";
import { type Key, grantsKey, objectKey } from "./keys.js";

/** All that routing is translated from, a list for each kind, each sorted by namespace and name. */
export type RoutingObjects = readonly (readonly KubernetesObject[])[];

export function routingObjects(resources: RoutingResources): RoutingObjects {
  return ROUTING_KINDS.map((kind) => resources.list(kind));
}

export function isSameToRouting(now: RoutingObjects, before: RoutingObjects): boolean {
  return ROUTING_KINDS.every(
    (kind, i) => changesOf(kind, before[i] ?? [], now[i] ?? []).length === 0,
  );
}

/** The objects of the last call. */
export class KnownObjects {
  readonly #lists = new Map<RoutingKind, readonly KubernetesObject[]>();

  /** Keys of objects that have changed since, in the first call of all. */
  changedKeys(resources: RoutingResources): ReadonlySet<Key> {
    const keys = new Set<Key>();
    for (const kind of ROUTING_KINDS) {
      const list: readonly KubernetesObject[] = resources.list(kind);
      for (const { before, now = before } of changesOf(kind, this.#lists.get(kind) ?? [], list)) {
        if (now !== undefined) keys.add(keyOf(now));
      }
      this.#lists.set(kind, list);
    }
    return keys;
  }
}

function keyOf({ kind, metadata: { namespace, name } }: KubernetesObject): Key {
  return kind === "ReferenceGrant" ? grantsKey(namespace) : objectKey({ kind, namespace, name });
}

function changesOf(
  kind: RoutingKind,
  before: readonly KubernetesObject[],
  now: readonly KubernetesObject[],
): readonly Difference<KubernetesObject>[] {
  return listDifferences(before, now, byNamespaceAndName).filter(
    (each) => !each.before || !each.now || !differInUnreadOnly(kind, each.before, each.now),
  );
}
