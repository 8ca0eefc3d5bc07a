import { formatFieldPath } from "../../../src/diagnostics/diagnostic.js";

it("field paths quote what is no plain name", () => {
  expect(formatFieldPath(["metadata", "annotations", "a.b/c", 0, "x-y"])).toBe(
    'metadata.annotations["a.b/c"][0].x-y',
  );
  expect(formatFieldPath([])).toBe("");
  expect(formatFieldPath(["a b", "c"])).toBe('["a b"].c');
});
