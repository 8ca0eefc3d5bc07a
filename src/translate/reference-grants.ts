import type { ResourceRef } from "../diagnostics/diagnostic.js";
import type { Resources } from "../input/resources.js";

/** A core object that another namespace's object names. */
export interface CoreReference {
  readonly kind: "Secret" | "ConfigMap" | "Service";
  readonly namespace: string;
  readonly name: string;
}

/**
 * Does a ReferenceGrant in the referent's namespace let objects of the referrer's kind and namespace name it? Kinds and
 * groups are compared as written; a `to` without name is for every object of its kind (Gateway API, ReferenceGrant).
 */
export function isReferenceGranted(
  resources: Resources,
  from: ResourceRef,
  to: CoreReference,
): boolean {
  const fromGroup = groupOf(from.apiVersion);
  return resources
    .list("ReferenceGrant")
    .some(
      ({ metadata, spec }) =>
        metadata.namespace === to.namespace &&
        spec.from.some(
          (entry) =>
            entry.group === fromGroup &&
            entry.kind === from.kind &&
            entry.namespace === from.namespace,
        ) &&
        spec.to.some(
          (entry) =>
            entry.group === "" &&
            entry.kind === to.kind &&
            (entry.name === undefined || entry.name === "" || entry.name === to.name),
        ),
    );
}

/** `networking.k8s.io` of `networking.k8s.io/v1`, `""` of `v1`. */
function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}
