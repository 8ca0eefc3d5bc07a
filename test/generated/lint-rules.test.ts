/** Oxlint has no sets of rules like those of typescript-eslint, so .oxlintrc.json lists the rules. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import tseslint from "typescript-eslint";

test("the typed rules of typescript-eslint's sets are Oxlint's", () => {
  const text = readFileSync(join(import.meta.dirname, "../../.oxlintrc.json"), "utf8");
  const listed = new Set(Array.from(text.matchAll(/"typescript\/([a-z-]+)"/g), ([, name]) => name));
  const { strictTypeCheckedOnly, stylisticTypeCheckedOnly } = tseslint.configs;
  const missing = [...strictTypeCheckedOnly, ...stylisticTypeCheckedOnly]
    .flatMap(({ rules = {} }) => Object.entries(rules))
    .filter(([name, level]) => name.startsWith("@typescript-eslint/") && level !== "off")
    .map(([name]) => name.slice("@typescript-eslint/".length))
    .filter((name) => !listed.has(name));
  // The Kubernetes client and Node declare as classes what their functions return.
  expect(missing).toEqual(["no-unsafe-class-instance-assignment"]);
});
