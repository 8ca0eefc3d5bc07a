/** Every annotation that is known, below the own and the compatible domain. */
import type { AnyAnnotation } from "./annotation.js";
import { AUTH_ANNOTATIONS } from "./auth-table.js";
import { BACKEND_ANNOTATIONS } from "./backend-table.js";
import { CANARY, ROUTING_ANNOTATIONS } from "./routing-table.js";
import { CORS_ANNOTATIONS } from "./cors-table.js";
import { REDIRECT_ANNOTATIONS } from "./redirect-table.js";
import { UNSUPPORTED_ANNOTATIONS } from "./unsupported-table.js";

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
