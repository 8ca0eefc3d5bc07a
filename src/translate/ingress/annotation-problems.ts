/** Annotations of our domains that can't be honoured: unknown, unsupported, malformed, or under a prefix where they are not read. */
import type { Ingress, KubernetesObject } from "../../api/wire.js";
import { type FieldPath, formatFieldPath } from "../../diagnostics/diagnostic.js";
import type { Report } from "../../diagnostics/sink.js";
import type { PathMatch } from "../../model/route.js";
import type { CompileOptions } from "../../model/options.js";
import { addTo } from "../../support/collections.js";
import { isNear } from "../../support/did-you-mean.js";
import { AUTH_SWITCHES } from "../auth/methods.js";
import type { TranslateContext } from "../context.js";
import { annotationField, placeOf } from "../place.js";
import { restrictionProblem } from "../reasons.js";
import { findAnnotation, meantAnnotation, restrictsAccess } from "./annotation-table.js";
import type { Annotation, AnyAnnotation, UnsupportedAnnotation } from "./annotations/annotation.js";
import {
  type AnnotationKey,
  type AnnotationPrefix,
  parseAnnotationKey,
  pathKey,
} from "./annotations/annotation-key.js";
import type { AnnotationLookup, Closer } from "./annotations/annotation-reader.js";
import { foreignAnnotations } from "./foreign-annotations.js";
import { closedBySnippet, isSnippet, snippetReports } from "./snippets/snippets.js";

/** A location that a snippet restricts. */
interface ClosedLocation {
  readonly path: PathMatch;
  readonly closer: Closer;
}

/**
 * The problems of an Ingress's annotations, and those that close paths, since they restrict access and can't be honoured.
 * Malformed values close where they are read (AnnotationReader). Values of auth annotations are the auth translation's to report.
 */
export function annotationProblems(
  ingress: Ingress,
  lookup: AnnotationLookup,
  options: CompileOptions,
): {
  readonly reports: readonly Report[];
  /** Close every path and the default backend. */
  readonly whole: readonly Closer[];
  /** Close one path; by `<rule>-<path>`. */
  readonly byPath: ReadonlyMap<string, readonly Closer[]>;
  readonly locations: readonly ClosedLocation[];
} {
  const whole: Closer[] = [];
  const byPath = new Map<string, Closer[]>();
  const locations: ClosedLocation[] = [];
  const reports: Report[] = [...foreignAnnotations(ingress, options)];
  const serverSnippet = lookup.find({ name: "server-snippet" })?.value.trim() ?? "";
  for (const written of annotationsOf(ingress, options)) {
    const { key, field } = written;
    const place = placeOf(ingress, ...field);
    const problems = problemsOf(written, ingress, serverSnippet, options);
    reports.push(...problems.map((problem) => ({ ...problem, ...place, ...pointer(problem) })));
    if (!problems.some((problem) => closes(problem, options))) continue;
    const closer = { name: key.name, field: formatFieldPath(field) };
    const path = closedPath(key, ingress);
    const own = path === undefined ? onlyLocations(written, serverSnippet, options) : undefined;
    if (own !== undefined) locations.push(...own.map((each) => ({ path: each, closer })));
    else if (path === undefined) whole.push(closer);
    else addTo(byPath, path, closer);
  }
  return { reports, whole, byPath, locations };
}

function problemsOf(
  written: WrittenAnnotation,
  ingress: Ingress,
  serverSnippet: string,
  options: CompileOptions,
): readonly Report[] {
  const { name, prefix } = written.key;
  const text = written.value.trim();
  const ofKey = problemOfKey(written, ingress);
  if (ofKey === undefined && options.snippets === "translate" && isSnippet(name) && text !== "") {
    return snippetReports(name, text, options, serverSnippet);
  }
  const problem = ofKey ?? problemOfName({ prefix, name }, written.value, options);
  return problem === undefined ? [] : [problem];
}

/** The locations that a snippet closes; undefined: it closes more, or is no snippet. */
function onlyLocations(
  { key: { name }, value }: Pick<WrittenAnnotation, "key" | "value">,
  serverSnippet: string,
  options: CompileOptions,
): readonly PathMatch[] | undefined {
  if (!isSnippet(name)) return undefined;
  const { isWhole, locations } = closedBySnippet(name, value, options, serverSnippet);
  return isWhole ? undefined : locations;
}

function closedPath(key: AnnotationKey, ingress: Ingress): string | undefined {
  const hasPath = key.index !== undefined && problemOfIndex(key, ingress) === undefined;
  return hasPath ? pathKey(key.index) : undefined;
}

const AT_KEY = { at: "key" } as const;

/** The problem is the annotation's value, or its name. */
function pointer({ code }: Report): Pick<Report, "at"> {
  return code === "ANNOTATION_INVALID" || code === "ANNOTATION_CLOSED" ? {} : AT_KEY;
}

function closes({ code }: Report, { unsupportedRestrictions }: CompileOptions): boolean {
  return (
    code === "ANNOTATION_MISSPELT" ||
    (code === "RESTRICTION_UNSUPPORTED" && unsupportedRestrictions === "close")
  );
}

/** Reports annotations that restrict access on objects of other kinds than Ingress, where they have no effect. */
export function reportRestrictions(
  object: KubernetesObject,
  { options, diagnostics }: Pick<TranslateContext, "options" | "diagnostics">,
): void {
  for (const { key, value, field } of annotationsOf(object, options)) {
    if (!restrictsAccess(key.name, value)) continue;
    const message = `${key.name} restricts access, but has no effect on objects of kind ${object.kind}`;
    const hint = "protect it in its spec or with an AuthPolicy, and remove the annotation";
    const place = placeOf(object, ...field);
    diagnostics.report({ code: "RESTRICTION_WITHOUT_EFFECT", message, hint, ...place, ...AT_KEY });
  }
}

interface WrittenAnnotation {
  readonly key: AnnotationKey;
  readonly value: string;
  readonly field: FieldPath;
  /** It stands among the labels, where it has no effect. */
  readonly isLabel: boolean;
  /** An annotation of its name is read. */
  readonly isRead: boolean;
}

/** All of an object, and labels that would restrict access if they stood among the annotations. */
function annotationsOf(
  { metadata: { annotations = {}, labels = {} } }: KubernetesObject,
  options: CompileOptions,
): readonly WrittenAnnotation[] {
  const found: WrittenAnnotation[] = [];
  const read = new Set<string>();
  const parsed = Object.entries(annotations).map(([text, value]) => {
    const key = parseAnnotationKey(text, options.domains);
    if (key?.meant === undefined && key !== undefined) read.add(key.name);
    return { text, value, key };
  });
  for (const { text, value, key } of parsed) {
    const field = annotationField(text);
    if (key) found.push({ key, value, field, isLabel: false, isRead: read.has(key.name) });
  }
  for (const [text, value] of Object.entries(labels)) {
    const key = parseAnnotationKey(text, options.domains);
    if (key === undefined || !restrictsAccess(key.name, value)) continue;
    const field = ["metadata", "labels", text];
    found.push({ key, value, field, isLabel: true, isRead: read.has(key.name) });
  }
  return found;
}

/** Of a domain or an index that is not right: the annotation has no effect, so one that restricts access closes the paths. */
function problemOfKey(
  { key, value, isLabel, isRead }: WrittenAnnotation,
  ingress: Ingress,
): Report | undefined {
  const { name, meant } = key;
  if (isLabel && isRead) return undefined;
  if (isLabel) {
    const message = `labels have no effect, and ${name} restricts access`;
    return { code: "ANNOTATION_MISSPELT", message, hint: "move it to metadata.annotations" };
  }
  const message =
    meant === undefined ? problemOfIndex(key, ingress) : "its domain has no effect on an Ingress";
  if (message === undefined) return undefined;
  const hint = didYouMean(meant?.replace("0-0", "<rule>-<path>"), "/?");
  if (restrictsAccess(name, value) && !(meant !== undefined && isRead)) {
    const closed = `${message}, and ${name} restricts access`;
    return { code: "ANNOTATION_MISSPELT", message: closed, ...hint };
  }
  const code = meant === undefined ? "ANNOTATION_INDEX_UNUSED" : "ANNOTATION_UNKNOWN";
  return { code, message, ...hint };
}

function didYouMean(meant: string | undefined, end: string): { readonly hint?: string } {
  return meant === undefined ? {} : { hint: `did you mean ${meant}${end}` };
}

function problemOfIndex({ prefix, index }: AnnotationKey, ingress: Ingress): string | undefined {
  if (prefix !== "index") return undefined;
  if (index === undefined) return "its prefix is not index.<rule>-<path>, with two numbers from 0";
  const rule = ingress.spec?.rules?.[index.rule];
  if (rule === undefined) {
    return `the Ingress has no rule ${String(index.rule)}, counted from 0`;
  }
  return rule.http?.paths[index.path] === undefined
    ? `rule ${String(index.rule)} has no path ${String(index.path)}, counted from 0`
    : undefined;
}

function problemOfName(
  { prefix, name }: Pick<AnnotationKey, "prefix" | "name">,
  value: string,
  options: CompileOptions,
): Report | undefined {
  const annotation = findAnnotation(name);
  if (annotation === undefined) return problemOfUnknown({ prefix, name }, value);
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

/** ingress-nginx ignores names that it does not know; a name near to a known one may be a mistake of today. */
function problemOfUnknown(
  { prefix, name }: Pick<AnnotationKey, "prefix" | "name">,
  value: string,
): Report {
  const meant = meantAnnotation(name);
  if (prefix === "compat" && (meant === undefined || !isNear(name, meant))) {
    const message = `${JSON.stringify(name)} never had an effect in ingress-nginx`;
    return { code: "ANNOTATION_WITHOUT_EFFECT", message };
  }
  const message = `${JSON.stringify(name)} is not an annotation that is known`;
  if (!restrictsAccess(name, value)) {
    const hint = didYouMean(meant, "?");
    return { code: "ANNOTATION_UNKNOWN", message, ...hint };
  }
  const hint = didYouMean(meant, "?");
  const closed = `${message}, and may be meant to restrict access`;
  return { code: "ANNOTATION_MISSPELT", message: closed, ...hint };
}

function problemOfBlank({ name, group, fallback, supported }: AnyAnnotation): Report | undefined {
  const guards = group === "auth" ? AUTH_SWITCHES.includes(name) : supported;
  if (!guards || fallback !== "closed") return undefined;
  return { code: "ANNOTATION_INVALID", message: `${name}: it is empty, so it has no effect` };
}

function problemOfUnsupported(
  { name, group, why, fallback, acts }: UnsupportedAnnotation,
  text: string,
  options: CompileOptions,
): Report | undefined {
  // Those of group `auth` are closed by their auth, which auth-enable can switch off.
  if (fallback === "closed" && group === "auth") return undefined;
  // A harmless snippet still loses what it sets.
  if (!acts(text) && group !== "snippet") return undefined;
  const message = `${name} has no effect. ${why}`;
  if (fallback === "ignored" || !acts(text)) return { code: "ANNOTATION_UNSUPPORTED", message };
  if (fallback === "unenforced") return { code: "LIMIT_UNSUPPORTED", message };
  return restrictionProblem(message, options);
}

/** What is wrong with a value that is not blank. */
export function problemOfValue(
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
