/** Every known annotation below the own and the compatible domain, and what unknown names were meant to be. */
import { memoizedText } from "../../support/collections.js";
import { didYouMean, isNear } from "../../support/did-you-mean.js";
import { AUTH_ANNOTATIONS } from "../auth/methods.js";
import type { AnyAnnotation } from "./annotations/annotation.js";
import { AFFINITY_ROWS } from "./annotations/affinity.js";
import { BACKEND_ROWS } from "./annotations/backend.js";
import { CORS_ROWS } from "./annotations/cors.js";
import { LIMIT_ROWS } from "./annotations/limits.js";
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
  ...Object.values(AFFINITY_ROWS),
  ...Object.values(LIMIT_ROWS),
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

/** The annotation that restricts access whose name is one or two letters from an unknown one; else the most similar of all. */
export const meantAnnotation = memoizedText((name) => {
  return CLOSING.find((known) => isNear(name, known)) ?? didYouMean(name, BY_NAME.keys());
});

/** Whether paths would be open, or served by the wrong backend, without the annotation. A blank value restricts nothing. */
export function restrictsAccess(name: string, value: string): boolean {
  if (value.trim() === "") return false;
  const annotation = findAnnotation(name) ?? findAnnotation(meantAnnotation(name) ?? "");
  if (annotation?.fallback !== "closed") return false;
  if (annotation.name !== name && !isNear(name, annotation.name)) return false;
  return annotation.supported || annotation.acts(value.trim());
}
