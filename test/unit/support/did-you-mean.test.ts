import { didYouMean } from "../../../src/support/did-you-mean.js";

it.each([
  ["rulez", ["rules", "tls", "defaultBackend"], "rules"],
  ["ulr", ["url", "method"], "url"],
  ["stringdata", ["data", "stringData"], "stringData"],
  ["ingresHTTPPrt", ["ingressHTTPPort", "ingressHTTPSPort"], "ingressHTTPPort"],
  ["prefix", ["Exact", "Prefix"], "Prefix"],
  ["hosts", ["http", "host"], "host"],
  ["annotatiosn", ["annotations"], "annotations"],
  ["annotatioxsn", ["annotations"], "annotations"],
  ["annotaoins", ["annotations"], "annotations"],
])("%s among %j is %s", (name, candidates, meant) => {
  expect(didYouMean(name, candidates)).toBe(meant);
});

it("is asked for fewer edits", () => {
  expect(didYouMean("TCPRoute", ["HTTPRoute"])).toBe("HTTPRoute");
  expect(didYouMean("TCPRoute", ["HTTPRoute"], 1)).toBeUndefined();
  expect(didYouMean("HTTPRote", ["HTTPRoute"], 1)).toBe("HTTPRoute");
  expect(didYouMean("httproute", ["HTTPRoute"], 0)).toBe("HTTPRoute");
});

it.each([
  ["completely", ["rules", "tls"]],
  ["", ["rules"]],
  ["ab", ["xy"]],
  ["rules", []],
])("%j among %j is nothing", (name, candidates) => {
  expect(didYouMean(name, candidates)).toBeUndefined();
});
