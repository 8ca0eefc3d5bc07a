/** Reports of the rules of an API server. `field` begins at the object's root. */
import type { DiagnosticCode } from "../../diagnostics/catalog.js";
import type { FieldPath } from "../../diagnostics/diagnostic.js";
import type { Report } from "../../diagnostics/sink.js";
import { withoutUrlSecrets } from "../../diagnostics/sink.js";

/** What the checks of an object report, in the order in which they find it. */
export type Reports = Generator<Report, void>;

export function invalid(field: FieldPath, message: string, hint?: string): Report {
  return report("FIELD_INVALID", field, message, hint);
}

export function missing(field: FieldPath, message: string, hint?: string): Report {
  return report("FIELD_MISSING", field, message, hint);
}

export function report(
  code: DiagnosticCode,
  field: FieldPath,
  message: string,
  hint?: string,
): Report {
  return { code, message, field, ...(hint !== undefined && { hint }) };
}

const MAX_SHOWN = 60;

/** A value as a message shows it: JSON, cut when long. Never for what may be secret. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a mapping";
  if (value === null || value === undefined) return "empty";
  const text = withoutUrlSecrets(typeof value === "string" ? value : JSON.stringify(value));
  const cut = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return typeof value === "string" ? JSON.stringify(cut) : cut;
}
