import { DIAGNOSTIC_CATALOG } from "../../../src/diagnostics/catalog.js";

/** The rules for messages in CONTRIBUTING.md. */
test.each(Object.entries(DIAGNOSTIC_CATALOG))("%s is explained", (code, entry) => {
  expect(code).toMatch(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/);
  expect(entry.title).toMatch(/^([a-z]|[A-Z]\w*[A-Z]).*[^.]$/);
  expect(entry.explanation).toMatch(/[.]$/);
  expect(entry.hint).toMatch(/^[a-z`].*[^.]$/);
});

test("no two codes have the same title", () => {
  const titles = Object.values(DIAGNOSTIC_CATALOG).map(({ title }) => title);
  expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([]);
});
