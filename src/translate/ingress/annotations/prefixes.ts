import type { AnnotationPrefix } from "../annotation-key.js";
import { EVERY_PREFIX } from "../annotation-lookup.js";

/** For one path, under every prefix. */
export const PATH_PREFIXES = EVERY_PREFIX;
/** For one path, under the own domain only: nothing of the compatible domain has this name. */
export const OWN_PREFIXES: readonly AnnotationPrefix[] = ["index", "own"];
/** For the whole Ingress: paths can't differ in it. */
export const INGRESS_PREFIXES: readonly AnnotationPrefix[] = ["own", "compat"];
