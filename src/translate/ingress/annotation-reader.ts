import type { DiagnosticSink } from "../../diagnostics/sink.js";
import type { ResourceRef } from "../../diagnostics/diagnostic.js";
import { annotationField } from "../place.js";
import type { Annotation } from "./annotation.js";
import type { AnnotationLookup } from "./annotation-lookup.js";

/** Reads the typed values of the annotations that hold for one path, and reports those that can't be read. */
export class AnnotationReader {
  readonly #lookup: AnnotationLookup;
  readonly #resource: ResourceRef;
  readonly #diagnostics: DiagnosticSink;
  #closedBy: string | undefined;

  constructor(lookup: AnnotationLookup, resource: ResourceRef, diagnostics: DiagnosticSink) {
    this.#lookup = lookup;
    this.#resource = resource;
    this.#diagnostics = diagnostics;
  }

  /** The value; undefined when the annotation is absent, blank or, which is reported, malformed. */
  get<T>({ name, prefixes, type, fallback }: Annotation<T>): T | undefined {
    const found = this.#lookup.get(name, prefixes);
    const text = found?.value.trim() ?? "";
    if (found === undefined || text === "") return undefined;
    const result = type.parse(text);
    if (result.ok) return result.value;
    if (fallback === "closed") this.#closedBy ??= name;
    this.#diagnostics.report({
      code: fallback === "closed" ? "ANNOTATION_CLOSED" : "ANNOTATION_INVALID",
      message: `${name}: ${result.problem}`,
      resource: this.#resource,
      field: annotationField(found.key),
    });
    return undefined;
  }

  /** The annotation that was read so far, restricts access, and can't be honoured. */
  get closedBy(): string | undefined {
    return this.#closedBy;
  }
}
