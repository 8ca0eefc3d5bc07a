import { TextLocator } from "../../../src/input/text-locator.js";

const MANIFEST = `apiVersion: v1
kind: Service
metadata:
  name: "a"
  labels: &labels
    app: x
spec:
  selector: *labels
  ports:
    - name: http
      port: 80
    -
      port: 81
  "odd key": 1
`;

function place(text: string, path: readonly (string | number)[], at?: "key" | number) {
  return new TextLocator(text).field(0, path, at);
}

describe("field", () => {
  it("is that of stringData for what a Secret has there", () => {
    const secret = "kind: Secret\nstringData:\n  auth: x\ndata:\n  other: eA==\n";
    expect(place(secret, ["data", "auth"])).toMatchObject({ line: 3, column: 9 });
    expect(place(secret, ["data", "other"])).toMatchObject({ line: 5, column: 10 });
    expect(place(secret, ["data", "none"])).toMatchObject({ line: 4, column: 1 });
    const list = "items:\n  - stringData:\n      auth: x\n";
    expect(place(list, ["items", 0, "data", "auth"])).toMatchObject({ line: 3, column: 13 });
  });

  it.each([
    [["kind"], 2, 7],
    [["metadata"], 3, 1],
    [["metadata", "name"], 4, 9],
    [["spec", "ports"], 9, 3],
    [["spec", "ports", 0], 10, 7],
    [["spec", "ports", 0, "port"], 11, 13],
    [["spec", "ports", 1, "port"], 13, 13],
    [["spec", "odd key"], 14, 14],
    // Through an alias: where the anchor's value stands.
    [["spec", "selector", "app"], 6, 10],
    [["spec", "selector"], 8, 3],
    [[], 1, 1],
  ])("finds %j", (path, line, column) => {
    expect(place(MANIFEST, path)).toMatchObject({ line, column });
  });

  it("is the first letter of a block's text", () => {
    expect(place("a:\n  b: |\n    text\n", ["a", "b"])).toMatchObject({ line: 3, column: 5 });
  });

  it("is a line of a literal block", () => {
    const lines = (style: string) => `a:\n  b: ${style}\n    one\n\n    three\n`;
    expect(place(lines("|"), ["a", "b"], 2)).toMatchObject({ line: 5, column: 5 });
    // Other texts do not have the lines of their values.
    expect(place(lines(">"), ["a", "b"], 1)).toMatchObject({ line: 3, column: 5 });
    expect(place('a:\n  b: "one\\nthree"\nthree: 1\n', ["a", "b"], 1)).toMatchObject({
      line: 2,
      column: 6,
    });
  });

  it("points at the innermost parent of a field that is not there", () => {
    expect(place(MANIFEST, ["spec", "ports", 0, "targetPort", "x"])).toMatchObject({
      line: 10,
      column: 7,
    });
    expect(place(MANIFEST, ["status"])).toMatchObject({ line: 1, column: 1 });
  });

  it("points at a key when asked to", () => {
    expect(place(MANIFEST, ["spec", "ports", 0, "port"], "key")).toMatchObject({
      line: 11,
      column: 7,
    });
  });

  it("points at the key of an empty value", () => {
    expect(place("a:\n  b:\n  c: 1", ["a", "b"])).toMatchObject({ line: 2, column: 3 });
  });

  it("follows merge keys", () => {
    const text = "base: &b {x: 1}\nuse:\n  <<: *b\n  z: 2\n";
    expect(place(text, ["use", "x"])).toMatchObject({ line: 1, column: 14 });
    expect(place(text, ["use", "z"])).toMatchObject({ line: 4, column: 6 });
    const several = "a: &a {x: 1}\nb: &b {z: 2}\nuse:\n  <<: [*a, *b]\n";
    expect(place(several, ["use", "z"])).toMatchObject({ line: 2, column: 11 });
  });

  it("finds keys that YAML reads as numbers and booleans", () => {
    expect(place("on: 1\n0x10: 2", ["true"])).toMatchObject({ line: 1, column: 5 });
    expect(place("on: 1\n0x10: 2", ["16"])).toMatchObject({ line: 2, column: 7 });
  });

  it("counts characters, not bytes or halves of them", () => {
    expect(place('{"é😀": 1, "b": 2}', ["b"])).toMatchObject({ line: 1, column: 16 });
  });

  it.each(["\n", "\r\n", "\r"])("counts lines that end with %j", (end) => {
    const text = MANIFEST.replaceAll("\n", end);
    expect(place(text, ["spec", "ports", 0, "port"])).toEqual({
      line: 11,
      column: 13,
      excerpt: "      port: 80",
    });
  });

  it("leaves out the excerpt of a line that nobody could read", () => {
    const text = `{"a": "${"x".repeat(5000)}", "b": 1}`;
    expect(place(text, ["b"])).toEqual({ line: 1, column: 5016 });
  });

  it("finds fields of any document", () => {
    expect(new TextLocator("a: 1\n...\nb:\n  c: 2\n").field(1, ["b", "c"])).toMatchObject({
      line: 4,
      column: 6,
    });
  });
});

describe("secrets", () => {
  const secret = `apiVersion: v1
kind: Secret
metadata:
  name: creds
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{"data":{"p":"hunter2"}}'
type: Opaque
data:
  p: aHVudGVyMg==
stringData:
  q: |
    hunter2
stringdata: {r: hunter2}
`;

  it.each([
    [["data"]],
    [["data", "p"]],
    [["stringData", "q"]],
    [["stringdata"]],
    [["metadata", "annotations"]],
  ])("shows no line of %j", (path) => {
    expect(place(secret, path)).not.toHaveProperty("excerpt");
  });

  it.each([[["kind"]], [["type"]], [["metadata", "name"]]])("shows the line of %j", (path) => {
    expect(place(secret, path)).toHaveProperty("excerpt");
  });

  it("shows no line that holds a part of a secret", () => {
    const flow = "{apiVersion: v1, kind: Secret, metadata: {name: x}, data: {p: aHVudGVyMg==}}";
    expect(place(flow, ["metadata", "name"])).not.toHaveProperty("excerpt");
  });

  it("looks into lists", () => {
    const list = `kind: List\nitems:\n  - kind: Secret\n    data: {p: aHVudGVyMg==}\n  - kind: Service\n    x: 1\n`;
    expect(place(list, ["items", 0, "data"])).not.toHaveProperty("excerpt");
    expect(place(list, ["items", 1, "x"])).toHaveProperty("excerpt");
    const json = '{"kind":"List","items":[{"kind":"Service"},{"kind":"Secret","data":{"p":"x"}}]}';
    expect(place(json, ["items", 0, "kind"])).not.toHaveProperty("excerpt");
  });

  it("takes what has no kind for a secret", () => {
    expect(place("data: {p: aHVudGVyMg==}", ["data"])).not.toHaveProperty("excerpt");
  });

  it("shows nothing of a document whose aliases may bring a value into a secret", () => {
    const text = "x: &p hunter2\nkind: List\nitems:\n  - kind: Secret\n    stringData: {p: *p}\n";
    expect(place(text, ["x"])).not.toHaveProperty("excerpt");
  });

  it("shows nothing of a text that can't be parsed and may hold a secret", () => {
    expect(new TextLocator("kind: Secret\nstringData: {p: hunter2").offset(20)).toEqual({
      line: 2,
      column: 8,
    });
    expect(new TextLocator("kind: Service\nspec: {p: 1").offset(20)).toEqual({
      line: 2,
      column: 7,
      excerpt: "spec: {p: 1",
    });
  });
});
