import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import { keptKinds, locationKinds } from "../../../src/translate/location-budget.js";

const OPTIONS = {
  ...DEFAULT_OPTIONS,
  nginxLocations: 3,
  dataPlane: { ...DEFAULT_OPTIONS.dataPlane, bodyLimit: 1000 },
  errorPages: { statuses: [404] },
};

test.each([
  [{}, []],
  [{ bodyLimit: 0, retry: { attempts: 2 } }, []],
  [{ bodyLimit: 1000, errorPages: { statuses: [404] } }, []],
  [{ bodyLimit: 2000, errorPages: {} }, ["body 2000"]],
  [{ bodyLimit: 2000, errorPages: { statuses: [404] } }, ["body 2000"]],
  [{ errorPages: { statuses: [404, 500] } }, ["pages 404,500"]],
  [{ bodyLimit: 0, errorPages: { statuses: [500] } }, ["pages 500"]],
  [
    {
      bodyLimit: 2000,
      errorPages: { statuses: [500] },
      retry: { codes: [503], attempts: 1 },
      backends: [{ upstream: "a", weight: 1, protocol: "https", tls: "ca-a" }],
    },
    ["body 2000", "pages 500 2000", "codes 503 500 2000", "tls ca https 503 500 2000"],
  ],
  [{ retry: { codes: [503], attempts: 0 } }, []],
  [{ retry: { codes: [502, 503], attempts: 1 } }, ["codes 502,503 "]],
  [
    { retry: { codes: [502], attempts: 1 }, errorPages: { statuses: [500] } },
    ["pages 500", "codes 502 500"],
  ],
  [
    {
      retry: { codes: [503], attempts: 1 },
      backends: [
        { upstream: "a", weight: 1, protocol: "https", tls: "ca-a" },
        { upstream: "b", weight: 1, protocol: "https", tls: "ca-b" },
      ],
      mirrors: [{ upstream: "c", protocol: "https", tls: "other-c", numerator: 1, denominator: 1 }],
    },
    ["codes 503 ", "tls ca https 503 ", "tls other https  "],
  ],
] as const)("%j needs locations for %j", (settings, kinds) => {
  expect(locationKinds(settings, OPTIONS)).toEqual(kinds);
});

test("the namespace that wants most loses the kinds of its newest Gateways", () => {
  const claim = (namespace: string, name: string, ...kinds: readonly string[]) => ({
    owner: { apiVersion: "v1", kind: "Gateway", metadata: { namespace, name } },
    kinds,
  });
  const claims = [
    claim("n", "b", "body 3", "body 4"),
    claim("n", "a", "body 1"),
    claim("m", "c", "body 5"),
  ];
  expect(keptKinds(claims, OPTIONS).kept).toEqual(new Set(["body 1", "body 5", "body 3"]));
  expect(keptKinds(claims, OPTIONS, new Set(["body 1"])).kept.size).toBe(4);
});
