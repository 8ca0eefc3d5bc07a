import { gateway, object, WEB } from "../../../../support/gateway-route-objects.js";
import { type Translated, translated } from "../../../../support/translated.js";

const LISTENERS = [
  { name: "tls", port: 8443, protocol: "TLS", tls: { mode: "Passthrough" } },
  { name: "tcp", port: 5432, protocol: "TCP" },
  { name: "udp", port: 53, protocol: "UDP" },
];

function route(kind: string, name: string, spec: object = {}): string {
  return object(kind, name, {
    parentRefs: [{ name: "gw" }],
    rules: [{ backendRefs: WEB }],
    ...spec,
  });
}

function translate(...routes: readonly string[]): Translated {
  return translated(gateway(LISTENERS) + routes.join(""));
}

test("every port has a stream, also without routes", () => {
  expect(translate().config.streams).toMatchObject([
    { id: "p53-udp", protocol: "udp" },
    { id: "p5432", protocol: "tcp" },
    { id: "p8443", protocol: "tls", names: [] },
  ]);
});

test("a route attaches to the listeners of its kind", () => {
  const { config, statuses } = translate(route("TCPRoute", "db"));
  expect(config.streams.filter((stream) => "pool" in stream)).toMatchObject([
    { id: "p5432", pool: "tcproute/default/db" },
  ]);
  const counts = statuses.find(({ kind }) => kind === "Gateway")?.status["listeners"];
  expect(counts).toMatchObject([
    { name: "tls", attachedRoutes: 0 },
    { name: "tcp", attachedRoutes: 1 },
    { name: "udp", attachedRoutes: 0 },
  ]);
});

test("of two routes for the same connections the first has them, and the other one says so", () => {
  const { config, messages } = translate(route("TCPRoute", "a"), route("TCPRoute", "b"));
  expect(config.pools.map(({ id }) => id)).toEqual(["tcproute/default/a"]);
  expect(messages("STREAM_ROUTE_SHADOWED")).toEqual([
    "listener tcp has its connections from TCPRoute default/a, which is older",
  ]);
});

test("of hostnames of TLSRoutes the shadowed one is named", () => {
  const { messages } = translate(
    route("TLSRoute", "a", { hostnames: ["a.example"] }),
    route("TLSRoute", "b", { hostnames: ["b.example", "a.example"] }),
  );
  expect(messages("STREAM_ROUTE_SHADOWED")).toEqual([
    "listener tls has those for a.example from TLSRoute default/a, which is older",
  ]);
});

test("a route that no listener takes is not accepted", () => {
  const parentRefs = [{ name: "gw", sectionName: "udp" }];
  const { statuses } = translate(route("TCPRoute", "db", { parentRefs }));
  const status = statuses.find(({ kind }) => kind === "TCPRoute")?.status;
  expect(status?.["parents"]).toMatchObject([
    { conditions: [{ type: "Accepted", status: "False", reason: "NotAllowedByListeners" }, {}] },
  ]);
});
