import type { KubernetesObject } from "../api/wire.js";
import type { ResourceRef } from "../diagnostics/diagnostic.js";

/** One entry of a status' conditions (Gateway API, metav1.Condition), without lastTransitionTime: the writer adds that. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** CamelCase, never empty. */
  readonly reason: string;
  /** For people: what is wrong, where, and what to do. */
  readonly message: string;
  /** metadata.generation of the object that was looked at; absent for objects without one. */
  readonly observedGeneration?: number;
}

/** The status of one object as a controller would write it, without lastTransitionTime: the writer adds that. */
export interface ObjectStatus {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<KubernetesObject["metadata"], "name" | "namespace">;
  readonly status: Readonly<Record<string, unknown>>;
}

/** An object that a controller makes for one of a user's and that ends with it, as it is to be: by server-side apply. */
export interface OwnedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  /** The object that it is for. */
  readonly owner: ResourceRef;
  /** Everything else, such as `spec`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The least of `fields` that it can be created with. */
  readonly skeleton: Readonly<Record<string, unknown>>;
  /** Another object for the same owner, earlier in the list: where that is somebody else's, this one is not made. */
  readonly requires?: { readonly kind: string; readonly name: string };
}
