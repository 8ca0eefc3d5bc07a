import { canonicalJson } from "../../../../src/render/policy/canonical-json.js";
import { policyJson } from "../../../../src/render/policy/policy-json.js";
import type { PolicyDocument } from "../../../../src/render/policy/policy-document.js";

const POLICY: PolicyDocument = {
  format: 1,
  version: "0",
  settings: { authTlsVerify: true, authTimeout: 5000 },
  servers: {},
  hosts: {
    "l|b": [
      { route: "r", order: "1" },
      { route: "s", order: "2" },
    ],
    "l|a": [],
  },
  routes: {},
  auths: {},
  upstreams: { "10": { endpoints: [["10.0.0.1", 80]] }, "9": { endpoints: [] } },
  certificates: {},
};

test("policy.json has a line for each shard and for each binding", () => {
  expect(policyJson(POLICY)).toBe(`{
  "format": 1,
  "version": "0",
  "settings": {"authTimeout":5000,"authTlsVerify":true},
  "servers": {},
  "hosts": {
    "l|a": [],
    "l|b": [
      {"order":"1","route":"r"},
      {"order":"2","route":"s"}
    ]
  },
  "routes": {},
  "auths": {},
  "upstreams": {
    "10": {"endpoints":[["10.0.0.1",80]]},
    "9": {"endpoints":[]}
  },
  "certificates": {}
}
`);
});

test("and is that document as JSON", () => {
  expect(JSON.parse(policyJson(POLICY))).toEqual(POLICY);
});

describe("canonical JSON", () => {
  test("sorts keys in byte order at every depth", () => {
    expect(canonicalJson({ b: { é: 1, Z: 2, a: 3 }, a: [{ y: 1, x: 2 }] })).toBe(
      '{"a":[{"x":2,"y":1}],"b":{"Z":2,"a":3,"é":1}}',
    );
  });

  test("leaves out what is undefined, and keeps null, false and empty text", () => {
    expect(canonicalJson({ a: undefined, b: null, c: false, d: "", e: [] })).toBe(
      '{"b":null,"c":false,"d":"","e":[]}',
    );
  });

  test("keeps a key that objects have by themselves", () => {
    expect(canonicalJson(Object.fromEntries([["__proto__", 1]]))).toBe('{"__proto__":1}');
  });

  test("replaces half a surrogate pair, which Lua could not decode", () => {
    expect(canonicalJson({ "\ud800": "a\udc00b😀" })).toBe('{"\ufffd":"a\ufffdb😀"}');
  });
});
