import { mayHoldSecrets, nearestNode, secretRanges } from "../../../src/input/positions.js";
import { yamlPositions } from "../../../src/input/yaml.js";

function keyAt(text: string, ...path: readonly (string | number)[]): string {
  const [document] = yamlPositions(text).documents;
  if (document === undefined) throw new Error("the text has no document");
  const { node, exact } = nearestNode(document, path);
  return `${exact ? "" : "near "}${text.slice(node.key, node.end)}`;
}

/** The parts of the text that excerpts must not show. */
function hidden(text: string): readonly string[] {
  return secretRanges(yamlPositions(text), text.length).map(({ start, end }) =>
    text.slice(start, end),
  );
}

test("a field is found by its path, and else its innermost parent", () => {
  const text = "spec:\n  rules:\n    - host: a\n";
  expect(keyAt(text, "spec", "rules", 0, "host")).toBe("host: a");
  expect(keyAt(text, "spec", "rules", 0, "path")).toBe("near host: a");
});

test("merge keys and aliases lead to the values that they bring in", () => {
  const text = "a: &x\n  host: b\nc:\n  <<: *x\n";
  expect(keyAt(text, "c", "host")).toBe("host: b");
});

test("a key has the name of the property that YAML makes of it", () => {
  expect(keyAt("on: 1\n", "true")).toBe("on: 1");
});

test("all of a Secret is hidden except its header and names", () => {
  const text =
    "kind: Secret\nmetadata:\n  name: a\n  annotations:\n    b: c\nstringdata:\n  p: w\n";
  expect(hidden(text)).toEqual(["annotations:\n    b: c", "stringdata:\n  p: w"]);
  expect(hidden("kind: Service\nspec: {a: b}\n")).toEqual([]);
});

test("plain text, data without a kind and Secrets in a list are hidden", () => {
  expect(hidden("password\n")).toEqual(["password"]);
  expect(hidden("data:\n  a: b\n")).toEqual(["data:\n  a: b"]);
  expect(hidden("kind: List\nitems:\n  - kind: secret\n    data: x\n")).toEqual(["data: x"]);
});

test("aliases may bring a value into a Secret from anywhere", () => {
  const text = "a: &x b\nkind: Secret\ndata: *x\n";
  expect(hidden(text)).toEqual([text]);
});

test("a text that can't be parsed may hold secrets if it has traces of one", () => {
  expect(mayHoldSecrets("kind : 'secret'")).toBe(true);
  expect(mayHoldSecrets("auth-secret: a")).toBe(false);
});
