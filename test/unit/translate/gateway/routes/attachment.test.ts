import { gateway, httpRoute, object, WEB } from "../../../../support/gateway-route-objects.js";
import { translated } from "../../../../support/translated.js";

const LISTENERS = [
  { name: "a", port: 80, protocol: "HTTP", hostname: "*.a.example" },
  { name: "b", port: 80, protocol: "HTTP", hostname: "b.example" },
  { name: "other", port: 8080, protocol: "HTTP" },
  { name: "grpc", port: 8081, protocol: "HTTP", allowedRoutes: { kinds: [{ kind: "GRPCRoute" }] } },
];

/** Listeners and hosts where the route is bound, and why it is not attached. */
function attached(spec: object): readonly [places: readonly string[], messages: readonly string[]] {
  const result = translated(gateway(LISTENERS) + httpRoute("r", [{ backendRefs: WEB }], spec));
  const places = result
    .bindings("httproute/default/r/0")
    .flatMap(({ at }) => at)
    .flatMap(({ listeners, hosts }) =>
      listeners.flatMap((listener) =>
        hosts.map(({ host }) => `${listener.split("/").pop() ?? ""} ${JSON.stringify(host)}`),
      ),
    );
  return [places, result.messages("ROUTE_NOT_ATTACHED")];
}

function exact(host: string): string {
  return JSON.stringify({ kind: "exact", host });
}

const GW = { name: "gw" };

test("a route gets the hosts that it has in common with each listener that takes it", () => {
  const hostnames = ["x.a.example", "b.example", "X.a.example"];
  const [places] = attached({ hostnames });
  expect(places).toEqual([
    `a ${exact("x.a.example")}`,
    `b ${exact("b.example")}`,
    `other ${exact("x.a.example")}`,
    `other ${exact("b.example")}`,
  ]);
});

test("a route without hostnames gets those of the listener", () => {
  const [places] = attached({ parentRefs: [{ ...GW, sectionName: "b" }] });
  expect(places).toEqual([`b ${exact("b.example")}`]);
});

test.each([
  [
    { parentRefs: [{ ...GW, sectionName: "none", port: 81 }] },
    "Gateway default/gw has no listener named none on port 81; it has a (80), b (80), other (8080), grpc (8081)",
  ],
  [
    { parentRefs: [{ ...GW, sectionName: "grpc" }] },
    "no listener of Gateway default/gw allows HTTPRoutes of namespace default: grpc (8081)",
  ],
  [
    { parentRefs: [{ ...GW, sectionName: "a" }], hostnames: ["c.example"] },
    "no hostname of the route is one of Gateway default/gw's: *.a.example (a)",
  ],
])("a route with %j is not attached", (spec, message) => {
  expect(attached(spec)).toEqual([[], [message]]);
});

test("an IP address is no hostname", () => {
  const yaml = gateway() + httpRoute("r", [{ backendRefs: WEB }], { hostnames: ["10.0.0.1"] });
  expect(translated(yaml).messages("ROUTE_VALUE_UNSUPPORTED")).toEqual([
    '"10.0.0.1" is an IP address, not a DNS name',
  ]);
});

test.each([
  [{ kind: "Service", group: "", name: "web" }, "ROUTE_OF_MESH"],
  [{ name: "none" }, "ROUTE_PARENT_NOT_FOUND"],
  [{ kind: "Other", name: "gw" }, "ROUTE_PARENT_FOREIGN"],
  [{ group: "example.com", name: "gw" }, "ROUTE_PARENT_FOREIGN"],
])("a parentRef %j has no parent here", (reference, code) => {
  const yaml = gateway() + httpRoute("r", [{ backendRefs: WEB }], { parentRefs: [reference] });
  expect(translated(yaml).reports).toEqual([`${code} HTTPRoute default/r spec.parentRefs[0]`]);
});

test("a route that asks for default Gateways gets those that it does not name itself", () => {
  const listeners = [{ name: "http", port: 8000, protocol: "HTTP" }];
  const scoped = (name: string, port: number): string =>
    object("Gateway", name, {
      gatewayClassName: "albc",
      defaultScope: "All",
      listeners: listeners.map((each) => ({ ...each, port })),
    });
  const spec = { parentRefs: [{ name: "x" }], useDefaultGateways: "All" };
  const yaml = gateway() + scoped("x", 8000) + scoped("y", 8001) + httpRoute("r", [{}], spec);
  const [status] = translated(yaml).statuses.filter(({ kind }) => kind === "HTTPRoute");
  expect(status?.status["parents"]).toMatchObject([
    { parentRef: { name: "x" } },
    { parentRef: { name: "y", namespace: "default" } },
  ]);
});
