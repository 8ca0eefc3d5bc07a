import { translated } from "../../../../support/translated.js";
import { gateway, httpRoute, WEB } from "../../../../support/gateway-route-objects.js";

function changed(filter: object): ReturnType<typeof translated> {
  const rule = { filters: [{ type: "RequestHeaderModifier", ...filter }], backendRefs: WEB };
  return translated(gateway() + httpRoute("r", [rule]));
}

it("takes the first of entries whose names are equivalent", () => {
  const set = [
    { name: "X-A", value: "1" },
    { name: "x-a", value: "2" },
  ];
  const { route } = changed({ requestHeaderModifier: { set } });
  expect(route("httproute/default/r/0").requestHeaders?.set).toEqual([["X-A", "1"]]);
});

it.each([
  ["one name in two lists", { set: [{ name: "X-A", value: "1" }], remove: ["x-a"] }],
  ["a Host that is removed", { remove: ["Host"] }],
  ["a second Host", { add: [{ name: "host", value: "a.example" }] }],
  ["a Host that is none", { set: [{ name: "Host", value: "a b" }] }],
  ["a header of the connection", { set: [{ name: "Transfer-Encoding", value: "chunked" }] }],
  ["a name that is none", { remove: ["X A"] }],
  ["a value with a blank at its end", { set: [{ name: "X-A", value: "a " }] }],
])("refuses the rule for %s", (_title, requestHeaderModifier) => {
  const { route, messages } = changed({ requestHeaderModifier });
  expect(route("httproute/default/r/0").refuse?.[0]).toBe(500);
  expect(messages("ROUTE_VALUE_UNSUPPORTED")).toHaveLength(1);
});
