import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { FEATURES, supportedFeatures } from "../../../../src/translate/gateway/gateway-classes.js";
import { gatewayApi } from "../../../support/gateway-api.js";

test("each feature is named once, with a reason", () => {
  const names = FEATURES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(FEATURES.filter(({ why }) => why === "")).toEqual([]);
});

test("what is claimed is sorted, no more than a status holds, and leaves out what is lacking", () => {
  const claimed = supportedFeatures({ stream: true });
  expect([...claimed].sort()).toEqual(claimed);
  expect(claimed.length).toBeLessThanOrEqual(64);
  const lacking = FEATURES.filter(({ isSupported }) => !isSupported).map(({ name }) => name);
  expect(lacking.filter((name) => claimed.includes(name))).toEqual([]);
  expect(claimed.length + lacking.length).toBe(FEATURES.length);
});

test("without nginx's stream module its routes are not claimed, and all else is", () => {
  const all = supportedFeatures({ stream: true });
  const without = supportedFeatures({ stream: false });
  expect(all.filter((name) => !without.includes(name))).toEqual([
    "TCPRoute",
    "TLSRoute",
    "TLSRouteModeMixed",
    "TLSRouteModeTerminate",
    "UDPRoute",
  ]);
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
