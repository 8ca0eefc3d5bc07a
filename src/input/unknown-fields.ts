import type { FieldPath } from "../diagnostics/field-path.js";
import { formatFieldPath } from "../diagnostics/field-path.js";
import { didYouMean } from "../support/did-you-mean.js";
import type { UnknownField } from "./conform.js";
import type { Finding } from "./finding.js";

/**
 * Warnings about fields that a kind does not have. Where unknown fields are kept on purpose, only those count that look
 * like a known one misspelt.
 */
export function unknownFieldFindings(unknown: readonly UnknownField[]): readonly Finding[] {
  return unknown.flatMap(({ field, known, preserved }) => {
    const hint = unknownFieldHint(field, known);
    if (preserved && hint === undefined) return [];
    const name = String(field.at(-1));
    const parent = formatFieldPath(field.slice(0, -1));
    const message = `${parent === "" ? "the object" : parent} has no field ${name}; it is ignored`;
    return [
      { code: "FIELD_UNKNOWN", message, field, at: "key", ...(hint === undefined ? {} : { hint }) },
    ];
  });
}

export function unknownFieldHint(field: FieldPath, known: readonly string[]): string | undefined {
  const near = didYouMean(String(field.at(-1)), known);
  return near === undefined ? undefined : `did you mean ${near}?`;
}
