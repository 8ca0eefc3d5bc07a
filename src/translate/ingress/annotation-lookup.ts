import type { Domains } from "../../options.js";

/**
 * Where an annotation is read, highest priority first: `index.<rule>-<path>.<own domain>/` (one path of one rule, both
 * counted from 0), `<own domain>/`, `<compatible domain>/`. Source: specification, annotation prefix priority.
 */
export type AnnotationPrefix = "index" | "own" | "compat";

export interface FoundAnnotation {
  /** As written; may be empty, which hides the same name under lower prefixes. */
  readonly value: string;
  /** The whole key, for the field path `["metadata", "annotations", key]`. */
  readonly key: string;
  readonly prefix: AnnotationPrefix;
}

/** The annotations that hold for one path of an Ingress. */
export interface AnnotationLookup {
  /** The annotation of that name (without prefix) under the first of `prefixes` that holds the key; every prefix by default. */
  get(name: string, prefixes?: readonly AnnotationPrefix[]): FoundAnnotation | undefined;
}

/** Positions in `spec.rules` and in that rule's `http.paths`. */
export interface PathIndex {
  readonly rule: number;
  readonly path: number;
}

/** Highest priority first. */
export const EVERY_PREFIX: readonly AnnotationPrefix[] = ["index", "own", "compat"];

const NOTHING: AnnotationLookup = { get: () => undefined };

/** Reads `annotations` as they hold for the path at `index`; without one (default backend) index prefixes hold for nothing. */
export function annotationLookup(
  annotations: Readonly<Record<string, string>> | undefined,
  domains: Domains,
  index?: PathIndex,
): AnnotationLookup {
  const held = annotations ?? {};
  // Most Ingresses have few annotations or none, and are asked for every name of the table for every path.
  if (Object.keys(held).length === 0) return NOTHING;
  const prefixText: Readonly<Record<AnnotationPrefix, string | undefined>> = {
    index: index && `index.${String(index.rule)}-${String(index.path)}.${domains.annotations}`,
    own: domains.annotations,
    compat: domains.compatAnnotations,
  };
  return {
    get(name, prefixes = EVERY_PREFIX) {
      for (const prefix of prefixes) {
        const text = prefixText[prefix];
        if (text === undefined) continue;
        const key = `${text}/${name}`;
        const value = Object.hasOwn(held, key) ? held[key] : undefined;
        if (value !== undefined) return { value, key, prefix };
      }
      return undefined;
    },
  };
}
