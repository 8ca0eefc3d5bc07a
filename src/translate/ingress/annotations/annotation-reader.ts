import type { Domains } from "../../../model/options.js";
import { formatFieldPath } from "../../../diagnostics/diagnostic.js";
import { addTo, getOrInsert } from "../../../support/collections.js";
import type { Result } from "../../../support/result.js";
import { annotationField } from "../../place.js";
import type { Annotation, AnnotationType, AnyAnnotation } from "./annotation.js";
import {
  type AnnotationPrefix,
  EVERY_PREFIX,
  type PathIndex,
  exactKey,
  pathKey,
} from "./annotation-key.js";

interface FoundAnnotation {
  /** As written; may be empty, which hides the same name under lower prefixes. */
  readonly value: string;
  /** The whole key, for the field path `["metadata", "annotations", key]`. */
  readonly key: string;
  readonly prefix: AnnotationPrefix;
}

/** What closes paths: an annotation, or a label that was meant as one. */
export interface Closer {
  readonly name: string;
  readonly field: string;
}

/** The annotations that hold for one path of an Ingress, or for all of it. */
export class AnnotationLookup {
  readonly #ofPath: ReadonlyMap<string, FoundAnnotation>;
  readonly #shared: ReadonlyMap<string, readonly FoundAnnotation[]>;

  /** `ofPath`: under the index prefix of the path, which comes first. */
  constructor(
    ofPath: ReadonlyMap<string, FoundAnnotation>,
    shared: ReadonlyMap<string, readonly FoundAnnotation[]>,
  ) {
    this.#ofPath = ofPath;
    this.#shared = shared;
  }

  /** The annotation under the first of its prefixes that holds the key. Most are absent, which takes one look into each map. */
  find({
    name,
    prefixes = EVERY_PREFIX,
  }: Pick<AnyAnnotation, "name"> & Partial<Pick<AnyAnnotation, "prefixes">>):
    FoundAnnotation | undefined {
    const ofPath = this.#ofPath.get(name);
    if (ofPath !== undefined && prefixes.includes("index")) return ofPath;
    const candidates = this.#shared.get(name);
    if (candidates === undefined) return undefined;
    for (const prefix of prefixes) {
      const annotation = candidates.find((candidate) => candidate.prefix === prefix);
      if (annotation !== undefined) return annotation;
    }
    return undefined;
  }
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

/** Thousands of Ingresses without annotations share one empty map. */
function kept<T>(map: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return map.size === 0 ? NONE : map;
}

/** The annotations of an Ingress, taken apart once: paths without an index prefix of their own share one lookup. */
export class IngressAnnotations {
  /** As they hold for the whole Ingress; index prefixes hold for nothing. */
  readonly whole: AnnotationLookup;
  readonly #shared: ReadonlyMap<string, readonly FoundAnnotation[]>;
  readonly #ofPaths: ReadonlyMap<string, ReadonlyMap<string, FoundAnnotation>>;

  constructor(annotations: Readonly<Record<string, string>> | undefined, domains: Domains) {
    const shared = new Map<string, FoundAnnotation[]>();
    const ofPaths = new Map<string, Map<string, FoundAnnotation>>();
    for (const [key, value] of Object.entries(annotations ?? {})) {
      const parsed = exactKey(key, domains);
      if (parsed === undefined) continue;
      const { name, prefix, index } = parsed;
      if (prefix !== "index") addTo(shared, name, { value, key, prefix });
      else if (index !== undefined) {
        const ofPath = getOrInsert(ofPaths, pathKey(index), () => new Map());
        ofPath.set(name, { value, key, prefix });
      }
    }
    this.#shared = kept(shared);
    this.#ofPaths = kept(ofPaths);
    this.whole = new AnnotationLookup(NONE, this.#shared);
  }

  /** As they hold for the path at `index`. */
  at(index: PathIndex): AnnotationLookup {
    const ofPath = this.#ofPaths.get(pathKey(index));
    return ofPath === undefined ? this.whole : new AnnotationLookup(ofPath, this.#shared);
  }
}

/** Typed values of the annotations that hold for one path. annotation-problems.ts reports malformed ones, once for an Ingress. */
export class AnnotationReader {
  readonly #lookup: AnnotationLookup;
  readonly #closers = new Map<string, Closer>();

  constructor(lookup: AnnotationLookup) {
    this.#lookup = lookup;
  }

  /** The value; undefined when the annotation is absent, blank or malformed. */
  get<T>(annotation: Annotation<T>): T | undefined {
    const found = this.#lookup.find(annotation);
    const text = found?.value.trim() ?? "";
    if (found === undefined || text === "") return undefined;
    const result = parsed(found, annotation.type, text);
    if (result.ok) return result.value;
    if (annotation.fallback === "closed") this.#close(found, annotation);
    return undefined;
  }

  /** Whether anything is wrong with the value, which may still be read in part. */
  isFaulty(annotation: Annotation<unknown>): boolean {
    const found = this.#lookup.find(annotation);
    const text = found?.value.trim() ?? "";
    if (found === undefined || text === "") return false;
    return parsed(found, annotation.type, text).problem !== undefined;
  }

  /** The value as `read` gives it for the path; one that it can't read closes the path. */
  resolve<T, U>(annotation: Annotation<T>, read: (value: T) => Result<U>): U | undefined {
    const value = this.get(annotation);
    const result = value === undefined ? undefined : read(value);
    const found = this.#lookup.find(annotation);
    if (result?.ok === false && found !== undefined) this.#close(found, annotation);
    return result?.ok === true ? result.value : undefined;
  }

  #close({ key }: FoundAnnotation, { name }: Pick<AnyAnnotation, "name">): void {
    this.#closers.set(key, { name, field: formatFieldPath(annotationField(key)) });
  }

  /** Annotations that were read so far, restrict access, and can't be honoured. */
  get closers(): readonly Closer[] {
    return [...this.#closers.values()];
  }
}

/** A value of 256 KiB is parsed once, not for each of thousands of paths. */
const PARSED = new WeakMap<FoundAnnotation, Result<unknown>>();

function parsed<T>(found: FoundAnnotation, type: AnnotationType<T>, text: string): Result<T> {
  const result = getOrInsert(PARSED, found, () => type.parse(text));
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- an annotation's name has one row in the table, so one type
  return result as Result<T>;
}
