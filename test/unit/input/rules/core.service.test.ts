import { check, service } from "../../../support/input-fixtures.js";

describe("a Service", () => {
  it.each([
    [{ ports: [{ port: 80 }] }],
    [
      {
        ports: [
          { name: "a", port: 80, targetPort: "http" },
          { name: "b", port: 81, targetPort: 8081 },
        ],
      },
    ],
    [
      {
        ports: [
          { name: "t", port: 53, protocol: "TCP" },
          { name: "u", port: 53, protocol: "UDP" },
        ],
      },
    ],
    [{ clusterIP: "None" }],
    [{ clusterIP: "10.0.0.1", ports: [{ port: 80, appProtocol: "kubernetes.io/h2c" }] }],
    [{ type: "ExternalName", externalName: "db.example.com." }],
  ])("%j is taken", (spec) => {
    expect(check(service(spec))).toEqual([]);
  });

  it.each([
    [{}, /FIELD_MISSING spec.ports: a Service needs at least one port/],
    [{ ports: [{ port: 0 }] }, /port must be from 1 to 65535, but is 0/],
    [{ ports: [{ port: 65536 }] }, /port must be from 1 to 65535/],
    [{ ports: [{ port: 8.5 }] }, /port must be a whole number/],
    [{ ports: [{ name: "http" }] }, /an item of ports needs the field port/],
    [{ ports: [{ port: 80, name: "Web" }] }, /port name "Web"/],
    [{ ports: [{ port: 80, protocol: "HTTP" }] }, /"TCP", "UDP" or "SCTP"/],
    [{ ports: [{ port: 80, targetPort: 0 }] }, /targetPort must be a number from 1 to 65535/],
    [
      { ports: [{ port: 80, targetPort: "8080" }] },
      /port name "8080" must hold at least one letter/,
    ],
    [
      { ports: [{ port: 80, targetPort: true }] },
      /targetPort must be a whole number or a string, but is true/,
    ],
    [{ ports: [{ port: 80, appProtocol: "a b" }] }, /protocol "a b"/],
    [{ ports: [{ port: 80 }], selector: { a: "b c" } }, /spec.selector.a/],
    [{ ports: [{ port: 80 }], clusterIP: "x" }, /clusterIP must be/],
    [{ ports: [{ port: 80 }], externalIPs: ["x"] }, /spec.externalIPs\[0\]/],
    [{ ports: [{ port: 80 }], type: "Headless" }, /type must be "ClusterIP"/],
    [{ type: "ExternalName" }, /needs externalName/],
    [{ type: "ExternalName", externalName: "a_b" }, /host name "a_b"/],
  ])("%j is refused", (spec, message) => {
    expect(check(service(spec))).toEqual([expect.stringMatching(message)]);
  });

  it("with several ports needs a name for each, and another for each", () => {
    expect(check(service({ ports: [{ port: 80 }, { port: 81 }] }))).toEqual([
      expect.stringContaining("spec.ports[0].name: a Service with several ports needs a name"),
      expect.stringContaining("spec.ports[1].name: a Service with several ports needs a name"),
    ]);
    const alike = [
      { name: "a", port: 80 },
      { name: "a", port: 80 },
    ];
    expect(check(service({ ports: alike }))).toEqual([
      expect.stringContaining('spec.ports[1].name: the port name "a" stands twice'),
      expect.stringContaining("spec.ports[1].port: port 80/TCP stands twice"),
    ]);
  });
});

describe("an EndpointSlice", () => {
  const slice = (addressType: string, address: string, more: object = {}) => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "web-1" },
    addressType,
    endpoints: [{ addresses: [address] }],
    ...more,
  });

  it.each([
    ["IPv4", "10.0.0.1"],
    ["IPv4", "127.0.0.1"],
    ["IPv6", "::1"],
    ["IPv6", "2001:db8::1"],
    ["FQDN", "a.example"],
  ])("with %s address %s is taken", (type, address) => {
    expect(check(slice(type, address))).toEqual([]);
  });

  it("without endpoints or ports is taken", () => {
    expect(check(slice("IPv4", "", { endpoints: undefined }))).toEqual([]);
    expect(check(slice("IPv4", "", { endpoints: null, ports: [{}] }))).toEqual([]);
  });

  it.each([
    ["IPv4", "a.example", /no IPv4 address, as addressType says$/],
    ["IPv4", "::1", /no IPv4 address.*it is an IPv6 address/],
    ["IPv4", "010.0.0.1", /no IPv4 address/],
    ["IPv6", "10.0.0.1", /no IPv6 address/],
    ["FQDN", "A", /no host name/],
    ["IPv4", "0.0.0.0", /can't be a backend/],
    ["IPv4", "169.254.1.1", /can't be a backend/],
    ["IPv4", "224.0.0.9", /can't be a backend/],
    ["IPv6", "::", /can't be a backend/],
    ["IPv6", "0:0:0:0:0:0:0:0", /can't be a backend/],
    ["IPv6", "FE80::1", /can't be a backend/],
    ["IPv6", "febf::1", /can't be a backend/],
    ["IPv6", "ff02::1", /can't be a backend/],
    ["Ipv4", "10.0.0.1", /addressType must be/],
  ])("with %s address %s is refused", (type, address, message) => {
    expect(check(slice(type, address))).toEqual([expect.stringMatching(message)]);
  });

  it.each([
    [{ endpoints: [{ addresses: [] }] }, /from 1 to 100 items/],
    [{ endpoints: [{}] }, /needs the field addresses/],
    [{ endpoints: [{ addresses: ["10.0.0.1"], hostname: "A" }] }, /endpoints\[0\].hostname/],
    [
      { endpoints: Array.from({ length: 1001 }, () => ({ addresses: ["10.0.0.1"] })) },
      /at most 1000/,
    ],
    [{ ports: [{ name: "A", port: 1 }] }, /ports\[0\].name/],
    [{ ports: [{ port: 1 }, { port: 2 }] }, /ports\[1\].name: the port name "" stands twice/],
    [{ ports: [{ port: 70000 }] }, /from 1 to 65535/],
    [{ ports: [{ port: 1, appProtocol: "/" }] }, /appProtocol/],
    [{ addressType: undefined }, /needs the field addressType/],
  ])("with %j is refused", (more, message) => {
    expect(check(slice("IPv4", "10.0.0.1", more))).toEqual([expect.stringMatching(message)]);
  });
});
