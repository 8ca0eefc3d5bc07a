// What the manifests beside this folder must keep: run by jest and by vitest, see docs/library.md.
/* global test, expect */
import { fileURLToPath } from "node:url";
import { compile, explain, loadFiles, review } from "albc";

const loaded = await loadFiles([fileURLToPath(new URL("../manifests", import.meta.url))]);
const compilation = compile(loaded.resources);

test("the manifests have no errors", () => {
  const errors = review(loaded, compilation).filter(({ severity }) => severity === "error");

  expect(errors).toEqual([]);
});

test.each([
  "http://admin.localhost:8080/",
  "http://admin.localhost:8080/reports/2026",
  "http://portal.localhost:8080/orders",
  "http://localhost:8081/status",
])("%s requires auth", (url) => {
  expect(explain(compilation, { url }).route?.authChecked).toBe(true);
});

test.each(["http://shop.localhost:8080/", "http://admin.localhost:8080/healthz"])(
  "%s is open",
  (url) => {
    const { answer, route } = explain(compilation, { url });

    expect(answer.kind).toBe("forwarded");
    expect(route?.authChecked).toBe(false);
  },
);
