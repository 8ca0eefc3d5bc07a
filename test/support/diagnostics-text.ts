/**
 * Diagnostics as lines: the place, severity and code, the object and field, the message, advice unless it is the code's usual one, and
 * related places. test/unit/diagnostics/format.text.test.ts has what users see.
 */
import { DIAGNOSTIC_CATALOG } from "../../src/diagnostics/catalog.js";
import {
  type Diagnostic,
  type SourceLocation,
  formatFieldPath,
} from "../../src/diagnostics/diagnostic.js";
import { formatResource } from "../../src/diagnostics/format.js";
import { visible } from "../../src/support/text.js";

export function diagnosticsText(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map((diagnostic) => `${line(diagnostic)}\n`).join("");
}

function line(diagnostic: Diagnostic): string {
  const { code, severity, message, resource, field, location, hint, related = [] } = diagnostic;
  const head = [
    location && placeOf(location),
    severity,
    code,
    resource && formatResource(resource),
    field && formatFieldPath(field),
  ];
  const rest = [
    visible(message),
    ...(hint === undefined || hint === DIAGNOSTIC_CATALOG[code].hint ? [] : [`hint: ${hint}`]),
    ...related.map((other) => `${other.message}: ${placeOf(other.location)}`),
  ];
  return `${head.filter(Boolean).join(" ")}: ${rest.join("; ")}`;
}

function placeOf({ file, line, column }: SourceLocation): string {
  return `${file}:${line}:${column}`;
}
