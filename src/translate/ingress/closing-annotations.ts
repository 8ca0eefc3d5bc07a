import type { Ingress } from "../../api/core.js";
import type { CompileOptions } from "../../options.js";
import type { AnnotationKey, PathIndex } from "./annotation-key.js";
import { parseAnnotationKey, pathKey } from "./annotation-key.js";
import { findAnnotation } from "./annotation-table.js";
import { unknownAnnotation } from "./unknown-annotation.js";

/** Names of the annotations that close paths of an Ingress, since they restrict access and can't be honoured. */
export interface ClosingAnnotations {
  /** For every path and the default backend. */
  readonly whole?: string;
  /** For one path; by `<rule>-<path>`. */
  readonly byPath: ReadonlyMap<string, string>;
}

/** The misspelt and the unsupported ones; malformed values are found where they are read (annotation-reader.ts). */
export function closingAnnotations(ingress: Ingress, options: CompileOptions): ClosingAnnotations {
  let whole: string | undefined;
  const byPath = new Map<string, string>();
  for (const [text, value] of Object.entries(ingress.metadata.annotations ?? {})) {
    const key = parseAnnotationKey(text, options.domains);
    if (key === undefined || !closes(key, value, ingress, options)) continue;
    const { name, index } = key;
    if (index === undefined || !hasPath(ingress, index)) whole ??= name;
    else if (!byPath.has(pathKey(index))) byPath.set(pathKey(index), name);
  }
  return { ...(whole !== undefined && { whole }), byPath };
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

/** The domain or the index says nothing that is there, so the annotation would be without effect. */
function isMisspelt({ prefix, index, meant }: AnnotationKey, ingress: Ingress): boolean {
  if (meant !== undefined) return true;
  return prefix === "index" && (index === undefined || !hasPath(ingress, index));
}

/** Whether paths would be open, or served by the wrong backend, without the annotation. A blank value restricts nothing. */
export function restrictsAccess(name: string, value: string): boolean {
  if (value.trim() === "") return false;
  const annotation = findAnnotation(name);
  if (annotation === undefined) return unknownAnnotation(name)?.restricts === true;
  if (annotation.fallback !== "closed") return false;
  return annotation.supported || annotation.acts(value.trim());
}

/** Those of group `auth` are closed by their auth, which auth-enable can switch off. */
export function isUnsupportedRestriction(name: string): boolean {
  const annotation = findAnnotation(name);
  return annotation?.supported === false && annotation.group !== "auth";
}

function hasPath(ingress: Ingress, { rule, path }: PathIndex): boolean {
  return ingress.spec?.rules?.[rule]?.http?.paths[path] !== undefined;
}
