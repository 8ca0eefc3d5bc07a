import type { Route } from "../../../../../src/model/route.js";
import { gateway, grpcRoute, httpRoute, WEB } from "../../../../support/gateway-route-objects.js";
import { translated } from "../../../../support/translated.js";

function routesOf(rule: object): readonly Route[] {
  return translated(gateway() + httpRoute("r", [rule])).config.routes;
}

const REPLACE = {
  type: "URLRewrite",
  urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/new" } },
};

function prefixes(...values: readonly string[]): readonly object[] {
  return values.map((value) => ({ path: { type: "PathPrefix", value } }));
}

test("a rule becomes one route for all of its matches", () => {
  const [route, ...others] = routesOf({ matches: prefixes("/a", "/b"), backendRefs: WEB });
  expect(others).toEqual([]);
  expect(route).toMatchObject({
    id: "httproute/default/r/0",
    source: ["HTTPRoute", "default", "r", "spec.rules[0]"],
    backends: [{ upstream: "default/web/80", weight: 1, protocol: "http" }],
  });
});

test("a rule that replaces the matched prefix becomes a route for each prefix", () => {
  const matches = prefixes("/a", "/b", "/a/");
  const routes = routesOf({ matches, filters: [REPLACE], backendRefs: WEB });
  expect(routes.map(({ id, rewrite }) => [id, rewrite])).toEqual([
    ["httproute/default/r/0", ["prefix", "/a", "/new"]],
    ["httproute/default/r/0-1", ["prefix", "/b", "/new"]],
  ]);
});

test("a rule with an unsupported value refuses its requests", () => {
  const [route] = routesOf({ backendRefs: WEB, retry: { codes: [418] } });
  expect(route).toEqual({
    id: "httproute/default/r/0",
    source: ["HTTPRoute", "default", "r", "spec.rules[0]"],
    refuse: [500, "InvalidRule : invalid cfg spec.rules[0].retry.codes[0]"],
  });
});

test.each([
  ["has no backendRefs", {}],
  ["gives every backendRef the weight 0", { backendRefs: [{ ...WEB[0], weight: 0 }] }],
])("a rule that %s answers 500", (_how, rule) => {
  const yaml = gateway() + httpRoute("r", [rule]);
  const result = translated(yaml);
  const [backend] = result.route("httproute/default/r/0").backends ?? [];
  expect(backend).toMatchObject({ weight: 1, refuse: [500, expect.any(String)] });
  expect(result.reports).toEqual([
    "ROUTE_WITHOUT_BACKEND HTTPRoute default/r spec.rules[0].backendRefs",
  ]);
});

test("a backend that can't be used keeps its share of the requests, and refuses them", () => {
  const backendRefs = [
    { ...WEB[0], weight: 3 },
    { name: "none", port: 80, weight: 1 },
  ];
  const [route] = routesOf({ backendRefs });
  expect(route?.backends).toMatchObject([
    { upstream: "default/web/80", weight: 3 },
    { weight: 1, refuse: [500, "InvalidBackend : invalid cfg BackendNotFound"] },
  ]);
});

test("a redirect needs no backends", () => {
  const redirect = { type: "RequestRedirect", requestRedirect: { hostname: "b.example" } };
  const { config, reports } = translated(gateway() + httpRoute("r", [{ filters: [redirect] }]));
  expect(config.routes[0]).toMatchObject({ redirect: { host: "b.example" } });
  expect(config.routes[0]).not.toHaveProperty("backends");
  expect(reports).toEqual([]);
});

test("filters of a backendRef are those of its backend", () => {
  const modifier = { type: "RequestHeaderModifier", requestHeaderModifier: { remove: ["X-A"] } };
  const [route] = routesOf({ backendRefs: [{ ...WEB[0], filters: [modifier] }] });
  expect(route?.backends?.[0]?.filters).toEqual({ requestHeaders: { remove: ["x-a"] } });
});

test("backends of a GRPCRoute are spoken to by gRPC", () => {
  const { config } = translated(gateway() + grpcRoute("r", [{ backendRefs: WEB }]));
  expect(config.routes[0]?.backends).toMatchObject([{ protocol: "grpc" }]);
});
