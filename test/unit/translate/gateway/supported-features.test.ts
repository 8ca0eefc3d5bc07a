import {
  FEATURES,
  SUPPORTED_FEATURES,
} from "../../../../src/translate/gateway/supported-features.js";

test("each feature is named once, with a reason", () => {
  const names = FEATURES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(FEATURES.filter(({ why }) => why === "")).toEqual([]);
});

test("what is claimed is sorted, no more than a status holds, and leaves out what is lacking", () => {
  expect([...SUPPORTED_FEATURES].sort()).toEqual(SUPPORTED_FEATURES);
  expect(SUPPORTED_FEATURES.length).toBeLessThanOrEqual(64);
  const lacking = FEATURES.filter(({ isSupported }) => !isSupported).map(({ name }) => name);
  expect(lacking.filter((name) => SUPPORTED_FEATURES.includes(name))).toEqual([]);
  expect(SUPPORTED_FEATURES.length + lacking.length).toBe(FEATURES.length);
});
