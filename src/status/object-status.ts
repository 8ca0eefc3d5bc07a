import type { KubernetesObject } from "../api/wire.js";

/** The status of one object as a controller would write it, without lastTransitionTime: the writer adds that. */
export interface ObjectStatus {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<KubernetesObject["metadata"], "name" | "namespace">;
  readonly status: Readonly<Record<string, unknown>>;
}
