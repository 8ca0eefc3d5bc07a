import { KIND_NAMES, type KindMap, type KindName } from "../api/kinds.js";
import type { ReferenceGrant } from "../api/gateway.js";
import type { KubernetesObject } from "../api/wire.js";
import { type ResourceRef, refKey } from "../diagnostics/diagnostic.js";
import type { Locate } from "../diagnostics/sink.js";
import { compareBy, compareStrings, groupBy, memoized } from "../support/collections.js";

/** All kinds but the one that changes all the time: nothing is decided by endpoints, they only fill upstreams. */
export type RoutingKind = Exclude<KindName, "EndpointSlice">;

export const ROUTING_KINDS: readonly RoutingKind[] = KIND_NAMES.filter(
  (kind) => kind !== "EndpointSlice",
);

/** The order of `RoutingResources.list`. */
export const byNamespaceAndName = compareBy<KubernetesObject>(
  (a, b) => compareStrings(a.metadata.namespace, b.metadata.namespace),
  (a, b) => compareStrings(a.metadata.name, b.metadata.name),
);

/** What routing is decided by. Who is given this alone can't depend on endpoints, nor on where objects stand in files. */
export interface RoutingResources {
  /** Sorted by namespace and name. */
  list<K extends RoutingKind>(kind: K): readonly KindMap[K][];
  /** `namespace` is `""` for cluster-scoped kinds. */
  get<K extends RoutingKind>(kind: K, namespace: string, name: string): KindMap[K] | undefined;
  /** The ReferenceGrants of a namespace; the same list as long as no grant has changed. */
  grants(namespace: string): readonly ReferenceGrant[];
  /**
   * Objects that were given but are not served because an API server would refuse them. They exist in the user's mind:
   * what names one, or counts on there being none, must not behave as if it had never been written.
   */
  readonly refused: readonly ResourceRef[];
}

const byNamespace = memoized((grants: readonly ReferenceGrant[]) =>
  groupBy(grants, ({ metadata }) => metadata.namespace),
);
const NO_GRANTS: readonly ReferenceGrant[] = [];

/** `RoutingResources.grants` of a list of all grants. */
export function grantsIn(
  all: readonly ReferenceGrant[],
  namespace: string,
): readonly ReferenceGrant[] {
  return byNamespace(all).get(namespace) ?? NO_GRANTS;
}

/** EndpointSlices by their Service (the label `kubernetes.io/service-name`), sorted by name. */
export interface ServiceSlices {
  /** Undefined: it has none. The same list as before where nothing has changed. */
  get(namespace: string, service: string): readonly KindMap["EndpointSlice"][] | undefined;
  /** Services that have other ones there. */
  differences(
    other: ServiceSlices,
  ): readonly { readonly namespace: string; readonly name: string }[];
}

/** An object that was added, changed or removed; without `before` and `now` it was refused, or is. */
export interface ObjectDifference extends Pick<ResourceRef, "namespace" | "name"> {
  readonly kind: KindName;
  readonly before?: KubernetesObject | undefined;
  readonly now?: KubernetesObject | undefined;
}

/** References that only one of the lists has. */
export function refDifferences(
  a: readonly ResourceRef[],
  b: readonly ResourceRef[],
): readonly ObjectDifference[] {
  if (a === b) return [];
  const [ofA, ofB] = [new Set(a.map(refKey)), new Set(b.map(refKey))];
  const own = [
    ...a.filter((ref) => !ofB.has(refKey(ref))),
    ...b.filter((ref) => !ofA.has(refKey(ref))),
  ];
  return own.flatMap(({ kind: text, namespace, name }) => {
    const kind = KIND_NAMES.find((each) => each === text);
    return kind === undefined ? [] : { kind, namespace, name };
  });
}

/** An immutable, indexed snapshot of every object that is known and valid. */
export interface Resources extends RoutingResources {
  list<K extends KindName>(kind: K): readonly KindMap[K][];
  get<K extends KindName>(kind: K, namespace: string, name: string): KindMap[K] | undefined;
  readonly slices: ServiceSlices;
  readonly locate: Locate;
  /** What has changed since the other snapshot. */
  changesSince(other: Resources): readonly ObjectDifference[];
  /** This snapshot, but with all objects of these namespaces as in the other one. */
  keeping(other: Resources, namespaces: ReadonlySet<string>): Resources;
}

export interface Entry<K extends RoutingKind = RoutingKind> {
  readonly kind: K;
  readonly object: KindMap[K];
}

/** Objects that only say how others count; without one, others are not served, so that they seem to be to blame. They come first. */
const FOUNDATIONS: ReadonlySet<RoutingKind> = new Set([
  "Namespace",
  "IngressClass",
  "GatewayClass",
  "Service",
  "ReferenceGrant",
]);

/** All objects in the order in which they are to blame: what is named comes after what names it. */
export function entriesOf(resources: RoutingResources): readonly Entry[] {
  const kinds = [...FOUNDATIONS, ...ROUTING_KINDS.filter((kind) => !FOUNDATIONS.has(kind))];
  return kinds.flatMap((kind): readonly Entry[] =>
    resources.list(kind).map((object) => ({ kind, object })),
  );
}

/** How the search for an object to blame takes entries together (`failingAmong`). */
export const BY_KIND = {
  kindOf: ({ kind }: Entry): string => kind,
  ownerOf: ({ object }: Entry): string => object.metadata.namespace,
};
