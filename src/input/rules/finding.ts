import type { DiagnosticCode } from "../../diagnostics/catalog.js";
import type { FieldPath } from "../../diagnostics/diagnostic.js";
import { withoutUrlSecrets } from "../../diagnostics/sink.js";

/** Something wrong inside one value; where that value stands is known to whoever read it. */
export interface Finding {
  readonly code: DiagnosticCode;
  readonly message: string;
  /** From the value's root. */
  readonly field: FieldPath;
  readonly hint?: string;
  /** What of the field to point at: a misspelt name, rather than what it holds. */
  readonly at?: "key";
}

/** What checking an object finds, in the order in which it is found. */
export type Findings = Generator<Finding, void>;

export function invalid(field: FieldPath, message: string, hint?: string): Finding {
  return { code: "FIELD_INVALID", field, message, ...(hint === undefined ? {} : { hint }) };
}

export function missing(field: FieldPath, message: string, hint?: string): Finding {
  return { code: "FIELD_MISSING", field, message, ...(hint === undefined ? {} : { hint }) };
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
