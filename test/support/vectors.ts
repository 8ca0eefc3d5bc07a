/** Tables that TypeScript and Lua are held to alike: test/vectors/<name>.json. Each test states the shape of its table. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../../src/support/result.js";

const VECTORS = join(import.meta.dirname, "../vectors");

export function readVectors(name: string): unknown {
  return JSON.parse(readFileSync(join(VECTORS, `${name}.json`), "utf8"));
}

/** Fails unless the result is a problem that contains `text`. */
export function expectProblem(result: Result<unknown>, text: string): void {
  expect(result).toMatchObject({ ok: false });
  expect(result.ok ? "" : result.problem).toContain(text);
}

export function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.problem);
  return result.value;
}
