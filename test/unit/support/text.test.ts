import { visible, visibleJson, withArticle } from "../../../src/support/text.js";

it.each([
  ["Ingress", "an Ingress"],
  ["ALB2", "an ALB2"],
  ["EndpointSlice", "an EndpointSlice"],
  ["HTTPRoute", "an HTTPRoute"],
  ["Secret", "a Secret"],
  ["Gateway", "a Gateway"],
  ["GRPCRoute", "a GRPCRoute"],
])("%s is %s", (noun, phrase) => {
  expect(withArticle(noun)).toBe(phrase);
});

const OBEYED = "a\u001b[2J\u007f\u009b\u200f\u202e\u2028b";

test("text that is visible has nothing that a terminal obeys", () => {
  expect(visible(OBEYED)).toBe("a\\u001b[2J\\u007f\\u009b\\u200f\\u202e\\u2028b");
});

test("JSON that is visible has the same value and the same lines", () => {
  const text = visibleJson({ a: [OBEYED, "line\nbreak"] }, 2);
  expect(text).toMatch(/^[\n\x20-\x7e]+$/);
  expect(text.split("\n")).toHaveLength(6);
  expect(JSON.parse(text)).toEqual({ a: [OBEYED, "line\nbreak"] });
});
