import type { ResourceRef } from "../diagnostics/diagnostic.js";

/** A text with manifests, as the edges pass it on. `path`: its name in diagnostics. */
export type Source =
  | { readonly path: string; readonly text: string }
  /** Objects that come from no file, as an API server returns them. */
  | { readonly path: ""; readonly objects: readonly unknown[] }
  | {
      readonly path: string;
      /** Why there is no text. The path may be a folder's. */
      readonly unreadable: string;
    }
  /** Named, but not there. */
  | { readonly path: string; readonly absent: true };

/** What reading manifests depends on besides their text. */
export interface InputOptions {
  /** API group of ALB2, Frontend, Rule and AuthPolicy. */
  readonly albGroup: string;
}

export const DEFAULT_INPUT_OPTIONS: InputOptions = { albGroup: "crd.alauda.io" };

/** Tells the objects of one kind apart. */
export function namespacedName(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** Kind, namespace and name: what may stand only once. */
export function refKey(ref: ResourceRef): string {
  return `${ref.kind}/${namespacedName(ref.namespace, ref.name)}`;
}
