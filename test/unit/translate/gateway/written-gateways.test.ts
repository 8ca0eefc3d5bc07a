import { listenersOf } from "../../../../src/translate/gateway/written-gateways.js";
import { readWritten } from "../../../support/written-gateways.js";

const HTTP = { name: "http", port: 80, protocol: "HTTP" };
const ALL_SETS = { allowedListeners: { namespaces: { from: "All" } } };

function set(name: string, namespace: string, year: number) {
  const parentRef = { name: "gw", namespace: "n" };
  const spec = { parentRef, listeners: [{ ...HTTP, name }] };
  return { kind: "ListenerSet", name, namespace, year, spec } as const;
}

test("listeners of a Gateway come before those of its ListenerSets, which come oldest first", () => {
  const { gateways } = readWritten([
    { name: "gw", year: 2010, spec: { listeners: [HTTP], ...ALL_SETS } },
    set("young", "n", 2003),
    set("old", "other", 2002),
  ]);
  const names = gateways.flatMap(listenersOf).map(({ name }) => name);
  expect(names).toEqual(["http", "old", "young"]);
});

test("a ListenerSet that the Gateway does not allow has no listeners", () => {
  const { gateways } = readWritten([
    { name: "gw", spec: { listeners: [HTTP] } },
    set("extra", "n", 2002),
  ]);
  expect(gateways[0]?.sets).toMatchObject([
    { allowed: { ok: false, reason: "NotAllowed" }, listeners: [] },
  ]);
});

test.each([
  [{ protocol: "SCTP" }, "UnsupportedProtocol"],
  [{ protocol: "HTTPS", tls: { mode: "Passthrough" } }, "UnsupportedValue"],
  [{ hostname: "10.0.0.1" }, "UnsupportedValue"],
  [{ allowedRoutes: { namespaces: { from: "Some" } } }, "UnsupportedValue"],
  [{ filters: { requests: [{ type: "CORS" }] } }, "UnsupportedValue"],
])("a listener with %j is refused: %s", (spec, reason) => {
  const { gateways } = readWritten([{ name: "gw", spec: { listeners: [{ ...HTTP, ...spec }] } }]);
  expect(gateways[0]?.own[0]?.written).toMatchObject({ ok: false, reason });
});

test.each([
  ["HTTP", undefined, undefined],
  ["HTTPS", undefined, undefined],
  ["TCP", undefined, "tcp"],
  ["UDP", undefined, "udp"],
  ["TLS", "Terminate", "terminate"],
  ["TLS", "Passthrough", "passthrough"],
])("a listener of protocol %s and mode %s is a stream: %s", (protocol, mode, stream) => {
  const tls = { ...(mode !== undefined && { mode }), certificateRefs: [{ name: "certificate" }] };
  const hasCertificate = protocol === "HTTPS" || mode === "Terminate";
  const listener = { ...HTTP, protocol, ...(hasCertificate ? { tls } : mode && { tls: { mode } }) };
  const { gateways } = readWritten([{ name: "gw", spec: { listeners: [listener] } }]);
  const [own] = gateways.flatMap((gateway) => gateway.own);
  expect(own?.spec.protocol).toBe(protocol);
  expect(own?.stream).toBe(stream);
});
