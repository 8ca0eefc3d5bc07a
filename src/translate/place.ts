import type { KubernetesObject } from "../api/wire.js";
import { type FieldPath, type ResourceRef, formatFieldPath } from "../diagnostics/diagnostic.js";
import type { SourceRef } from "../model/values.js";

/** A field of an object: the place of a problem, and the source of a part of the model. */
export interface Place {
  readonly resource: ResourceRef;
  readonly field: FieldPath;
}

export function resourceRef(object: KubernetesObject): ResourceRef {
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, namespace: metadata.namespace, name: metadata.name };
}

export function placeOf(object: KubernetesObject, ...field: FieldPath): Place {
  return { resource: resourceRef(object), field };
}

/** The place below `place` at `steps`. */
export function within(place: Place, ...steps: FieldPath): Place {
  return { resource: place.resource, field: [...place.field, ...steps] };
}

export function sourceRef(place: Place): SourceRef {
  const { kind, namespace, name } = place.resource;
  return [kind, namespace, name, formatFieldPath(place.field)];
}

/** An object as messages name it. */
export function nameOf({ kind, metadata }: Pick<KubernetesObject, "kind" | "metadata">): string {
  return `${kind} ${metadata.namespace}/${metadata.name}`;
}

/** The field of an annotation. */
export function annotationField(key: string): FieldPath {
  return ["metadata", "annotations", key];
}
