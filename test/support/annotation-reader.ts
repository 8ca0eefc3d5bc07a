/** Annotations as an Ingress has them, read for its first path. */
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import {
  AnnotationReader,
  IngressAnnotations,
} from "../../src/translate/ingress/annotations/annotation-reader.js";

export function readerOf(annotations: Readonly<Record<string, string>>): AnnotationReader {
  const all = new IngressAnnotations(annotations, DEFAULT_OPTIONS.domains);
  return new AnnotationReader(all.at({ rule: 0, path: 0 }));
}
