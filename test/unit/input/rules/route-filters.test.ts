import type { RouteFilter } from "../../../../src/api/gateway.js";
import {
  GRPC_ROUTE_FILTERS,
  HTTP_ROUTE_FILTERS,
  LISTENER_FILTERS,
  checkFilters,
} from "../../../../src/input/rules/route-filters.js";

function problems(filters: readonly RouteFilter[], types = HTTP_ROUTE_FILTERS): readonly string[] {
  return [...checkFilters(filters, types, [])].map(({ message }) => message);
}

test("the types of filters and their fields are those of Gateway API's CRDs", () => {
  expect(Object.fromEntries(HTTP_ROUTE_FILTERS)).toEqual({
    RequestHeaderModifier: "requestHeaderModifier",
    ResponseHeaderModifier: "responseHeaderModifier",
    RequestMirror: "requestMirror",
    RequestRedirect: "requestRedirect",
    URLRewrite: "urlRewrite",
    CORS: "cors",
    ExternalAuth: "externalAuth",
    ExtensionRef: "extensionRef",
  });
  expect([...GRPC_ROUTE_FILTERS.keys()].sort()).toEqual([
    "ExtensionRef",
    "RequestHeaderModifier",
    "RequestMirror",
    "ResponseHeaderModifier",
  ]);
  expect([...LISTENER_FILTERS.keys()].sort()).toEqual(["ExtensionRef", "ExternalAuth"]);
});

test("a filter has the field of its type and no other", () => {
  expect(problems([{ type: "CORS" }])).toEqual(["a filter of type CORS needs the field cors"]);
  expect(problems([{ type: "CORS", cors: {}, urlRewrite: {} }])).toEqual([
    "a filter of type CORS must not have the field urlRewrite",
  ]);
});

test("a filter of an unknown type may have any fields", () => {
  expect(problems([{ type: "Cors", urlRewrite: {} }])).toEqual([]);
  expect(problems([{ type: "CORS", urlRewrite: {} }], GRPC_ROUTE_FILTERS)).toEqual([]);
});

test("most types may be used once, and a redirect excludes a rewrite", () => {
  const cors = { type: "CORS", cors: {} };
  expect(problems([cors, cors])).toEqual(['the filter "CORS" stands twice']);
  const redirect = { type: "RequestRedirect", requestRedirect: {} };
  expect(problems([redirect, { type: "URLRewrite", urlRewrite: {} }])).toEqual([
    "URLRewrite and RequestRedirect exclude each other",
  ]);
});
