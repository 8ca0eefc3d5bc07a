import { didYouMean } from "../../../src/support/did-you-mean.js";

it.each([
  ["rulez", ["rules", "tls", "defaultBackend"], "rules"],
  ["ulr", ["url", "method"], "url"],
  ["stringdata", ["data", "stringData"], "stringData"],
  ["ingresHTTPPrt", ["ingressHTTPPort", "ingressHTTPSPort"], "ingressHTTPPort"],
  ["prefix", ["Exact", "Prefix"], "Prefix"],
  ["hosts", ["http", "host"], "host"],
])("%s among %j is %s", (name, candidates, meant) => {
  expect(didYouMean(name, candidates)).toBe(meant);
});

it.each([
  ["completely", ["rules", "tls"]],
  ["", ["rules"]],
  ["ab", ["xy"]],
  ["rules", []],
])("%j among %j is nothing", (name, candidates) => {
  expect(didYouMean(name, candidates)).toBeUndefined();
});
