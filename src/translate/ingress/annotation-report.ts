import type { Ingress } from "../../api/core.js";
import { didYouMean } from "../../support/did-you-mean.js";
import type { TranslateContext } from "../context.js";
import { annotationField, placeOf } from "../place.js";
import type { AnyAnnotation } from "./annotation.js";
import type { AnnotationPrefix, PathIndex } from "./annotation-lookup.js";
import { ANNOTATIONS, findAnnotation } from "./annotation-table.js";
import type { Domains } from "../../options.js";
import type { Report } from "../../diagnostics/sink.js";

/** A key of ours, taken apart. */
interface OwnKey {
  readonly prefix: AnnotationPrefix;
  readonly name: string;
  /** Of an index prefix; undefined when it is not two numbers. */
  readonly index?: PathIndex;
}

const NAMES = ANNOTATIONS.map(({ name }) => name);

/**
 * Reports the annotations of our domains that can't be honoured: unknown, unsupported, malformed, or under a prefix where they are
 * not read. Values of auth annotations are the auth translation's to report, with what the path answers.
 */
export function reportAnnotations(ingress: Ingress, context: TranslateContext): void {
  const annotations = ingress.metadata.annotations ?? {};
  for (const [key, value] of Object.entries(annotations)) {
    const own = parseKey(key, context.options.domains);
    const problem = own && (problemOfIndex(own, ingress) ?? problemOfName(own, value));
    if (problem === undefined) continue;
    context.diagnostics.report({ ...problem, ...placeOf(ingress, ...annotationField(key)) });
  }
}

const INDEX = /^(0|[1-9]\d{0,8})-(0|[1-9]\d{0,8})$/;

function parseKey(key: string, domains: Domains): OwnKey | undefined {
  const slash = key.indexOf("/");
  const domain = key.slice(0, slash);
  const name = key.slice(slash + 1);
  if (domain === domains.compatAnnotations) return { prefix: "compat", name };
  if (domain === domains.annotations) return { prefix: "own", name };
  const suffix = `.${domains.annotations}`;
  if (!domain.startsWith("index.") || !domain.endsWith(suffix)) return undefined;
  const match = INDEX.exec(domain.slice("index.".length, -suffix.length));
  const index = match && { rule: Number(match[1]), path: Number(match[2]) };
  return { prefix: "index", name, ...(index && { index }) };
}

function problemOfIndex({ prefix, index }: OwnKey, ingress: Ingress): Report | undefined {
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

function problemOfName({ prefix, name }: OwnKey, value: string): Report | undefined {
  const annotation = findAnnotation(name);
  if (annotation === undefined) {
    const meant = didYouMean(name, NAMES);
    return {
      code: "ANNOTATION_UNKNOWN",
      message: `${JSON.stringify(name)} is not an annotation that is known`,
      ...(meant !== undefined && { hint: `did you mean ${meant}?` }),
    };
  }
  if (!annotation.prefixes.includes(prefix)) {
    const message = `${name} is not read under this prefix, only under ${prefixList(annotation)}`;
    return { code: "ANNOTATION_PREFIX", message };
  }
  return value.trim() === "" ? undefined : problemOfValue(annotation, value.trim());
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
