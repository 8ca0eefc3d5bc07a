import { resourcesFromObjects, resourcesFromYaml } from "../../../../src/input/load.js";
import { check, secret } from "../../../support/input-fixtures.js";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const mebibyte = "x".repeat(1024 * 1024);

describe("a Secret", () => {
  it.each([
    ["without data", {}],
    ["with data", { data: { a: base64("x"), "b.c_d-e": "" } }],
    ["with base64 over several lines", { data: { a: "aGVs\nbG8=\n" } }],
    ["with text", { stringData: { a: "not base64" } }],
    ["whose text replaces broken data", { data: { a: "%" }, stringData: { a: "x" } }],
    ["with a certificate", { type: "kubernetes.io/tls", data: { "tls.crt": "", "tls.key": "" } }],
    ["with a user", { type: "kubernetes.io/basic-auth", stringData: { username: "a" } }],
  ])("%s is taken", (_name, fields) => {
    expect(check(secret(fields))).toEqual([]);
  });

  it.each([
    ["no base64", { data: { a: "hunter2!" } }, /data.a: the value of "a" is not base64/],
    ["base64 without padding", { data: { a: "aGVsbG8" } }, /not base64/],
    ["base64 for URLs", { data: { a: "_-__" } }, /not base64/],
    ["a key with a slash", { data: { "a/b": "" } }, /the key "a\/b" must/],
    ["a bad key of text", { stringData: { "..a": "" } }, /stringData/],
    ["too much", { stringData: { a: mebibyte, b: "1" } }, /take 1048577 bytes/],
    [
      "half a certificate",
      { type: "kubernetes.io/tls", data: { "tls.crt": "" } },
      /needs the key "tls.key"/,
    ],
    ["no user", { type: "kubernetes.io/basic-auth" }, /"username" or "password"/],
    ["data that is text", { data: "hunter2" }, /data must be a mapping$/],
    ["a value that is a number", { stringData: { a: 12345 } }, /a must be a string$/],
    ["an empty value", { data: { a: null } }, /a must be a string$/],
  ])("with %s is refused", (_name, fields, message) => {
    expect(check(secret(fields))).toEqual([expect.stringMatching(message)]);
  });

  it("holds its text as data, which it replaces", () => {
    const object = secret({
      data: { a: base64("old"), b: base64("b") },
      stringData: { a: "new é" },
    });
    const [read] = resourcesFromObjects([object]).resources.list("Secret");
    expect(read?.data).toEqual({ a: base64("new é"), b: base64("b") });
    expect(read).not.toHaveProperty("stringData");
    expect(read?.type).toBe("Opaque");
  });

  it("keeps a key that names a part of every object", () => {
    const object: unknown = JSON.parse(
      '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"},"stringData":{"__proto__":"a"}}',
    );
    const [read] = resourcesFromObjects([object]).resources.list("Secret");
    expect(Object.entries(read?.data ?? {})).toEqual([["__proto__", base64("a")]]);
  });

  it.each([
    { data: { a: "hunter2" } },
    { data: "hunter2" },
    { stringData: ["hunter2"] },
    { stringData: { a: true, b: "hunter2" } },
    { stringdata: { a: "hunter2" } },
    { metadata: { name: "x", annotations: { a: { b: "hunter2" } } } },
    { metadata: { name: "x", annotations: "hunter2" } },
    { data: { "a/b": "hunter2" } },
  ])("%j is reported without its content", (fields) => {
    const { diagnostics } = resourcesFromYaml(JSON.stringify(secret(fields)));
    expect(diagnostics).not.toHaveLength(0);
    expect(JSON.stringify(diagnostics)).not.toContain("hunter2");
  });
});

describe("a ConfigMap", () => {
  const configMap = (fields: object) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "m" },
    ...fields,
  });

  it.each([{}, { data: { "X-A": "1" } }, { data: { a: "" }, binaryData: { b: "AA==" } }])(
    "%j is taken",
    (fields) => {
      expect(check(configMap(fields))).toEqual([]);
    },
  );

  it.each([
    [{ data: { a: 1 } }, /a must be a string, but is 1/],
    [{ data: { "a b": "" } }, /the key "a b"/],
    [{ binaryData: { a: "%" } }, /not base64/],
    [{ data: { a: "" }, binaryData: { a: "" } }, /stands in data too/],
    [{ data: { a: mebibyte, b: "1" } }, /take 1048577 bytes/],
  ])("refused for its fields %#", (fields, message) => {
    expect(check(configMap(fields))).toEqual([expect.stringMatching(message)]);
  });
});
