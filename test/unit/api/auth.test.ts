import {
  AUTH_METHODS,
  AUTH_METHOD_NAMES,
  AUTH_POLICY_SCHEMA,
  AUTH_SCHEMA,
} from "../../../src/api/auth.js";
import type { JsonSchema } from "../../../src/api/schemas/schema.js";

/** Whether an API server admits the text as this setting of a method. */
function admits(method: "basic" | "forward", field: string, text: string): boolean {
  const settings: Readonly<Record<string, JsonSchema>> =
    AUTH_METHODS[method].schema.properties ?? {};
  const { pattern, enum: values } = settings[field]?.admission ?? {};
  if (pattern === undefined && values === undefined) throw new Error(`${field} admits everything`);
  return pattern === undefined
    ? values?.includes(text) === true
    : new RegExp(pattern, "u").test(text);
}

const NAME = "a".repeat(63);

describe.each([
  ["basic", "secret"],
  ["forward", "auth_headers_cm_ref"],
] as const)("%s.%s", (method, field) => {
  it.each(["", "n/a", "n/a.b-c", " n/a\n", "0/0", `${NAME}/${"a".repeat(253)}`])(
    "may be %j",
    (text) => {
      expect(admits(method, field, text)).toBe(true);
    },
  );

  it.each([
    ..." ,a,n/,/a,n/a/b,N/a,n/A,n_/a,n.m/a,-n/a,n-/a,n/a.,n/-a,n a/b".split(","),
    `${NAME}a/b`,
    `n/${"a".repeat(254)}`,
  ])("may not be %j", (text) => {
    expect(admits(method, field, text)).toBe(false);
  });
});

describe("forward.url", () => {
  it.each(["", "http://a", "HTTPS://a.example:8443/x?y=$scheme$host$request_uri", "http://[::1]/"])(
    "may be %j",
    (text) => {
      expect(admits("forward", "url", text)).toBe(true);
    },
  );

  it.each(["a", "//a", "ftp://a", "http://", "http:/a", " http://a", "http://a b", "http://ä"])(
    "may not be %j",
    (text) => {
      expect(admits("forward", "url", text)).toBe(false);
    },
  );
});

test.each([
  ["basic", "auth_type", "basic"],
  ["basic", "secret_type", "auth-map"],
  ["forward", "method", "PATCH"],
] as const)("%s.%s is empty or as it is written: %s", (method, field, text) => {
  expect(["", text].every((each) => admits(method, field, each))).toBe(true);
  const others = [text.toUpperCase(), text.toLowerCase()].filter((each) => each !== text);
  expect([` ${text}`, `${text}x`, ...others].some((each) => admits(method, field, each))).toBe(
    false,
  );
});

describe.each(AUTH_METHOD_NAMES)("the method %s", (name) => {
  const schemaIn = ({ properties }: JsonSchema): JsonSchema => properties?.[name] ?? {};
  const inPolicy = schemaIn(AUTH_POLICY_SCHEMA.properties?.["spec"] ?? {});

  it("can't be in an AuthPolicy without what it needs, which is one of its settings", () => {
    const rule = inPolicy["x-kubernetes-validations"]?.[0]?.rule ?? "";
    const [, needed = ""] = /^has\(self\.(\w+)\) && size\(self\.\1\) > 0$/.exec(rule) ?? [];
    expect(Object.keys(inPolicy.properties ?? {})).toContain(needed);
  });

  it("has the same settings in Rules, where what it needs may be missing", () => {
    const { "x-kubernetes-validations": _rules, ...settings } = inPolicy;
    expect(schemaIn(AUTH_SCHEMA)).toEqual(settings);
  });
});
