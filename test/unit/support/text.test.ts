import { withArticle } from "../../../src/support/text.js";

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
