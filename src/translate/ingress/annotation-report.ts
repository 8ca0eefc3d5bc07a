import type { Ingress, KubernetesObject } from "../../api/wire.js";
import type { CompileOptions } from "../../model/options.js";
import type { TranslateContext } from "../context.js";
import { placeOf } from "../place.js";
import { unsupportedRestriction } from "../reasons.js";
import type { Annotation, AnyAnnotation, UnsupportedAnnotation } from "./annotations/annotation.js";
import type { AnnotationKey, AnnotationPrefix } from "./annotations/annotation-key.js";
import { AUTH_SWITCHES, findAnnotation } from "./annotation-table.js";
import {
  annotationsOf,
  isUnsupportedRestriction,
  restrictsAccess,
  unknownAnnotation,
} from "./closing-annotations.js";
import type { UnknownAnnotation } from "./closing-annotations.js";
import type { Report } from "../../diagnostics/sink.js";

/**
 * Reports the annotations of our domains that can't be honoured: unknown, unsupported, malformed, or under a prefix where they are
 * not read. Values of auth annotations are the auth translation's to report, with what the path answers.
 */
export function reportAnnotations(ingress: Ingress, context: TranslateContext): void {
  const { options, diagnostics } = context;
  for (const { key, value, field } of annotationsOf(ingress, options)) {
    const problem = problemOfKey(key, value, ingress) ?? problemOfName(key, value, options);
    if (problem !== undefined) diagnostics.report({ ...problem, ...placeOf(ingress, ...field) });
  }
}

/**
 * Annotations that restrict access have no effect on other kinds than Ingress, which is reported. Gives the name of the first one: nothing
 * that they stand on may be open by that.
 */
export function reportRestrictions(
  object: KubernetesObject,
  { options, diagnostics }: Pick<TranslateContext, "options" | "diagnostics">,
): string | undefined {
  let what: string | undefined;
  for (const { key, value, field } of annotationsOf(object, options)) {
    if (!restrictsAccess(key.name, value)) continue;
    what ??= key.name;
    const message = `${key.name} restricts access, but has no effect on objects of kind ${object.kind}`;
    const hint = "protect it in its spec or with an AuthPolicy, and remove the annotation";
    const place = placeOf(object, ...field);
    diagnostics.report({ code: "ANNOTATION_MISSPELT", message, hint, ...place });
  }
  return what;
}

/** Of a domain or an index that is not right: the annotation has no effect, so one that restricts access closes the paths. */
function problemOfKey(key: AnnotationKey, value: string, ingress: Ingress): Report | undefined {
  const { name, meant } = key;
  if (key.isLabel) {
    const message = `labels have no effect, and ${name} restricts access`;
    return { code: "ANNOTATION_MISSPELT", message, hint: "move it to metadata.annotations" };
  }
  const message =
    meant === undefined ? problemOfIndex(key, ingress) : "its domain has no effect on an Ingress";
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
    const code = restrictsAccess(name, value) ? "ANNOTATION_MISSPELT" : "ANNOTATION_PREFIX";
    return { code, message };
  }
  const text = value.trim();
  // For one path it switches off what holds for all.
  if (text === "") return prefix === "index" ? undefined : problemOfBlank(annotation);
  return annotation.supported
    ? problemOfValue(annotation, text, options)
    : problemOfUnsupported(annotation, text, options);
}

function problemOfBlank({ name, group, fallback, supported }: AnyAnnotation): Report | undefined {
  const guards = group === "auth" ? AUTH_SWITCHES.includes(name) : supported;
  if (!guards || fallback !== "closed") return undefined;
  return { code: "ANNOTATION_INVALID", message: `${name}: it is empty, so it has no effect` };
}

function problemOfUnknown(name: string, value: string, { meant }: UnknownAnnotation): Report {
  const message = `${JSON.stringify(name)} is not an annotation that is known`;
  if (!restrictsAccess(name, value)) {
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
