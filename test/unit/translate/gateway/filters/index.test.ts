import { resourcesFromYaml } from "../../../../../src/input/load.js";
import { gateway, grpcRoute, httpRoute, WEB } from "../../../../support/gateway-route-objects.js";
import { type Translated, translated } from "../../../../support/translated.js";

const MIRROR = { type: "RequestMirror", requestMirror: { backendRef: WEB[0] } };
const REDIRECT = { type: "RequestRedirect", requestRedirect: { hostname: "b.example" } };

function removing(name: string): object {
  return { type: "RequestHeaderModifier", requestHeaderModifier: { remove: [name] } };
}

function filtered(filters: readonly object[], more: object = { backendRefs: WEB }): Translated {
  return translated(gateway() + httpRoute("r", [{ filters, ...more }]));
}

test("filters add to the effects of earlier ones", () => {
  const result = filtered([removing("x-a"), MIRROR, MIRROR]);
  const { requestHeaders, mirrors } = result.route("httproute/default/r/0");
  expect(requestHeaders).toEqual({ remove: ["x-a"] });
  expect(mirrors).toHaveLength(2);
});

test("a filter that would have to run before a redirect can't stand beside it", () => {
  const result = filtered([MIRROR, REDIRECT], {});
  expect(result.messages("ROUTE_FILTERS_INCOMPATIBLE")).toEqual([
    "RequestRedirect can't stand beside RequestMirror; this answers 500: */",
  ]);
  expect(result.route("httproute/default/r/0").refuse).toBeDefined();
});

test("a GRPCRoute has only some of the filters", () => {
  const cors = { type: "CORS", cors: { allowOrigins: ["*"] } };
  const yaml = gateway() + grpcRoute("r", [{ filters: [cors], backendRefs: WEB }]);
  const field = ["spec", "rules", 0, "filters", 0, "cors"];
  expect(resourcesFromYaml(yaml).diagnostics).toMatchObject([{ code: "FIELD_UNKNOWN", field }]);
});

test("a mirror that can't be reached is reported, and the requests are served", () => {
  const lost = { type: "RequestMirror", requestMirror: { backendRef: { name: "none", port: 80 } } };
  const result = filtered([lost]);
  expect(result.route("httproute/default/r/0")).toMatchObject({
    backends: [{ upstream: "default/web/80" }],
  });
  expect(result.route("httproute/default/r/0").mirrors).toBeUndefined();
  expect(result.reports).toEqual([
    "ROUTE_BACKEND_NOT_FOUND HTTPRoute default/r spec.rules[0].filters[0].requestMirror.backendRef",
  ]);
});

test("a share of the requests is mirrored, by percent or fraction", () => {
  const shares = [{ percent: 5 }, { fraction: { numerator: 1, denominator: 3 } }, { percent: 0 }];
  const filters = shares.map((share) => ({
    ...MIRROR,
    requestMirror: { ...MIRROR.requestMirror, ...share },
  }));
  const { mirrors = [] } = filtered(filters).route("httproute/default/r/0");
  expect(mirrors.map(({ numerator, denominator }) => [numerator, denominator])).toEqual([
    [5, 100],
    [1, 3],
  ]);
});
