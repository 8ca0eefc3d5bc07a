import { policyDelta } from "../../../src/output/data-plane.js";
import { RenderedPolicy } from "../../../src/render/rendered-file.js";
import { ShardMap } from "../../../src/render/shard-map.js";
import { policyFrom } from "../../support/rendered-policy.js";

const EMPTY = { servers: {}, hosts: {}, routes: {}, auths: {}, upstreams: {}, certificates: {} };
const settings = { authTimeout: 5000, authTlsVerify: true };

function policy(maps: Readonly<Record<string, Record<string, unknown>>>) {
  return policyFrom({ ...EMPTY, ...maps }, settings);
}

const NONE = policy({});
const OLD = policy({ routes: { kept: { a: 1 }, changed: { a: 1 }, gone: { a: 1 } } });

test("only what differs is sent", () => {
  const next = policy({ routes: { kept: { a: 1 }, changed: { a: 2 }, "new/r\u00e9": [] } });
  expect(policyDelta(OLD, next)).toBe(
    [
      `albc-policy 1 ${OLD.version} ${next.version}`,
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
      `albc-policy 1 - ${OLD.version}`,
      '=\tsettings\t-\t{"authTimeout":5000,"authTlsVerify":true}',
      '=\troutes\tchanged\t{"a":1}',
      '=\troutes\tgone\t{"a":1}',
      '=\troutes\tkept\t{"a":1}',
      "",
    ].join("\n"),
  );
});

test("a change of the settings is one", () => {
  const next = policyFrom(EMPTY, {});
  expect(policyDelta(NONE, next)).toBe(
    `albc-policy 1 ${NONE.version} ${next.version}\n=\tsettings\t-\t{}\n`,
  );
});

test("line breaks and tabs in values are JSON's", () => {
  const next = policy({ routes: { r: "a\tb\nc" } });
  expect(policyDelta(NONE, next)).toBe(
    `albc-policy 1 ${NONE.version} ${next.version}\n=\troutes\tr\t"a\\tb\\nc"\n`,
  );
});

test.each(["a\tb", "a\nb", "a\rb", "a\0b"])("the key %j can't be sent, old or new", (key) => {
  const odd = policy({ routes: { [key]: 1 } });
  expect(policyDelta(OLD, odd)).toBeUndefined();
  expect(policyDelta(odd, OLD)).toBeUndefined();
  expect(policyDelta(undefined, odd)).toBeUndefined();
});

test("what stands on several lines of the file is sent on one", () => {
  const hosts = ShardMap.of([["l|a", '[\n      {"order":"1"},\n      {"order":"2"}\n    ]']]);
  const next = new RenderedPolicy(1, new Map([["hosts", hosts]]));
  expect(policyDelta(undefined, next)).toBe(
    `albc-policy 1 - ${next.version}\n=\thosts\tl|a\t[{"order":"1"},{"order":"2"}]\n`,
  );
});
