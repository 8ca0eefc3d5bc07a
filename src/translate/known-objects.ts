import type { KubernetesObject } from "../api/wire.js";
import { Input, Outside, type Read } from "../engine/tables.js";
import {
  ROUTING_KINDS,
  type RoutingKind,
  type RoutingResources,
  byNamespaceAndName,
} from "../input/resources.js";
import { differInUnreadOnly } from "../status/object-status.js";
import { type Difference, compareStrings, listDifferences } from "../support/collections.js";
import { grantsKey, keyOfObject, objectKey } from "./keys.js";
import { nameOf } from "./place.js";

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
  /** All objects, for those who look them up, and all kinds, for those who list them. */
  readonly lookups = new Outside();
  /** By key. */
  readonly #closed = new Map<string, KubernetesObject>();
  readonly #known = new KnownObjects();
  #resources: RoutingResources | undefined;
  readonly #byKind: ReadonlyMap<string, Input<true>> = new Map([
    ["Ingress", this.entries],
    ["Rule", this.entries],
    ["HTTPRoute", this.routes],
    ["GRPCRoute", this.routes],
    ["AuthPolicy", this.policies],
  ]);

  /** Those of the last update. */
  get resources(): RoutingResources {
    if (this.#resources === undefined) throw new Error("there has been no update");
    return this.#resources;
  }

  /** Those that reading has closed, in an order that does not depend on how they came. */
  get closed(): readonly KubernetesObject[] {
    const sorted = [...this.#closed].sort(([a], [b]) => compareStrings(a, b));
    return sorted.map(([, object]) => object);
  }

  update(resources: RoutingResources): void {
    this.#resources = resources;
    for (const { before, now } of this.#known.changed(resources)) {
      const object = before ?? now;
      if (object === undefined) continue;
      const key = keyOfObject(object);
      this.lookups.change([key, object.kind]);
      const own = nameOf(object);
      if (now?.closed === undefined) this.#closed.delete(own);
      else this.#closed.set(own, now);
      this.#byKind.get(object.kind)?.set(key, now && true);
    }
  }
}

/** The resources, whose lookups follow the tables, also those that find nothing. */
export function following(objects: ObjectTables, read: Read): RoutingResources {
  const { lookups } = objects;
  return {
    get: (kind, namespace, name) => {
      read(lookups, objectKey({ kind, namespace, name }));
      return objects.resources.get(kind, namespace, name);
    },
    list: (kind) => {
      throw new Error(`a change of any ${kind} is not noticed`);
    },
    grants: (namespace) => {
      read(lookups, grantsKey(namespace));
      return objects.resources.grants(namespace);
    },
    refused: [],
  };
}

/** As `following`, for what is translated from all objects of some kinds. */
export function followingKinds(objects: ObjectTables, read: Read): RoutingResources {
  return {
    ...following(objects, read),
    list: (kind) => {
      read(objects.lookups, kind);
      return objects.resources.list(kind);
    },
  };
}
