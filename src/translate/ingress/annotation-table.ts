/** Every known annotation below the own and the compatible domain, and what unknown names were meant to be. */
import { memoizedText } from "../../support/collections.js";
import { didYouMean, isNear } from "../../support/did-you-mean.js";
import { AUTH_ANNOTATIONS } from "../auth/methods.js";
import type { AnyAnnotation } from "./annotations/annotation.js";
import { BACKEND_ROWS } from "./annotations/backend.js";
import { CORS_ROWS } from "./annotations/cors.js";
import { OBSERVABILITY_ROWS } from "./annotations/observability.js";
import { ERROR_PAGE_ROWS } from "./annotations/error-pages.js";
import { REDIRECT_ROWS } from "./annotations/redirect.js";
import { ROUTING_ROWS } from "./annotations/routing.js";
import { UNSUPPORTED_ANNOTATIONS } from "./annotations/unsupported-table.js";

export const ANNOTATIONS: readonly AnyAnnotation[] = [
  ...AUTH_ANNOTATIONS,
  ...Object.values(ROUTING_ROWS),
  ...Object.values(REDIRECT_ROWS),
  ...Object.values(CORS_ROWS),
  ...Object.values(BACKEND_ROWS),
  ...Object.values(OBSERVABILITY_ROWS),
  ...Object.values(ERROR_PAGE_ROWS),
  ...UNSUPPORTED_ANNOTATIONS,
];

const BY_NAME: ReadonlyMap<string, AnyAnnotation> = new Map(
  ANNOTATIONS.map((annotation) => [annotation.name, annotation]),
);

/** Names of those that restrict access. */
const CLOSING = ANNOTATIONS.flatMap(({ name, fallback }) => (fallback === "closed" ? [name] : []));

export function findAnnotation(name: string): AnyAnnotation | undefined {
  return BY_NAME.get(name);
}

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

/**
 * What a name that no annotation has was probably meant to be: the annotation with the most similar name. If none is near, `isOfFamily`
 * says whether the name is one of authentication or of lists of clients. Undefined: the annotation is known.
 */
export const unknownAnnotation = memoizedText((name) => {
  if (findAnnotation(name) !== undefined) return undefined;
  const meant =
    OTHER_NAMES.get(name) ??
    didYouMean(name, BY_NAME.keys()) ??
    FAMILIES.find(([family]) => family.test(name))?.[1] ??
    CLOSING.find((known) => known.startsWith(`${name}-`) || known.endsWith(`-${name}`));
  return { meant, isOfFamily: meant === undefined && RESTRICTING_FAMILY.test(name) };
});

/** Whether paths would be open, or served by the wrong backend, without the annotation. A blank value restricts nothing. */
export function restrictsAccess(name: string, value: string): boolean {
  if (value.trim() === "") return false;
  const unknown = unknownAnnotation(name);
  const annotation = findAnnotation(unknown?.meant ?? name);
  if (annotation === undefined) return unknown?.isOfFamily === true;
  if (annotation.fallback !== "closed") return false;
  return annotation.supported || annotation.acts(value.trim());
}

/** Whether a name is that of an annotation that restricts access, but for one or two letters. */
export function isNearlyRestricting(name: string): boolean {
  return CLOSING.some((known) => isNear(name, known));
}
