import {
  makesPatterns,
  readAccess,
  readRewrite,
} from "../../../../../src/translate/ingress/annotations/routing.js";
import { NO_GROUPS } from "../../../../../src/translate/pattern/regex.js";
import { readerOf } from "../../../../support/annotation-reader.js";
import { nginx } from "../../../../support/translated.js";

it.each([
  [{}, {}],
  [{ "proxy-body-size": "8m" }, { bodyLimit: 8_388_608 }],
  [{ "proxy-body-size": "0" }, { bodyLimit: 0 }],
  [{ "proxy-body-size": "512" }, { bodyLimit: 512 }],
  [{ satisfy: "Any" }, { satisfy: "any" }],
  [{ satisfy: "all" }, {}],
  [
    { "whitelist-source-range": "10.0.0.0/8, 192.168.0.1,::1" },
    { allow: ["10.0.0.0/8", "192.168.0.1/32", "::1/128"] },
  ],
  [
    { "allowlist-source-range": "10.0.0.0/8", "whitelist-source-range": "0.0.0.0/0" },
    { allow: ["10.0.0.0/8"] },
  ],
  [{ "denylist-source-range": "10.0.0.1" }, { deny: ["10.0.0.1/32"] }],
])("%j", (annotations, expected) => {
  expect(readAccess(readerOf(nginx(annotations)))).toEqual(expected);
});

it("the older name of a list closes by a wrong value although the newer one overrides it", () => {
  const annotations = { "allowlist-source-range": "::1", "whitelist-source-range": "x" };
  const reader = readerOf(nginx(annotations));
  readAccess(reader);
  expect(reader.closers.map(({ name }) => name)).toEqual(["whitelist-source-range"]);
});

it("a rewrite-target other than the path replaces it, and makes patterns of the host's paths", () => {
  const reader = readerOf(nginx({ "rewrite-target": "/$1" }));
  const rewrite = ["regex", "/a", "i", ["/", [1, "path"]], true];
  expect(readRewrite(reader, "/a", { count: 1, names: new Map() })).toEqual({ rewrite });
  expect(makesPatterns(reader, "/a")).toBe(true);
  expect(readRewrite(reader, "/$1", NO_GROUPS)).toEqual({});
  expect(makesPatterns(reader, "/$1")).toBe(false);
});

it("use-regex makes patterns of the host's paths", () => {
  expect(makesPatterns(readerOf(nginx({ "use-regex": "true" })), "/a")).toBe(true);
  expect(makesPatterns(readerOf({}), "/a")).toBe(false);
});
