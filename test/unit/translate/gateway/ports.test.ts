import { KeptHosts } from "../../../../src/translate/gateway/kept-hosts.js";
import { claimPorts, portsOfGateways } from "../../../../src/translate/gateway/ports.js";
import { type ReadGateways, readWritten } from "../../../support/written-gateways.js";

/** `<gateway>/<listener>: <reason>` of each listener in conflict. */
function conflicts({ gateways, context }: ReadGateways): readonly string[] {
  const assignment = { addresses: [], isServed: true, verdict: { ok: true } } as const;
  const addressed = gateways.map((gateway) => ({ ...gateway, assignment, reachedAt: [] }));
  const kept = new KeptHosts([], context);
  const found = claimPorts(addressed, [], kept, context.options);
  return [...found].map(([{ parent, name }, { reason }]) => {
    return `${parent.metadata.name}/${name}: ${reason}`;
  });
}

function listener(name: string, protocol: string, hostname?: string) {
  const tls = protocol === "TLS" && { tls: { mode: "Passthrough" } };
  return { name, protocol, port: 443, ...(hostname !== undefined && { hostname }), ...tls };
}

test("the older Gateway gets a port and hostname", () => {
  const read = readWritten([
    { name: "young", year: 2002, spec: { listeners: [listener("a", "HTTP", "x.example")] } },
    { name: "old", year: 2001, spec: { listeners: [listener("b", "HTTP", "x.example")] } },
  ]);
  expect(conflicts(read)).toEqual(["young/a: HostnameConflict"]);
});

test("TLS and HTTPS share a port, HTTP and TCP do not", () => {
  const both = [listener("tls", "TLS", "a.example"), listener("https", "HTTPS", "b.example")];
  expect(conflicts(readWritten([{ name: "gw", spec: { listeners: both } }]))).toEqual([]);
  const read = readWritten([
    { name: "old", spec: { listeners: both } },
    { name: "young", year: 2002, spec: { listeners: [listener("tcp", "TCP")] } },
  ]);
  expect(conflicts(read)).toEqual(["young/tcp: ProtocolConflict"]);
});

test("UDP and TCP do not conflict", () => {
  const listeners = [listener("tcp", "TCP"), listener("udp", "UDP")];
  expect(conflicts(readWritten([{ name: "gw", spec: { listeners } }]))).toEqual([]);
});

test("listeners of one Gateway that conflict all lose", () => {
  const listeners = [listener("a", "HTTP"), listener("b", "TCP")];
  expect(conflicts(readWritten([{ name: "gw", spec: { listeners } }]))).toEqual([
    "gw/a: ProtocolConflict",
    "gw/b: ProtocolConflict",
  ]);
});

test("a Gateway asks for its TCP ports, with or without addresses of its own", () => {
  const listeners = [listener("a", "HTTPS", "a.example"), listener("udp", "UDP")];
  const gateway = { name: "gw", spec: { listeners } };
  for (const gatewayAddresses of [[], ["10.0.0.0/24"]]) {
    const { gateways, context } = readWritten([gateway], { gatewayAddresses });
    expect(portsOfGateways(gateways, context.options)).toMatchObject([
      { port: 443, isShared: gatewayAddresses.length === 0, isForEveryHost: false },
    ]);
  }
});
