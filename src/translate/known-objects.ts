import type { KubernetesObject } from "../api/wire.js";
import { Input, Outside, type Read } from "../engine/tables.js";
import {
  ROUTING_KINDS,
  type RoutingKind,
  type RoutingResources,
  byNamespaceAndName,
} from "../input/resources.js";
import { differInUnreadOnly } from "../status/object-status.js";
import { type Difference, listDifferences } from "../support/collections.js";
import { grantsKey, keyOfObject, objectKey } from "./keys.js";

/** The objects of the last call. */
export class KnownObjects {
  readonly #lists = new Map<RoutingKind, readonly KubernetesObject[]>();

  /** Added, changed and removed objects; all objects in the first call. Routing does not read EndpointSlices, nor most fields of statuses. */
  changed(resources: RoutingResources): readonly Difference<KubernetesObject>[] {
    return ROUTING_KINDS.flatMap((kind) => {
      const list: readonly KubernetesObject[] = resources.list(kind);
      const known = this.#lists.get(kind) ?? [];
      this.#lists.set(kind, list);
      return listDifferences(known, list, byNamespaceAndName).filter(
        ({ before, now }) => !before || !now || !differInUnreadOnly(kind, before, now),
      );
    });
  }
}

/** Objects as rows, by `objectKey`: that one is there. A row that is set again has changed. */
const present = (): Input<true> => new Input<true>(() => false);

/** What follows from objects follows these tables. */
export class ObjectTables {
  /** Ingresses and Rules. */
  readonly entries = present();
  /** HTTPRoutes and GRPCRoutes. */
  readonly routes = present();
  readonly policies = present();
  /** All objects, for those who look them up. */
  readonly lookups = new Outside();
  readonly #known = new KnownObjects();
  readonly #byKind: ReadonlyMap<string, Input<true>> = new Map([
    ["Ingress", this.entries],
    ["Rule", this.entries],
    ["HTTPRoute", this.routes],
    ["GRPCRoute", this.routes],
    ["AuthPolicy", this.policies],
  ]);

  update(resources: RoutingResources): void {
    for (const { before, now } of this.#known.changed(resources)) {
      const object = before ?? now;
      if (object === undefined) continue;
      const key = keyOfObject(object);
      this.lookups.change([key]);
      this.#byKind.get(object.kind)?.set(key, now && true);
    }
  }
}

/** The same resources, whose lookups follow the tables, also those that find nothing. */
export function following(
  resources: RoutingResources,
  { lookups }: ObjectTables,
  read: Read,
): RoutingResources {
  return {
    get: (kind, namespace, name) => {
      read(lookups, objectKey({ kind, namespace, name }));
      return resources.get(kind, namespace, name);
    },
    list: (kind) => {
      throw new Error(`a change of any ${kind} is not noticed`);
    },
    grants: (namespace) => {
      read(lookups, grantsKey(namespace));
      return resources.grants(namespace);
    },
    refused: [],
  };
}
