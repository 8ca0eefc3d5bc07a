/** Tables that TypeScript and Lua are held to alike: test/vectors/<name>.json. Each test states the shape of its table. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const VECTORS = join(import.meta.dirname, "../vectors");

export function readVectors(name: string): unknown {
  return JSON.parse(readFileSync(join(VECTORS, `${name}.json`), "utf8"));
}
