import { DEFAULT_OPTIONS } from "../../../../../src/model/options.js";
import { IngressAnnotations } from "../../../../../src/translate/ingress/annotations/annotation-reader.js";
import { readSnippets } from "../../../../../src/translate/ingress/snippets/snippets.js";

const { domains } = DEFAULT_OPTIONS;

function steps(snippet: string, snippets: "refuse" | "translate" = "translate") {
  const key = `${domains.compatAnnotations}/configuration-snippet`;
  return readSnippets(new IngressAnnotations({ [key]: snippet }, domains).whole, { snippets });
}

it("reads nothing unless the option says so", () => {
  expect(steps("add_header X-A 1;", "refuse")).toEqual({});
});

it.each([
  ["variables", '"$host$host"', 65],
  ["text", "x".repeat(4000), 17],
])("removes headers of requests, and no others, with too much %s", (_, value, count) => {
  const lines = `proxy_set_header X-A ${value}; add_header X-B 1; proxy_set_header Host a.example;`;
  const { requestSteps = [], responseSteps } = steps(lines.repeat(count));
  expect(new Set(requestSteps.map((step) => JSON.stringify(step)))).toEqual(
    new Set(['{"headers":[["X-A",[]]]}']),
  );
  expect(responseSteps).toBeUndefined();
});
