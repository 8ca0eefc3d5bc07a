/**
 * The catalogue of diagnostics: every code, its severity and what it means. docs/diagnostics.md is generated from it,
 * and each code has a golden case. Codes are stable: they may be added, never renamed.
 */
import type { Severity } from "./diagnostic.js";

interface CatalogEntry {
  readonly severity: Severity;
  readonly title: string;
  /** Why it is reported and what the gateway does meanwhile. */
  readonly explanation: string;
  /** Default advice; a report may give a better one. */
  readonly hint: string;
}

export const DIAGNOSTIC_CATALOG = {
  AUTH_CONFIG_INVALID: {
    severity: "error",
    title: "an auth setting is invalid",
    explanation: "A value of the Auth object or of an auth annotation can't be used. The paths it protects answer 503.",
    hint: "correct the value; the paths stay closed until then",
  },
} as const satisfies Record<string, CatalogEntry>;

export type DiagnosticCode = keyof typeof DIAGNOSTIC_CATALOG;
