import type { Annotation } from "./annotation.js";
import type { AnnotationLookup } from "./annotation-lookup.js";

/** Typed values of the annotations that hold for one path. What can't be read is reported by annotation-report.ts, once for an Ingress. */
export class AnnotationReader {
  readonly #lookup: AnnotationLookup;
  #closedBy: string | undefined;

  constructor(lookup: AnnotationLookup) {
    this.#lookup = lookup;
  }

  /** The value; undefined when the annotation is absent, blank or malformed. */
  get<T>({ name, prefixes, type, fallback }: Annotation<T>): T | undefined {
    const text = this.#lookup.get(name, prefixes)?.value.trim() ?? "";
    if (text === "") return undefined;
    const result = type.parse(text);
    if (result.ok) return result.value;
    if (fallback === "closed") this.#closedBy ??= name;
    return undefined;
  }

  /** The annotation that was read so far, restricts access, and can't be honoured. */
  get closedBy(): string | undefined {
    return this.#closedBy;
  }
}
