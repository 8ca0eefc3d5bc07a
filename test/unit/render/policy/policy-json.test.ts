import { canonicalJson } from "../../../../src/render/policy/canonical-json.js";
import { policyJson } from "../../../../src/render/policy/policy-json.js";
import type { PolicyContents } from "../../../../src/render/policy/build-policy.js";

const POLICY: PolicyContents = {
  format: 1,
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
  expect(policyJson(POLICY).replace(/[0-9a-f]{32}/, "0")).toBe(`{
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

test("and is that document as JSON, with its version", () => {
  const { version, ...rest } = JSON.parse(policyJson(POLICY)) as Record<string, unknown>;
  expect(rest).toEqual(POLICY);
  expect(version).toMatch(/^[0-9a-f]{32}$/);
});

test("the version follows the contents alone", () => {
  const versionOf = (policy: PolicyContents) => /"version": "(\w+)"/.exec(policyJson(policy))?.[1];
  const { hosts, ...others } = POLICY;
  expect(versionOf({ hosts, ...others })).toBe(versionOf(POLICY));
  expect(versionOf({ ...POLICY, hosts: {} })).not.toBe(versionOf(POLICY));
  const settings = { ...POLICY.settings, authTimeout: 1 };
  expect(versionOf({ ...POLICY, settings })).not.toBe(versionOf(POLICY));
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
