import type { Ingress } from "../../api/core.js";
import type { Domains } from "../../options.js";
import { parseAnnotationKey } from "./annotation-key.js";
import type { PathIndex } from "./annotation-lookup.js";
import { unknownAnnotation } from "./unknown-annotation.js";

/** An annotation that no one knows and that was probably meant to restrict access: what it should protect is closed. */
export interface MisspeltRestriction {
  /** As written, without prefix. */
  readonly name: string;
  /** The one path that it is for; absent: every path and the default backend. */
  readonly index?: PathIndex;
}

/** Those of an Ingress. A blank value restricts nothing, whatever the name. */
export function misspeltRestrictions(
  ingress: Ingress,
  domains: Domains,
): readonly MisspeltRestriction[] {
  return Object.entries(ingress.metadata.annotations ?? {}).flatMap(([key, value]) => {
    const parsed = parseAnnotationKey(key, domains);
    if (parsed === undefined || value.trim() === "") return [];
    const { prefix, name, index } = parsed;
    if (prefix === "index" && index === undefined) return [];
    if (unknownAnnotation(name)?.restricts !== true) return [];
    return [{ name, ...(index && { index }) }];
  });
}

/** The name of the first that holds for a path; without an index, for a default backend. */
export function closingName(
  restrictions: readonly MisspeltRestriction[],
  path?: PathIndex,
): string | undefined {
  return restrictions.find(
    ({ index }) => index === undefined || (index.rule === path?.rule && index.path === path.path),
  )?.name;
}
