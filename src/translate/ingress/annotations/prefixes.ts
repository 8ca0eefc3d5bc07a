import type { Annotation, AnnotationGroup } from "../annotation.js";
import type { AnnotationPrefix } from "../annotation-key.js";
import { EVERY_PREFIX } from "../annotation-lookup.js";

/** For one path, under every prefix. */
export const PATH_PREFIXES = EVERY_PREFIX;
/** For one path, under the own domain only: nothing of the compatible domain has this name. */
export const OWN_PREFIXES: readonly AnnotationPrefix[] = ["index", "own"];
/** For the whole Ingress: paths can't differ in it. */
export const INGRESS_PREFIXES: readonly AnnotationPrefix[] = ["own", "compat"];

/** Makes the rows of a group: as most are, or with what differs. */
export function rowsOf(group: AnnotationGroup) {
  return <T>(
    name: string,
    type: Annotation<T>["type"],
    doc: string,
    differs: Partial<Pick<Annotation<T>, "prefixes" | "fallback">> = {},
  ): Annotation<T> => {
    const usual = { prefixes: PATH_PREFIXES, fallback: "ignored", supported: true } as const;
    return { name, group, ...usual, type, doc, ...differs };
  };
}
