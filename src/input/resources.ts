import type { KindMap, KindName } from "../api/kinds.js";
import type { ResourceRef } from "../diagnostics/diagnostic.js";
import type { Locate } from "../diagnostics/sink.js";

/** An immutable, indexed snapshot of every object that is known and valid. */
export interface Resources {
  /** Sorted by namespace and name. */
  list<K extends KindName>(kind: K): readonly KindMap[K][];
  /** `namespace` is `""` for cluster-scoped kinds. */
  get<K extends KindName>(kind: K, namespace: string, name: string): KindMap[K] | undefined;
  /** EndpointSlices of a Service, by their `kubernetes.io/service-name` label. */
  endpointSlices(namespace: string, service: string): readonly KindMap["EndpointSlice"][];
  /**
   * Objects that were given but are not served because an API server would refuse them. They exist in the user's mind:
   * what names one, or counts on there being none, must not behave as if it had never been written.
   */
  readonly refused: readonly ResourceRef[];
  readonly locate: Locate;
}
