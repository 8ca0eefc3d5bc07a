/** No form of the output contains a character of users that a terminal obeys, and no text of users begins a line. */
import { formatGithub, formatSarif } from "../../src/diagnostics/ci-formats.js";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.js";
import { formatJson, formatText } from "../../src/diagnostics/format.js";
import { OBEYED } from "../../src/support/text.js";
import { fc } from "../support/fast-check.js";

const HOSTILE = [
  "\u001b[2J",
  "\n",
  "\r",
  "\u009b31m",
  "\u202e",
  "\u2028",
  "\ufeff",
  "\0",
  "\u007f",
  "\t",
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary", maxLength: 6 })), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => `BEGIN${parts.join("BEGIN")}`);
const location = fc.record({
  file: text,
  line: fc.nat(99),
  column: fc.nat(99),
  excerpt: text,
});
const diagnostic: fc.Arbitrary<Diagnostic> = fc.record({
  code: fc.constant("FIELD_INVALID" as const),
  severity: fc.constantFrom("error" as const, "warning" as const, "info" as const),
  message: text,
  hint: text,
  field: fc.array(fc.oneof(text, fc.nat(9)), { maxLength: 3 }),
  resource: fc.record({ apiVersion: text, kind: text, namespace: text, name: text }),
  location,
  related: fc.array(fc.record({ message: text, location }), { maxLength: 2 }),
});

test.each([
  ["text", (all: readonly Diagnostic[]) => formatText(all)],
  ["json", formatJson],
  ["github", formatGithub],
  ["sarif", (all: readonly Diagnostic[]) => formatSarif(all, "1")],
])("%s", (_name, format) => {
  fc.assert(
    fc.property(fc.array(diagnostic, { minLength: 1, maxLength: 3 }), (all) => {
      const output = format(all);
      // The excerpt of a line keeps its tabs, by which its caret is placed.
      const left = output.replace(/[\n\t]/g, "").match(OBEYED) ?? [];
      expect(left).toEqual([]);
      for (const line of output.split("\n")) expect(line).not.toMatch(/^ ?BEGIN[^:]*$/);
    }),
  );
});
