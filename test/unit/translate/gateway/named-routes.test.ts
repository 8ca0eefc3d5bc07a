import { resourcesFromYaml } from "../../../../src/input/load.js";
import { DiagnosticSink } from "../../../../src/diagnostics/sink.js";
import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import type { HostPattern } from "../../../../src/model/values.js";
import { NamedRoutes } from "../../../../src/translate/gateway/named-routes.js";
import { readGateways } from "../../../../src/translate/gateway/written-gateways.js";
import { collecting } from "../../../../src/translate/parts/part.js";
import { gateway, httpRoute } from "../../../support/gateway-route-objects.js";

const ASKED: HostPattern = { kind: "wildcard", suffix: "example", labels: "many" };
const HOST: HostPattern = { kind: "exact", host: "a.example" };

/** The requested keys of each route on the first listener. */
function namedBy(yaml: string, listener: object = {}) {
  const listeners = [{ name: "http", port: 80, protocol: "HTTP", ...listener }];
  const { resources } = resourcesFromYaml(gateway(listeners) + yaml);
  const context = { resources, options: DEFAULT_OPTIONS, diagnostics: new DiagnosticSink() };
  const routes = new NamedRoutes(context);
  for (const hostname of [ASKED, HOST]) routes.ask(hostname);
  const [first] = readGateways(collecting(context)).flatMap(({ own }) => own);
  if (first === undefined) throw new Error("no listener");
  return routes.of(first).map(({ object, keys }) => [object.metadata.name, keys]);
}

test("a route names its hosts, and what is above them", () => {
  const hostnames = ["a.example", "b.test"];
  expect(namedBy(httpRoute("r", [{}], { hostnames }))).toEqual([
    ["r", { named: ["a.example"], below: ["a.example", "**.example"] }],
  ]);
});

test("only up to the listener's hostname", () => {
  const yaml = httpRoute("r", [{}], { hostnames: ["a.example"] });
  expect(namedBy(yaml, { hostname: "*.example" })).toEqual([
    ["r", { named: ["a.example"], below: ["a.example"] }],
  ]);
});

test("a route without hostnames names none", () => {
  expect(namedBy(httpRoute("r", [{}]))).toEqual([["r", { named: [], below: [] }]]);
});

test("routes of other listeners, ports and Gateways do not count", () => {
  const hostnames = ["a.example"];
  const references = [
    { name: "gw", sectionName: "other" },
    { name: "gw", port: 81 },
    { name: "x" },
  ];
  const routes = references.map((each, i) =>
    httpRoute(`r${String(i)}`, [{}], { hostnames, parentRefs: [each] }),
  );
  expect(namedBy(routes.join(""))).toEqual([]);
});
