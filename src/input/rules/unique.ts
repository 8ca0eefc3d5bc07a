import type { FieldPath } from "../../diagnostics/field-path.js";
import { invalid, shown } from "../finding.js";
import type { Findings } from "../finding.js";

/**
 * Values of which none may stand twice. `field` is the list; `step` leads from an item to the value, `what` is what a
 * sentence calls it.
 */
export function* checkUnique(
  values: readonly (string | number | undefined)[],
  field: FieldPath,
  what: string,
  step: FieldPath = [],
): Findings {
  const seen = new Set<string | number>();
  for (const [i, value] of values.entries()) {
    if (value === undefined) continue;
    if (seen.has(value)) {
      yield invalid([...field, i, ...step], `the ${what} ${shown(value)} stands twice`);
    }
    seen.add(value);
  }
}
