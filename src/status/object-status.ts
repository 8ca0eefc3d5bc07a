import type { KubernetesObject } from "../api/wire.js";
import type { ResourceRef } from "../diagnostics/diagnostic.js";

/** A condition of a status (metav1.Condition), without lastTransitionTime, which `mergeStatus` adds. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** CamelCase, never empty. */
  readonly reason: string;
  /** What is wrong, where, and what to do. */
  readonly message: string;
  /** metadata.generation of the compiled object; absent for objects without one. */
  readonly observedGeneration?: number;
}

/** The computed status of an object. */
export interface ObjectStatus {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<KubernetesObject["metadata"], "name" | "namespace">;
  readonly status: Readonly<Record<string, unknown>>;
}

/** The desired state of an object that the controller creates for a user's object and deletes with it (server-side apply). */
export interface OwnedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  /** The user's object. */
  readonly owner: ResourceRef;
  /** All other fields, such as `spec`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The part of `fields` that creating the object requires. */
  readonly skeleton: Readonly<Record<string, unknown>>;
  /** Another object of the same owner, earlier in the list: if that belongs to another controller, this one is not created. */
  readonly requires?: { readonly kind: string; readonly name: string };
}
