/** EndpointSlices by their Service. Never changes; the groups of Services that a change does not touch stay the same arrays. */
import type { KindMap, KindName } from "../api/kinds.js";
import type { EndpointSlice, KubernetesObject } from "../api/wire.js";
import type { ResourceRef } from "../diagnostics/diagnostic.js";
import type { Locate } from "../diagnostics/sink.js";
import { compareBy, compareStrings, getOrInsert } from "../support/collections.js";
import type { DecodedObject } from "./decode.js";
import type { Resources } from "./resources.js";
import { objectKey } from "./source.js";

const SERVICE_NAME_LABEL = "kubernetes.io/service-name";

interface SliceChange {
  readonly before?: EndpointSlice;
  readonly now?: EndpointSlice;
}

type Group = readonly EndpointSlice[];
type Groups = ReadonlyMap<string, Group>;
const NONE: Group = [];

class EndpointSliceGroups {
  /** By namespace and Service. */
  readonly #namespaces: ReadonlyMap<string, Groups>;

  private constructor(namespaces: ReadonlyMap<string, Groups>) {
    this.#namespaces = namespaces;
  }

  static readonly EMPTY = new EndpointSliceGroups(new Map());

  of(namespace: string, service: string): Group {
    return this.#namespaces.get(namespace)?.get(service) ?? NONE;
  }

  /** A slice that moves to another Service leaves its old one. */
  with(changes: readonly SliceChange[]): EndpointSliceGroups {
    if (changes.length === 0) return this;
    const copies = new Map<string, Map<string, Group>>();
    for (const { before, now } of changes) {
      if (before !== undefined) this.#edit(copies, before, (group) => without(group, before));
      if (now !== undefined) this.#edit(copies, now, (group) => [...group, now].sort(byName));
    }
    return new EndpointSliceGroups(new Map([...this.#namespaces, ...copies]));
  }

  /** `copies`: the namespaces that change. */
  #edit(
    copies: Map<string, Map<string, Group>>,
    { metadata: { namespace, labels } }: EndpointSlice,
    change: (group: Group) => Group,
  ): void {
    const service = labels?.[SERVICE_NAME_LABEL];
    if (service === undefined) return;
    const groups = getOrInsert(copies, namespace, () => new Map(this.#namespaces.get(namespace)));
    const group = change(groups.get(service) ?? NONE);
    if (group.length === 0) groups.delete(service);
    else groups.set(service, group);
  }
}

function without(group: Group, { metadata: { name } }: EndpointSlice): Group {
  return group.filter((slice) => slice.metadata.name !== name);
}

function byName(a: EndpointSlice, b: EndpointSlice): number {
  return compareStrings(a.metadata.name, b.metadata.name);
}

/** Objects by kind, namespace and name. A store never changes: one that differs in some objects shares all else with it. */

type Index = { readonly [K in KindName]: KindIndex<KindMap[K]> };

/** What became of one object: it is there now, or it is gone. */
export interface ObjectChange {
  readonly kind: KindName;
  readonly namespace: string;
  readonly name: string;
  readonly now?: DecodedObject | undefined;
}

/** Objects of one kind by namespace and name. */
class KindIndex<T extends KubernetesObject> {
  readonly #objects: Map<string, T>;
  #sorted: readonly T[] | undefined;

  constructor(objects: ReadonlyMap<string, T> = new Map()) {
    this.#objects = new Map(objects);
  }

  /** For the changes of a new store, before anybody else sees it. */
  set(namespace: string, name: string, object: T | undefined): void {
    const key = objectKey(namespace, name);
    if (object === undefined) this.#objects.delete(key);
    else this.#objects.set(key, object);
  }

  copy(): KindIndex<T> {
    return new KindIndex(this.#objects);
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

export class ObjectStore {
  readonly #index: Index;
  readonly #slices: EndpointSliceGroups;

  private constructor(index: Index, slices: EndpointSliceGroups) {
    this.#index = index;
    this.#slices = slices;
  }

  static readonly EMPTY = new ObjectStore(emptyIndex(), EndpointSliceGroups.EMPTY);

  /** Each object at most once. */
  with(changes: readonly ObjectChange[]): ObjectStore {
    if (changes.length === 0) return this;
    const touched = new Set(changes.map((change) => change.kind));
    let index = this.#index;
    for (const kind of touched) index = { ...index, [kind]: index[kind].copy() };
    const slices: { before?: KindMap["EndpointSlice"]; now?: KindMap["EndpointSlice"] }[] = [];
    for (const { kind, namespace, name, now } of changes) {
      if (kind === "EndpointSlice") {
        const before = index.EndpointSlice.get(namespace, name);
        const after = isSlice(now) ? now.object : undefined;
        slices.push({ ...(before && { before }), ...(after && { now: after }) });
      }
      if (now === undefined) index[kind].set(namespace, name, undefined);
      else put(index, now);
    }
    return new ObjectStore(index, this.#slices.with(slices));
  }

  /** As the rest of the program sees it. */
  resources(refused: readonly ResourceRef[], locate: Locate): Resources {
    const index = this.#index;
    const slices = this.#slices;
    return {
      list: (kind) => index[kind].list(),
      get: (kind, namespace, name) => index[kind].get(namespace, name),
      endpointSlices: (namespace, service) => slices.of(namespace, service),
      refused,
      locate,
    };
  }
}

/** Indexes objects of which no two have the same kind, namespace and name. */
export function indexObjects(
  objects: readonly DecodedObject[],
  locate: Locate,
  refused: readonly ResourceRef[] = [],
): Resources {
  const changes = objects.map((now) => {
    const { namespace, name } = now.object.metadata;
    return { kind: now.kind, namespace, name, now };
  });
  return ObjectStore.EMPTY.with(changes).resources(refused, locate);
}

function put<K extends KindName>(index: Index, entry: DecodedObject<K>): void {
  const { namespace, name } = entry.object.metadata;
  index[entry.kind].set(namespace, name, entry.object);
}

function isSlice(entry: DecodedObject | undefined): entry is DecodedObject<"EndpointSlice"> {
  return entry?.kind === "EndpointSlice";
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
    TLSRoute: new KindIndex(),
    TCPRoute: new KindIndex(),
    UDPRoute: new KindIndex(),
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
