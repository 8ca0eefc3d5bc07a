/** Every annotation that is known, below the own and the compatible domain. */
import type { AnyAnnotation } from "./annotation.js";
import { AUTH_ANNOTATIONS } from "./annotations/auth-table.js";
import { BACKEND_ANNOTATIONS } from "./annotations/backend-table.js";
import { CANARY } from "./annotations/canary-table.js";
import { CORS_ANNOTATIONS } from "./annotations/cors-table.js";
import { REDIRECT_ANNOTATIONS } from "./annotations/redirect-table.js";
import { ROUTING_ANNOTATIONS } from "./annotations/routing-table.js";
import { UNSUPPORTED_ANNOTATIONS } from "./annotations/unsupported-table.js";

export const ANNOTATIONS: readonly AnyAnnotation[] = [
  ...AUTH_ANNOTATIONS,
  ...ROUTING_ANNOTATIONS,
  ...REDIRECT_ANNOTATIONS,
  ...CORS_ANNOTATIONS,
  ...BACKEND_ANNOTATIONS,
  CANARY,
  ...UNSUPPORTED_ANNOTATIONS,
];

const BY_NAME: ReadonlyMap<string, AnyAnnotation> = new Map(
  ANNOTATIONS.map((annotation) => [annotation.name, annotation]),
);

export function findAnnotation(name: string): AnyAnnotation | undefined {
  return BY_NAME.get(name);
}
