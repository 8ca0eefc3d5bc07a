import type { Ingress, KubernetesObject } from "../../api/wire.js";
import type { FieldPath } from "../../diagnostics/diagnostic.js";
import type { CompileOptions } from "../../model/options.js";
import { memoizedText } from "../../support/collections.js";
import { didYouMean, isNear } from "../../support/did-you-mean.js";
import { annotationField } from "../place.js";
import type { AnnotationKey, PathIndex } from "./annotations/annotation-key.js";
import { parseAnnotationKey, pathKey } from "./annotations/annotation-key.js";
import { ANNOTATIONS, findAnnotation } from "./annotation-table.js";
import { SERVER_ALIAS } from "./annotations/routing-table.js";

/** Names of the annotations that close paths of an Ingress, since they restrict access and can't be honoured. */
export interface ClosingAnnotations {
  /** For every path and the default backend. */
  readonly whole?: string;
  /** For one path; by `<rule>-<path>`. */
  readonly byPath: ReadonlyMap<string, string>;
  /** What a server-alias names whose key is misspelt. */
  readonly hosts: readonly string[];
}

/** The misspelt and the unsupported ones; malformed values are found where they are read (annotation-reader.ts). */
export function closingAnnotations(ingress: Ingress, options: CompileOptions): ClosingAnnotations {
  let whole: string | undefined;
  const byPath = new Map<string, string>();
  const hosts: string[] = [];
  for (const { key, value } of annotationsOf(ingress, options)) {
    if (!closes(key, value, ingress, options)) continue;
    const { name, index } = key;
    if ((unknownAnnotation(name)?.meant ?? name) === SERVER_ALIAS.name) hosts.push(value);
    if (index === undefined || !hasPath(ingress, index)) whole ??= name;
    else if (!byPath.has(pathKey(index))) byPath.set(pathKey(index), name);
  }
  return { ...(whole !== undefined && { whole }), byPath, hosts };
}

export function closedBy(
  { whole, byPath }: ClosingAnnotations,
  index: PathIndex,
): string | undefined {
  return byPath.get(pathKey(index)) ?? whole;
}

function closes(
  key: AnnotationKey,
  value: string,
  ingress: Ingress,
  { unsupportedRestrictions }: CompileOptions,
): boolean {
  if (!restrictsAccess(key.name, value)) return false;
  if (isMisspelt(key, ingress) || findAnnotation(key.name) === undefined) return true;
  return isUnsupportedRestriction(key.name) && unsupportedRestrictions === "close";
}

/** The prefix is not one of the annotation's, or says nothing that is there, so the annotation would be without effect. */
function isMisspelt(
  { name, prefix, index, meant, isLabel }: AnnotationKey,
  ingress: Ingress,
): boolean {
  if (isLabel || meant !== undefined || findAnnotation(name)?.prefixes.includes(prefix) === false)
    return true;
  return prefix === "index" && (index === undefined || !hasPath(ingress, index));
}

/** An annotation of our domains. */
interface WrittenAnnotation {
  readonly key: AnnotationKey;
  readonly value: string;
  readonly field: FieldPath;
}

/** All of an object, and labels that would restrict access if they stood among the annotations. */
export function annotationsOf(
  { metadata: { annotations = {}, labels = {} } }: KubernetesObject,
  options: CompileOptions,
): readonly WrittenAnnotation[] {
  const found: WrittenAnnotation[] = [];
  for (const [text, value] of Object.entries(annotations)) {
    const key = readKey(text, value, options);
    if (key !== undefined) found.push({ key, value, field: annotationField(text) });
  }
  for (const [text, value] of Object.entries(labels)) {
    const read = readKey(text, value, options);
    if (read === undefined || !restrictsAccess(read.name, value)) continue;
    const key = { ...read, isLabel: true } as const;
    found.push({ key, value, field: ["metadata", "labels", text] });
  }
  return found;
}

/** As parseAnnotationKey; a guess counts where its name is nearly that of an annotation that restricts access. */
function readKey(
  text: string,
  value: string,
  { domains }: CompileOptions,
): AnnotationKey | undefined {
  const key = parseAnnotationKey(text, domains);
  if (key?.isGuess !== true) return key;
  const isNearly = ANNOTATIONS.some(
    ({ name, fallback }) => fallback === "closed" && isNear(key.name, name),
  );
  return isNearly && restrictsAccess(key.name, value) ? key : undefined;
}

/** Whether paths would be open, or served by the wrong backend, without the annotation. A blank value restricts nothing. */
export function restrictsAccess(name: string, value: string): boolean {
  if (value.trim() === "") return false;
  const unknown = unknownAnnotation(name);
  const annotation = findAnnotation(unknown?.meant ?? name);
  if (annotation === undefined) return unknown?.isOfFamily === true;
  if (annotation.fallback !== "closed") return false;
  return annotation.supported || annotation.acts(value.trim());
}

/** In ingress-nginx it holds for the whole server, so for the host in every Ingress. */
export const OF_SERVER = "server-snippet";

/** Whether an annotation closes the hosts of the Ingress. */
export function closesHosts(ingress: Ingress, options: CompileOptions): boolean {
  return annotationsOf(ingress, options).some(
    ({ key, value }) => key.name === OF_SERVER && closes(key, value, ingress, options),
  );
}

/** Those of group `auth` are closed by their auth, which auth-enable can switch off. */
export function isUnsupportedRestriction(name: string): boolean {
  const annotation = findAnnotation(name);
  return annotation?.supported === false && annotation.group !== "auth";
}

function hasPath(ingress: Ingress, { rule, path }: PathIndex): boolean {
  return ingress.spec?.rules?.[rule]?.http?.paths[path] !== undefined;
}

/** What a name that no annotation has was probably meant to be. */
export interface UnknownAnnotation {
  /** The annotation with the most similar name, if one is near. */
  readonly meant?: string;
  /** None is near, but its name is one of authentication or of lists of clients. */
  readonly isOfFamily: boolean;
}

const NAMES = ANNOTATIONS.map(({ name }) => name);

/** Nearer by its letters to the list of the opposite meaning. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["blacklist-source-range", "denylist-source-range"],
]);

/** What names that are near to none are for. ingress-nginx has none of these but those of the table. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/mod-?sec|waf/i, "enable-modsecurity"],
  [/snippet/i, "configuration-snippet"],
];

/** Names of authentication and of lists of clients. ingress-nginx has none but those of the table. */
const RESTRICTING_FAMILY = /auth|cidr|source-range|(?:allow|white|deny|black|block)-?list/i;

/** The annotation that a name is the beginning or the end of, such as `type`, if it decides who may pass. */
function truncated(name: string): string | undefined {
  return ANNOTATIONS.find(
    ({ name: known, fallback }) =>
      fallback === "closed" && (known.startsWith(`${name}-`) || known.endsWith(`-${name}`)),
  )?.name;
}

/** Undefined: the annotation is known. */
export const unknownAnnotation = memoizedText((name): UnknownAnnotation | undefined => {
  if (findAnnotation(name) !== undefined) return undefined;
  const meant =
    OTHER_NAMES.get(name) ??
    didYouMean(name, NAMES) ??
    FAMILIES.find(([family]) => family.test(name))?.[1] ??
    truncated(name);
  return meant === undefined
    ? { isOfFamily: RESTRICTING_FAMILY.test(name) }
    : { meant, isOfFamily: false };
});
