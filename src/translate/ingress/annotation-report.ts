import type { Ingress } from "../../api/core.js";
import type { CompileOptions } from "../../options.js";
import type { TranslateContext } from "../context.js";
import { annotationField, placeOf } from "../place.js";
import { unsupportedRestriction } from "../reasons.js";
import type { Annotation, AnyAnnotation, UnsupportedAnnotation } from "./annotation.js";
import type { AnnotationKey, AnnotationPrefix } from "./annotation-key.js";
import { parseAnnotationKey } from "./annotation-key.js";
import { findAnnotation } from "./annotation-table.js";
import { isUnsupportedRestriction, restrictsAccess } from "./closing-annotations.js";
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
    const problem =
      own && (problemOfKey(own, value, ingress) ?? problemOfName(own, value, context.options));
    if (problem === undefined) continue;
    context.diagnostics.report({ ...problem, ...placeOf(ingress, ...annotationField(key)) });
  }
}

/** Of a domain or an index that is not right: the annotation has no effect, so one that restricts access closes the paths. */
function problemOfKey(key: AnnotationKey, value: string, ingress: Ingress): Report | undefined {
  const { name, meant } = key;
  const message =
    meant === undefined
      ? problemOfIndex(key, ingress)
      : "its domain is none of ours, but near to one";
  if (message === undefined) return undefined;
  const hint =
    meant === undefined ? {} : { hint: `did you mean ${meant.replace("0-0", "<rule>-<path>")}/?` };
  if (restrictsAccess(name, value)) {
    const closed = `${message}, and ${name} restricts access`;
    return { code: "ANNOTATION_MISSPELT", message: closed, ...hint };
  }
  const code = meant === undefined ? "ANNOTATION_INDEX_UNUSED" : "ANNOTATION_UNKNOWN";
  return { code, message, ...hint };
}

function problemOfIndex({ prefix, index }: AnnotationKey, ingress: Ingress): string | undefined {
  if (prefix !== "index") return undefined;
  if (index === undefined) return "its prefix is not index.<rule>-<path>, with two numbers from 0";
  const rule = ingress.spec?.rules?.[index.rule];
  if (rule === undefined) {
    return `the Ingress has no rule ${String(index.rule)}, counted from 0`;
  }
  if (rule.http?.paths[index.path] === undefined) {
    return `rule ${String(index.rule)} has no path ${String(index.path)}, counted from 0`;
  }
  return undefined;
}

function problemOfName(
  { prefix, name }: AnnotationKey,
  value: string,
  options: CompileOptions,
): Report | undefined {
  const unknown = unknownAnnotation(name);
  if (unknown !== undefined) return problemOfUnknown(name, value, unknown);
  const annotation = findAnnotation(name);
  if (annotation === undefined) return undefined;
  if (!annotation.prefixes.includes(prefix)) {
    const message = `${name} is not read under this prefix, only under ${prefixList(annotation)}`;
    return { code: "ANNOTATION_PREFIX", message };
  }
  const text = value.trim();
  if (text === "") return undefined;
  return annotation.supported
    ? problemOfValue(annotation, text, options)
    : problemOfUnsupported(annotation, text, options);
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

function problemOfUnsupported(
  { name, why, fallback, acts }: UnsupportedAnnotation,
  text: string,
  options: CompileOptions,
): Report | undefined {
  if (fallback === "closed" && !isUnsupportedRestriction(name)) return undefined;
  const message = `${name} has no effect. ${why}`;
  if (fallback === "ignored" || !acts(text)) return { code: "ANNOTATION_UNSUPPORTED", message };
  if (fallback === "unenforced") return { code: "LIMIT_UNSUPPORTED", message };
  return unsupportedRestriction(message, options);
}

function problemOfValue(
  { name, group, fallback, type }: Annotation<unknown>,
  text: string,
  { unsupportedRestrictions }: CompileOptions,
): Report | undefined {
  if (group === "auth") return undefined;
  const result = type.parse(text);
  if (result.problem === undefined) return undefined;
  const isClosed = !result.ok && fallback === "closed" && unsupportedRestrictions === "close";
  const code = isClosed ? "ANNOTATION_CLOSED" : "ANNOTATION_INVALID";
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
