/** Diagnostics for programs: one JSON object a line. */
import type { Diagnostic } from "./diagnostic.js";
import { formatFieldPath } from "./field-path.js";

/**
 * Keys, always in this order and absent when there is nothing to say: `code`, `severity`, `message`, `resource`
 * (`apiVersion`, `kind`, `namespace`, `name`), `field` (as `spec.rules[0].host`), `location` (`file`, `line`, `column`,
 * `excerpt`), `hint`, `related` (`message`, `location`).
 */
export function formatJson(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map((diagnostic) => `${JSON.stringify(plain(diagnostic))}\n`).join("");
}

function plain({ code, severity, message, resource, field, ...rest }: Diagnostic): object {
  const { location, hint, related } = rest;
  const path = field === undefined ? undefined : formatFieldPath(field);
  return { code, severity, message, resource, field: path, location, hint, related };
}
