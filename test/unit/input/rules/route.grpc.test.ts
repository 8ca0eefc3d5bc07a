import { check, gatewayObject } from "../../../support/input-fixtures.js";

type Fields = Readonly<Record<string, unknown>>;

function rule(fields: Fields): Fields {
  return gatewayObject("GRPCRoute", { rules: [fields] });
}

function method(fields: Fields): Fields {
  return rule({ matches: [{ method: fields }] });
}

describe("a GRPCRoute", () => {
  it.each([
    ["without rules", gatewayObject("GRPCRoute", { rules: [] })],
    ["with a method", method({ service: "a.b.Service", method: "Get_1" })],
    ["with a regular expression", method({ type: "RegularExpression", method: "(Get|List).*" })],
    ["with a type that is not known", method({ type: "Glob", service: "a.*" })],
    ["with a filter of HTTPRoutes", rule({ filters: [{ type: "URLRewrite" }] })],
    [
      "with a filter",
      rule({ filters: [{ type: "RequestHeaderModifier", requestHeaderModifier: {} }] }),
    ],
  ])("%s is taken", (_name, object) => {
    expect(check(object)).toEqual([]);
  });

  it.each([
    [method({}), /FIELD_MISSING .*matches\[0\].method: .*needs a service/],
    [method({ service: "/a.B" }), /method.service: .*must be a name such as/],
    [method({ method: "B/C" }), /method.method: .*must be a name of letters/],
    [rule({ filters: [{ type: "RequestMirror" }] }), /FIELD_MISSING .*requestMirror/],
    [rule({ backendRefs: [{ name: "a" }] }), /backendRefs\[0\].port/],
    [gatewayObject("GRPCRoute", { parentRefs: [{ name: "a" }, { name: "a" }] }), /parentRefs\[1\]/],
  ])("%j is refused: %s", (object, message) => {
    expect(check(object)).toEqual([expect.stringMatching(message)]);
  });
});
