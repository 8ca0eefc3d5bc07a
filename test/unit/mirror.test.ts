import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

const SOURCES = join(import.meta.dirname, "../../src");

/** `a/b.test.ts` and `a/b.some-aspect.test.ts` test src/a/b.ts. `make figures LIST=1` lists the sources without a test. */
test("each unit test has a source in the mirrored folder", () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" });
  const homeless = files.filter((path) => {
    if (!path.endsWith(".ts") || path === basename(import.meta.filename)) return false;
    const source = path.replace(/(\.[^./]+)?\.test\.ts$/, ".ts");
    return source === path || !existsSync(join(SOURCES, source));
  });
  expect(homeless).toEqual([]);
});
