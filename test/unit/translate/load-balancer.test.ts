import type { Frontend } from "../../../src/api/alb.js";
import { inBindingOrder, onePlace } from "../../../src/model/route.js";
import { ANY_HOST } from "../../../src/model/values.js";
import { ConfigBuilder } from "../../../src/translate/config-builder.js";
import {
  type EntryPort,
  NOTHING_INHERITED,
  addEntryPorts,
  bindWholePort,
  protocolOn,
  serverId,
} from "../../../src/translate/load-balancer.js";

function port(number: number, protocol?: string): EntryPort {
  const frontend: Frontend = {
    apiVersion: "crd.alauda.io/v1",
    kind: "Frontend",
    metadata: { namespace: "cpaas-system", name: "ft" },
    spec: { port: number, ...(protocol !== undefined && { protocol }) },
  };
  return {
    ...{ port: number, tls: number === 443, server: serverId(number), listener: `l/${number}` },
    ...{ frontend, inherited: NOTHING_INHERITED },
  };
}

test.each([
  ["http", "http", "http"],
  ["https", "https", "https"],
  [undefined, "grpc", "grpc"],
  ["grpc", "http", "grpc"],
  ["grpc", "grpc", "grpc"],
  ["grpc", "https", "grpcs"],
  ["grpc", "grpcs", "grpcs"],
] as const)("behind a Frontend of protocol %s, %s is %s", (frontend, protocol, expected) => {
  expect(protocolOn(port(90, frontend), protocol)).toBe(expected);
});

test("a port without a Frontend, as Ingresses have it, does not change the protocol", () => {
  const { frontend: _none, ...own } = port(80);
  expect(protocolOn(own, "https")).toBe("https");
});

test("a port has a server on all addresses, and a listener for every host", () => {
  const config = new ConfigBuilder();
  const metadata = { namespace: "cpaas-system", name: "alb" };
  const alb = { apiVersion: "crd.alauda.io/v2", kind: "ALB2" as const, metadata };
  const ingress = { selects: () => false, selection: [] };
  const ports = [port(80), port(443)];
  addEntryPorts([{ alb, ports, streams: [], ingress, prioritised: new Set() }], config);
  expect(config.servers).toEqual([
    { id: "p443", addresses: [], port: 443, tls: true },
    { id: "p80", addresses: [], port: 80, tls: false },
  ]);
  expect(config.listeners()).toEqual([
    { id: "l/443", server: "p443", hostname: ANY_HOST },
    { id: "l/80", server: "p80", hostname: ANY_HOST },
  ]);
});

test("a route of a whole port is bound to its listener for every host and path, in the rank's order", () => {
  const config = new ConfigBuilder();
  const metadata = { namespace: "cpaas-system", name: "ft" };
  const rank = { priority: 0, specificity: { complexity: 0, length: 0 }, metadata, position: [] };
  bindWholePort(port(80), "last", { ...rank, class: "default" }, config);
  bindWholePort(port(80), "first", { ...rank, class: "first" }, config);
  const { bindings } = config.bound;
  const bound = { at: onePlace("l/80", ANY_HOST), path: undefined, when: [] };
  expect(bindings).toMatchObject([
    { ...bound, route: "last" },
    { ...bound, route: "first" },
  ]);
  expect([...bindings].sort(inBindingOrder).map(({ route }) => route)).toEqual(["first", "last"]);
});
