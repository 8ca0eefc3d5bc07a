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

/** Nothing is annotated: most Ingresses have few annotations, many none. */
const EMPTY: AnnotationLookup = { get: () => undefined };

/** Reads `annotations` as they hold for the path at `index`; without one (default backend) index prefixes hold for nothing. */
export function annotationLookup(
  annotations: Readonly<Record<string, string>> | undefined,
  domains: Domains,
  index?: PathIndex,
): AnnotationLookup {
  const prefixes = new Map<string, AnnotationPrefix>([
    [domains.compatAnnotations, "compat"],
    [domains.annotations, "own"],
  ]);
  if (index !== undefined) {
    const position = `${String(index.rule)}-${String(index.path)}`;
    prefixes.set(`index.${position}.${domains.annotations}`, "index");
  }
  const found = new Map<string, FoundAnnotation[]>();
  for (const [key, value] of Object.entries(annotations ?? {})) {
    const slash = key.indexOf("/");
    const prefix = prefixes.get(key.slice(0, slash));
    if (prefix === undefined) continue;
    const name = key.slice(slash + 1);
    found.set(name, [...(found.get(name) ?? []), { value, key, prefix }]);
  }
  return found.size === 0 ? EMPTY : lookupIn(found);
}

/** Most names are asked for in vain, so that is one look into a map. */
function lookupIn(found: ReadonlyMap<string, readonly FoundAnnotation[]>): AnnotationLookup {
  return {
    get(name, prefixes = EVERY_PREFIX) {
      const candidates = found.get(name);
      if (candidates === undefined) return undefined;
      for (const prefix of prefixes) {
        const annotation = candidates.find((candidate) => candidate.prefix === prefix);
        if (annotation !== undefined) return annotation;
      }
      return undefined;
    },
  };
}
