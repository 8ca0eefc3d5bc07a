import { policyDelta } from "../../../src/output/policy-delta.js";
import { policyShards } from "../../../src/output/policy-shards.js";

const EMPTY = { servers: {}, hosts: {}, routes: {}, auths: {}, upstreams: {}, certificates: {} };
const settings = { authTimeout: 5000, authTlsVerify: true };

function policy(version: string, maps: object) {
  return policyShards(JSON.stringify({ format: 1, version, settings, ...EMPTY, ...maps }));
}

const OLD = policy("v1", { routes: { kept: { a: 1 }, changed: { a: 1 }, gone: { a: 1 } } });

test("only what differs is sent", () => {
  const next = policy("v2", { routes: { kept: { a: 1 }, changed: { a: 2 }, "new/r\u00e9": [] } });
  expect(policyDelta(OLD, next)).toBe(
    [
      "albc-policy 1 v1 v2",
      '=\troutes\tchanged\t{"a":2}',
      "=\troutes\tnew/r\u00e9\t[]",
      "-\troutes\tgone",
      "",
    ].join("\n"),
  );
});

test("without a version to start from everything is sent, settings included", () => {
  expect(policyDelta(undefined, OLD)).toBe(
    [
      "albc-policy 1 - v1",
      '=\tsettings\t-\t{"authTimeout":5000,"authTlsVerify":true}',
      '=\troutes\tkept\t{"a":1}',
      '=\troutes\tchanged\t{"a":1}',
      '=\troutes\tgone\t{"a":1}',
      "",
    ].join("\n"),
  );
});

test("a change of the settings is one", () => {
  const next = policyShards(JSON.stringify({ format: 1, version: "v2", settings: {}, ...EMPTY }));
  expect(policyDelta(policy("v1", {}), next)).toBe("albc-policy 1 v1 v2\n=\tsettings\t-\t{}\n");
});

test("line breaks and tabs in values are JSON's", () => {
  const next = policy("v2", { routes: { r: "a\tb\nc" } });
  expect(policyDelta(policy("v1", {}), next)).toBe(
    'albc-policy 1 v1 v2\n=\troutes\tr\t"a\\tb\\nc"\n',
  );
});

test.each(["a\tb", "a\nb", "a\rb", "a\0b"])("the key %j can't be sent, old or new", (key) => {
  const odd = policy("v2", { routes: { [key]: 1 } });
  expect(policyDelta(OLD, odd)).toBeUndefined();
  expect(policyDelta(odd, OLD)).toBeUndefined();
  expect(policyDelta(undefined, odd)).toBeUndefined();
});

test.each(["null", "[]", '{"version":"1"}', "{"])("%s is no policy", (text) => {
  expect(() => policyShards(text)).toThrow(Error);
});
