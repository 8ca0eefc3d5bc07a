import { check, gateway, gatewayObject } from "../../../support/input-fixtures.js";

type Fields = Readonly<Record<string, unknown>>;

function listeners(...fields: readonly Fields[]): Fields {
  return gateway({
    listeners: fields.map((field, i) => ({ name: `l${i}`, port: 80, protocol: "HTTP", ...field })),
  });
}

function frontend(fields: Fields): Fields {
  return gateway({ tls: { frontend: fields } });
}

const AUTHORITY = { group: "", kind: "ConfigMap", name: "ca" };
const BUNDLE = { group: "certificates.k8s.io", kind: "ClusterTrustBundle", name: "ca" };
const TLS = { certificateRefs: [{ name: "tls" }] };

describe("a Gateway", () => {
  it.each([
    ["with one listener", gateway()],
    [
      "with two hostnames on one port",
      listeners({ hostname: "a.example" }, { hostname: "*.example" }),
    ],
    ["with another protocol on a port", listeners({}, { protocol: "TCP" })],
    ["with HTTPS without tls", listeners({ protocol: "HTTPS" })],
    ["with tls options", listeners({ protocol: "HTTPS", tls: { options: { "a.io/b": "c" } } })],
    ["with TLS passed through", listeners({ protocol: "TLS", tls: { mode: "Passthrough" } })],
    ["with a mode that is not known", listeners({ protocol: "HTTPS", tls: { mode: "Mutual" } })],
    ["with a protocol that is not known", listeners({ protocol: "QUIC", hostname: "a", tls: TLS })],
    ["with a protocol of a domain", listeners({ protocol: "a.example/p", filters: {} })],
    [
      "with namespaces that are not known",
      listeners({ allowedRoutes: { namespaces: { from: "Some" } } }),
    ],
    [
      "with addresses",
      gateway({ addresses: [{ value: "::1" }, { type: "Hostname", value: "a.b" }] }),
    ],
    ["with an address to assign", gateway({ addresses: [{}, { value: "" }, { value: "" }] })],
    [
      "with an address of a type that is not known",
      gateway({ addresses: [{ type: "a.b/c", value: "x" }] }),
    ],
    [
      "with labels",
      gateway({ infrastructure: { labels: { "a.b/c": "d" }, annotations: { e: "f g" } } }),
    ],
    ["with a client CA", frontend({ default: { validation: { caCertificateRefs: [BUNDLE] } } })],
    ["with a CA for each port", frontend({ default: {}, perPort: [{ port: 443, tls: {} }] })],
    ["with a filter that is not known", listeners({ filters: { requests: [{ type: "Later" }] } })],
  ])("%s is taken", (_name, object) => {
    expect(check(object)).toEqual([]);
  });

  it.each([
    [gateway({ gatewayClassName: null }), /FIELD_MISSING spec.gatewayClassName/],
    [gateway({ listeners: [] }), /spec.listeners: .*at least 1 items|from 1 to 64/],
    [listeners({ port: 0 }), /listeners\[0\].port: port must be/],
    [listeners({ hostname: "a_b" }), /listeners\[0\].hostname/],
    [listeners({ port: 81 }, { name: "l0" }), /\[1\].name: the listener "l0" stands twice/],
    [
      listeners({ hostname: "a" }, { hostname: "a" }),
      /listeners\[1\]: port 80, protocol HTTP and the hostname "a" are those of listener "l0"/,
    ],
    [listeners({}, {}), /no hostname are those of listener "l0"/],
    [listeners({ tls: TLS }), /\[0\].tls: .* HTTP must not have tls/],
    [listeners({ protocol: "TLS" }), /FIELD_MISSING .*tls: .*needs tls/],
    [
      listeners({ protocol: "HTTPS", tls: { mode: "Passthrough" } }),
      /tls.mode: .*must have the mode Terminate/,
    ],
    [
      listeners({ protocol: "HTTPS", tls: {} }),
      /tls.certificateRefs: .* needs certificateRefs or options/,
    ],
    [listeners({ protocol: "UDP", hostname: "a" }), /UDP must not have a hostname/],
    [listeners({ protocol: "TCP", filters: {} }), /TCP must not have filters/],
    [
      listeners({ filters: { requests: [{ type: "ExtensionRef" }] } }),
      /FIELD_MISSING .*requests\[0\].extensionRef/,
    ],
    [gateway({ addresses: [{ value: "a" }] }), /"a" is no IP address/],
    [
      gateway({ addresses: [{ value: "::1" }, { type: "IPAddress", value: "::1" }] }),
      /addresses\[1\].value: the address "::1" stands twice/,
    ],
    [
      gateway({ addresses: [{ type: "Hostname", value: "a b" }] }),
      /the address "a b" must consist of/,
    ],
    [gateway({ infrastructure: { labels: { "a b": "c" } } }), /labels.*the key "a b"/],
    [gateway({ infrastructure: { annotations: { "/": "" } } }), /annotations/],
    [
      gateway({
        infrastructure: {
          labels: Object.fromEntries(Array.from("abcdefghi").map((key) => [key, ""])),
        },
      }),
      /labels must have at most 8 entries/,
    ],
    [
      frontend({
        default: {},
        perPort: [
          { port: 443, tls: {} },
          { port: 443, tls: {} },
        ],
      }),
      /perPort\[1\].port: the port 443 stands twice/,
    ],
    [
      frontend({
        default: { validation: { caCertificateRefs: [AUTHORITY, { ...BUNDLE, namespace: "a" }] } },
      }),
      /default.validation.caCertificateRefs\[1\].namespace: a ClusterTrustBundle has no namespace/,
    ],
    [
      frontend({
        default: {},
        perPort: [
          { port: 1, tls: { validation: { caCertificateRefs: [{ ...BUNDLE, namespace: "a" }] } } },
        ],
      }),
      /perPort\[0\].tls.validation.caCertificateRefs\[0\].namespace/,
    ],
  ])("%j is refused: %s", (object, message) => {
    expect(check(object)).toEqual([expect.stringMatching(message)]);
  });
});

describe("a ListenerSet", () => {
  const parentRef = { name: "edge" };

  it("is checked as a Gateway is", () => {
    const twin = { name: "a", port: 80, protocol: "HTTP" };
    const problems = check(gatewayObject("ListenerSet", { parentRef, listeners: [twin, twin] }));
    expect(problems).toEqual([
      expect.stringMatching(/listeners\[1\]: port 80/),
      expect.stringMatching(/listeners\[1\].name: the listener "a" stands twice/),
    ]);
  });

  it("needs a parent", () => {
    const listener = { name: "a", port: 80, protocol: "HTTP" };
    expect(check(gatewayObject("ListenerSet", { listeners: [listener] }))).toEqual([
      expect.stringMatching(/FIELD_MISSING spec.parentRef/),
    ]);
  });
});

describe("a GatewayClass", () => {
  it.each([
    ["a/b", []],
    ["nginx", [expect.stringMatching(/spec.controllerName: controllerName must match/)]],
  ])("of controller %s", (controllerName, problems) => {
    const { metadata, ...rest } = gatewayObject("GatewayClass", { controllerName });
    expect(check({ ...rest, metadata: { ...(metadata as Fields), namespace: undefined } })).toEqual(
      problems,
    );
  });
});
