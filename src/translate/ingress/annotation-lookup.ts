import type { Domains } from "../../options.js";
import { addTo, getOrInsert } from "../../support/group-by.js";
import type { AnnotationKey, AnnotationPrefix, PathIndex } from "./annotation-key.js";
import { exactKey, pathKey } from "./annotation-key.js";

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

/** Highest priority first. */
export const EVERY_PREFIX: readonly AnnotationPrefix[] = ["index", "own", "compat"];

/** Nothing is annotated: most Ingresses have few annotations, many none. */
const EMPTY: AnnotationLookup = { get: () => undefined };

/** The annotations of an Ingress, taken apart once: paths without an index prefix of their own share one lookup. */
export class IngressAnnotations {
  /** As they hold for the whole Ingress; index prefixes hold for nothing. */
  readonly whole: AnnotationLookup;
  readonly #shared = new Map<string, FoundAnnotation[]>();
  readonly #ofPaths = new Map<string, Map<string, FoundAnnotation>>();

  constructor(annotations: Readonly<Record<string, string>> | undefined, domains: Domains) {
    for (const [key, value] of Object.entries(annotations ?? {})) {
      const parsed = exactKey(key, domains);
      if (parsed !== undefined) this.#add(parsed, { value, key, prefix: parsed.prefix });
    }
    this.whole = this.#shared.size === 0 ? EMPTY : lookupIn(new Map(), this.#shared);
  }

  /** As they hold for the path at `index`. */
  at(index: PathIndex): AnnotationLookup {
    const own = this.#ofPaths.get(pathKey(index));
    return own === undefined ? this.whole : lookupIn(own, this.#shared);
  }

  #add({ name, prefix, index }: AnnotationKey, found: FoundAnnotation): void {
    if (prefix !== "index") addTo(this.#shared, name, found);
    if (index === undefined) return;
    getOrInsert(this.#ofPaths, pathKey(index), () => new Map()).set(name, found);
  }
}

/** `own`: under the index prefix, which comes first. Most names are asked for in vain, so that is one look into each map. */
function lookupIn(
  own: ReadonlyMap<string, FoundAnnotation>,
  shared: ReadonlyMap<string, readonly FoundAnnotation[]>,
): AnnotationLookup {
  return {
    get(name, prefixes = EVERY_PREFIX) {
      const ofPath = own.get(name);
      if (ofPath !== undefined && prefixes.includes("index")) return ofPath;
      const candidates = shared.get(name);
      if (candidates === undefined) return undefined;
      for (const prefix of prefixes) {
        const annotation = candidates.find((candidate) => candidate.prefix === prefix);
        if (annotation !== undefined) return annotation;
      }
      return undefined;
    },
  };
}
