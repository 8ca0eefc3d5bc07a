import type { KindMap, KindName } from "../api/kinds.js";
import type { KubernetesObject } from "../api/wire.js";
import type { ResourceRef } from "../diagnostics/diagnostic.js";
import type { Locate } from "../diagnostics/sink.js";
import { compareBy, compareStrings } from "../support/compare.js";
import type { DecodedObject } from "./decode.js";
import { objectKey } from "./object-key.js";
import type { Resources } from "./resources.js";

type Index = { readonly [K in KindName]: KindIndex<KindMap[K]> };

/** Objects of one kind by namespace and name. */
class KindIndex<T extends KubernetesObject> {
  readonly #objects = new Map<string, T>();
  #sorted: readonly T[] | undefined;

  add(object: T): void {
    this.#objects.set(objectKey(object.metadata.namespace, object.metadata.name), object);
  }

  get(namespace: string, name: string): T | undefined {
    return this.#objects.get(objectKey(namespace, name));
  }

  /** Sorted when first asked for: most snapshots are asked for some kinds only. */
  list(): readonly T[] {
    return (this.#sorted ??= [...this.#objects.values()].sort(byNamespaceAndName));
  }
}

const byNamespaceAndName = compareBy<KubernetesObject>(
  (a, b) => compareStrings(a.metadata.namespace, b.metadata.namespace),
  (a, b) => compareStrings(a.metadata.name, b.metadata.name),
);

const SERVICE_NAME_LABEL = "kubernetes.io/service-name";

/** Indexes objects of which no two have the same kind, namespace and name. */
export function indexObjects(
  objects: readonly DecodedObject[],
  locate: Locate,
  refused: readonly ResourceRef[] = [],
): Resources {
  const index = emptyIndex();
  for (const entry of objects) put(index, entry);
  let slices: ReadonlyMap<string, readonly KindMap["EndpointSlice"][]> | undefined;
  return {
    list: (kind) => index[kind].list(),
    get: (kind, namespace, name) => index[kind].get(namespace, name),
    endpointSlices: (namespace, service) => {
      slices ??= groupByService(index.EndpointSlice.list());
      return slices.get(objectKey(namespace, service)) ?? [];
    },
    refused,
    locate,
  };
}

function put<K extends KindName>(index: Index, entry: DecodedObject<K>): void {
  index[entry.kind].add(entry.object);
}

function groupByService(
  slices: readonly KindMap["EndpointSlice"][],
): ReadonlyMap<string, readonly KindMap["EndpointSlice"][]> {
  const groups = new Map<string, KindMap["EndpointSlice"][]>();
  for (const slice of slices) {
    const service = slice.metadata.labels?.[SERVICE_NAME_LABEL];
    if (service === undefined) continue;
    const key = objectKey(slice.metadata.namespace, service);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [slice]);
    else group.push(slice);
  }
  return groups;
}

function emptyIndex(): Index {
  return {
    ALB2: new KindIndex(),
    Frontend: new KindIndex(),
    Rule: new KindIndex(),
    Ingress: new KindIndex(),
    IngressClass: new KindIndex(),
    GatewayClass: new KindIndex(),
    Gateway: new KindIndex(),
    ListenerSet: new KindIndex(),
    HTTPRoute: new KindIndex(),
    GRPCRoute: new KindIndex(),
    BackendTLSPolicy: new KindIndex(),
    AuthPolicy: new KindIndex(),
    Service: new KindIndex(),
    EndpointSlice: new KindIndex(),
    Secret: new KindIndex(),
    ConfigMap: new KindIndex(),
    Namespace: new KindIndex(),
    ReferenceGrant: new KindIndex(),
  };
}
