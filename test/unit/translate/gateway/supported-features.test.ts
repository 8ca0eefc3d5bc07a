import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  FEATURES,
  SUPPORTED_FEATURES,
} from "../../../../src/translate/gateway/supported-features.js";
import { gatewayApi } from "../../../support/gateway-api.js";

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

test("they are the API's own, and none of them is passed over but those of other kinds of routes", () => {
  const folder = join(gatewayApi("api"), "pkg/features");
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  const all = texts.flatMap((text) =>
    [...text.matchAll(/\bSupport\w+(?:\s+FeatureName)?\s*=\s*"(\w+)"/g)].map(
      ([, name = ""]) => name,
    ),
  );
  const names = FEATURES.map(({ name }) => name);
  expect(all.length).toBeGreaterThan(60);
  expect(names.filter((name) => !all.includes(name))).toEqual([]);
  expect(
    all.filter(
      (name) => !names.includes(name) && !/^(?:Mesh|TLSRoute|TCPRoute|UDPRoute)/.test(name),
    ),
  ).toEqual([]);
});
