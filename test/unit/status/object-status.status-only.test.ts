import { differInStatusOnly } from "../../../src/status/object-status.js";

const OBJECT = { kind: "HTTPRoute", metadata: { name: "a", resourceVersion: "1" }, spec: { a: 1 } };

test.each([
  ["the same", OBJECT],
  [
    "another status and version",
    { ...OBJECT, metadata: { name: "a", resourceVersion: "2" }, status: {} },
  ],
  ["a field without a value", { ...OBJECT, more: undefined }],
  [
    "another order of fields",
    { spec: { a: 1 }, metadata: { resourceVersion: "3", name: "a" }, kind: "HTTPRoute" },
  ],
])("%s: in nothing else", (_what, other) => {
  expect(differInStatusOnly(OBJECT, other)).toBe(true);
  expect(differInStatusOnly(other, OBJECT)).toBe(true);
});

test.each([
  ["another spec", { ...OBJECT, spec: { a: 2 } }],
  ["no spec", { kind: "HTTPRoute", metadata: OBJECT.metadata }],
  ["one field more", { ...OBJECT, data: {} }],
  ["a label", { ...OBJECT, metadata: { ...OBJECT.metadata, labels: { a: "b" } } }],
  ["a generation", { ...OBJECT, metadata: { ...OBJECT.metadata, generation: 2 } }],
])("%s: in more", (_what, other) => {
  expect(differInStatusOnly(OBJECT, other)).toBe(false);
  expect(differInStatusOnly(other, OBJECT)).toBe(false);
});
