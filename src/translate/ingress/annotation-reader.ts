import type { Result } from "../../support/result.js";
import type { Annotation, AnnotationType } from "./annotations/annotation.js";
import type { AnnotationLookup, FoundAnnotation } from "./annotations/annotation-key.js";

/** Typed values of the annotations that hold for one path. What can't be read is reported by annotation-report.ts, once for an Ingress. */
export class AnnotationReader {
  readonly #lookup: AnnotationLookup;
  #closedBy: string | undefined;

  constructor(lookup: AnnotationLookup) {
    this.#lookup = lookup;
  }

  /** The value; undefined when the annotation is absent, blank or malformed. */
  get<T>({ name, prefixes, type, fallback }: Annotation<T>): T | undefined {
    const found = this.#lookup.get(name, prefixes);
    const text = found?.value.trim() ?? "";
    if (found === undefined || text === "") return undefined;
    const result = parsed(found, type, text);
    if (result.ok) return result.value;
    if (fallback === "closed") this.#closedBy ??= name;
    return undefined;
  }

  /** The annotation that was read so far, restricts access, and can't be honoured. */
  get closedBy(): string | undefined {
    return this.#closedBy;
  }
}

/** A value of 256 KiB is parsed once, not for each of thousands of paths. */
const PARSED = new WeakMap<FoundAnnotation, Result<unknown>>();

function parsed<T>(found: FoundAnnotation, type: AnnotationType<T>, text: string): Result<T> {
  const known = PARSED.get(found);
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- an annotation's name has one row in the table, so one type
  if (known !== undefined) return known as Result<T>;
  const result = type.parse(text);
  PARSED.set(found, result);
  return result;
}
