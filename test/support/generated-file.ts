import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

/**
 * Compares a committed file with what its source yields now; `make golden-update` rewrites it instead.
 * The path is relative to the repository.
 */
export function expectGenerated(path: string, contents: string): void {
  const file = resolve(import.meta.dirname, "../..", path);
  if (process.env["UPDATE_GOLDEN"] === "1") {
    if (!existsSync(file) || readFileSync(file, "utf8") !== contents) writeFileSync(file, contents);
    return;
  }
  expect(
    existsSync(file) ? readFileSync(file, "utf8") : "(missing; run `make golden-update`)",
  ).toBe(contents);
}
