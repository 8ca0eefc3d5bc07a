/** Diagnostics of reading, with their places. */
import type { DiagnosticCode } from "../diagnostics/catalog.js";
import { DIAGNOSTIC_CATALOG } from "../diagnostics/catalog.js";
import type { Diagnostic, FieldPath, SourceLocation } from "../diagnostics/diagnostic.js";
import type { DecodedValue } from "./decode.js";

/** A diagnostic with the catalogue's severity and hint; parts that are undefined are left out. */
export function diagnose(
  code: DiagnosticCode,
  message: string,
  parts: { readonly [K in keyof Diagnostic]?: Diagnostic[K] | undefined } = {},
): Diagnostic {
  const { severity, hint } = DIAGNOSTIC_CATALOG[code];
  const { resource, field, location, related } = parts;
  return {
    code,
    severity,
    message,
    hint: parts.hint ?? hint,
    ...(resource === undefined ? {} : { resource }),
    ...(field === undefined ? {} : { field }),
    ...(location === undefined ? {} : { location }),
    ...(related === undefined ? {} : { related }),
  };
}

/** What was found in a value. `locate`: where a field of the value is. */
export function findingDiagnostics(
  { ref, findings }: DecodedValue,
  locate: (field: FieldPath, at?: "key") => SourceLocation | undefined,
): readonly Diagnostic[] {
  return findings.map(({ code, message, field, hint, at }) =>
    diagnose(code, message, { resource: ref, field, hint, location: locate(field, at) }),
  );
}
