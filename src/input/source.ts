import type { ResourceRef } from "../diagnostics/diagnostic.js";

/** A text with manifests, as the edges hand it over. */
export type Source =
  | {
      /** As diagnostics name it. */
      readonly path: string;
      readonly text: string;
    }
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

/** How many objects of a kind that is not read were given. */
export interface UnknownKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly count: number;
}

/** Tells the objects of one kind apart. */
export function namespacedName(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** Kind, namespace and name: what may stand only once. */
export function refKey(ref: ResourceRef): string {
  return `${ref.kind}/${namespacedName(ref.namespace, ref.name)}`;
}
