import type { Ingress } from "../../api/core.js";
import type { TranslateContext } from "../context.js";
import { annotationField, placeOf } from "../place.js";
import type { AnyAnnotation } from "./annotation.js";
import type { AnnotationKey } from "./annotation-key.js";
import { parseAnnotationKey } from "./annotation-key.js";
import type { AnnotationPrefix } from "./annotation-lookup.js";
import { findAnnotation } from "./annotation-table.js";
import type { UnknownAnnotation } from "./unknown-annotation.js";
import { unknownAnnotation } from "./unknown-annotation.js";
import type { Report } from "../../diagnostics/sink.js";

/**
 * Reports the annotations of our domains that can't be honoured: unknown, unsupported, malformed, or under a prefix where they are
 * not read. Values of auth annotations are the auth translation's to report, with what the path answers.
 */
export function reportAnnotations(ingress: Ingress, context: TranslateContext): void {
  const annotations = ingress.metadata.annotations ?? {};
  for (const [key, value] of Object.entries(annotations)) {
    const own = parseAnnotationKey(key, context.options.domains);
    const problem = own && (problemOfIndex(own, ingress) ?? problemOfName(own, value));
    if (problem === undefined) continue;
    context.diagnostics.report({ ...problem, ...placeOf(ingress, ...annotationField(key)) });
  }
}

function problemOfIndex({ prefix, index }: AnnotationKey, ingress: Ingress): Report | undefined {
  if (prefix !== "index") return undefined;
  if (index === undefined) {
    const message = "its prefix is not index.<rule>-<path>, with two numbers from 0";
    return { code: "ANNOTATION_INDEX_UNUSED", message };
  }
  const rule = ingress.spec?.rules?.[index.rule];
  if (rule === undefined) {
    const message = `the Ingress has no rule ${String(index.rule)}, counted from 0`;
    return { code: "ANNOTATION_INDEX_UNUSED", message };
  }
  if (rule.http?.paths[index.path] === undefined) {
    const message = `rule ${String(index.rule)} has no path ${String(index.path)}, counted from 0`;
    return { code: "ANNOTATION_INDEX_UNUSED", message };
  }
  return undefined;
}

function problemOfName({ prefix, name }: AnnotationKey, value: string): Report | undefined {
  const unknown = unknownAnnotation(name);
  if (unknown !== undefined) return problemOfUnknown(name, value, unknown);
  const annotation = findAnnotation(name);
  if (annotation === undefined) return undefined;
  if (!annotation.prefixes.includes(prefix)) {
    const message = `${name} is not read under this prefix, only under ${prefixList(annotation)}`;
    return { code: "ANNOTATION_PREFIX", message };
  }
  return value.trim() === "" ? undefined : problemOfValue(annotation, value.trim());
}

function problemOfUnknown(
  name: string,
  value: string,
  { meant, restricts }: UnknownAnnotation,
): Report {
  const message = `${JSON.stringify(name)} is not an annotation that is known`;
  if (!restricts || value.trim() === "") {
    const hint = meant === undefined ? {} : { hint: `did you mean ${meant}?` };
    return { code: "ANNOTATION_UNKNOWN", message, ...hint };
  }
  const hint =
    meant === undefined
      ? {}
      : { hint: `did you mean ${meant}? The paths stay closed until the name is right` };
  const closed = `${message}, and may be meant to restrict access`;
  return { code: "ANNOTATION_MISSPELT", message: closed, ...hint };
}

function problemOfValue(annotation: AnyAnnotation, text: string): Report | undefined {
  const { name, group, fallback } = annotation;
  if (!annotation.supported) {
    // auth-tls-secret, which closes its path.
    if (fallback === "closed") return undefined;
    return { code: "ANNOTATION_UNSUPPORTED", message: `${name} has no effect. ${annotation.why}` };
  }
  if (group === "auth") return undefined;
  const result = annotation.type.parse(text);
  if (result.ok) return undefined;
  const code = fallback === "closed" ? "ANNOTATION_CLOSED" : "ANNOTATION_INVALID";
  return { code, message: `${name}: ${result.problem}` };
}

const SHOWN_PREFIX: Readonly<Record<AnnotationPrefix, string>> = {
  index: "the index prefix",
  own: "the own domain",
  compat: "the compatible domain",
};

function prefixList({ prefixes }: AnyAnnotation): string {
  return prefixes.map((prefix) => SHOWN_PREFIX[prefix]).join(" and ");
}
