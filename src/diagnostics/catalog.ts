/**
 * The catalogue of diagnostics: every code, its severity and what it means. docs/diagnostics.md is generated from it,
 * and each code has a golden case. Codes are stable: they may be added, never renamed.
 */
import { AUTH_DIAGNOSTICS, POLICY_DIAGNOSTICS } from "./catalog-auth.js";
import type { CatalogEntry } from "./catalog-entry.js";
import { GATEWAY_DIAGNOSTICS, ROUTE_DIAGNOSTICS } from "./catalog-gateway.js";
import { INPUT_DIAGNOSTICS } from "./catalog-input.js";
import { ROUTING_DIAGNOSTICS } from "./catalog-routing.js";

export const DIAGNOSTIC_CATALOG = {
  ...AUTH_DIAGNOSTICS,
  ...ROUTING_DIAGNOSTICS,
  ...GATEWAY_DIAGNOSTICS,
  ...ROUTE_DIAGNOSTICS,
  ...POLICY_DIAGNOSTICS,
  ...INPUT_DIAGNOSTICS,
} as const satisfies Record<string, CatalogEntry>;

export type DiagnosticCode = keyof typeof DIAGNOSTIC_CATALOG;
