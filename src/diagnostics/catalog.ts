/**
 * The catalogue of diagnostics: every code, its severity and what it means. docs/diagnostics.md is generated from it,
 * and each code has a golden case. Codes are stable: they may be added, never renamed.
 */
import type { CatalogEntry } from "./catalog-entry.js";
import { ROUTING_DIAGNOSTICS } from "./catalog-routing.js";

export const DIAGNOSTIC_CATALOG = {
  AUTH_CONFIG_INVALID: {
    severity: "error",
    title: "an auth setting is invalid",
    explanation:
      "A value of the Auth object or of an auth annotation can't be used. The paths it protects answer 503.",
    hint: "correct the value; the paths stay closed until then",
  },
  ...ROUTING_DIAGNOSTICS,
} as const satisfies Record<string, CatalogEntry>;

export type DiagnosticCode = keyof typeof DIAGNOSTIC_CATALOG;
