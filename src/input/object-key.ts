import type { ResourceRef } from "../diagnostics/diagnostic.js";

/** Tells the objects of one kind apart. */
export function objectKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** Kind, namespace and name: what may stand only once. */
export function refKey(ref: ResourceRef): string {
  return `${ref.kind}/${objectKey(ref.namespace, ref.name)}`;
}
