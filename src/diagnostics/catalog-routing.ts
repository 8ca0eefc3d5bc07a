import type { CatalogEntry } from "./catalog-entry.js";

/** What translation of listeners, routes, backends and annotations reports. */
export const ROUTING_DIAGNOSTICS = {
  ANNOTATION_INVALID: {
    severity: "error",
    title: "an annotation's value is invalid",
    explanation:
      "The value can't be read as the annotation's type. One that only tunes is ignored; when it restricts access, the paths answer 503.",
    hint: "see docs/annotations.md for the values that it takes",
  },
} as const satisfies Record<string, CatalogEntry>;
