import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

const SOURCES = join(import.meta.dirname, "../../src");

/** `a/b.test.ts` and `a/b.some-aspect.test.ts` are about src/a/b.ts: who opens a source finds its tests by its name. */
test("each unit test stands where its source does", () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" });
  const homeless = files.filter((path) => {
    if (!path.endsWith(".ts") || path === basename(import.meta.filename)) return false;
    const source = path.replace(/(\.[^./]+)?\.test\.ts$/, ".ts");
    return source === path || !existsSync(join(SOURCES, source));
  });
  expect(homeless).toEqual([]);
});
