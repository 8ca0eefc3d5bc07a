import type { DiagnosticCode } from "../diagnostics/catalog.js";
import type { FieldPath } from "../diagnostics/field-path.js";

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
