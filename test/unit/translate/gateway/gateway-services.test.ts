import { compile } from "../../../../src/compile.js";
import { resourcesFromYaml } from "../../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import type { OwnedObject } from "../../../../src/status/object-status.js";

function objectsFor(
  name: string,
  addresses: readonly string[],
  infrastructure = {},
  services: readonly { readonly name: string; readonly annotations: object }[] = [],
): readonly OwnedObject[] {
  const spec = {
    gatewayClassName: "albc",
    infrastructure,
    listeners: [
      { name: "a", port: 8080, protocol: "HTTP", hostname: "a.example" },
      { name: "b", port: 8080, protocol: "HTTP", hostname: "b.example" },
      { name: "c", port: 80, protocol: "HTTP" },
    ],
  };
  const text = `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: { name: albc }
spec: { controllerName: alb.cpaas.io/gateway-controller }
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: ${name}, namespace: edge }
spec: ${JSON.stringify(spec)}
`;
  const others = services.map(({ name: service, annotations }) => {
    const metadata = { name: service, namespace: "edge", annotations };
    const spec = { clusterIP: "None", ports: [{ port: 8080 }] };
    return `---\n${JSON.stringify({ apiVersion: "v1", kind: "Service", metadata, spec })}\n`;
  });
  const { resources } = resourcesFromYaml(text + others.join(""));
  return compile(resources, { ...DEFAULT_OPTIONS, gatewayAddresses: addresses }).objects;
}

test("a Gateway has a Service with its ports, whose endpoints are the Gateway's addresses", () => {
  const [service, slice, ...others] = objectsFor("web", ["10.1.0.1"]);
  expect(others).toEqual([]);
  expect(service).toMatchObject({
    kind: "Service",
    metadata: { name: "web-albc", namespace: "edge" },
    owner: { kind: "Gateway", namespace: "edge", name: "web" },
    fields: { spec: { clusterIP: "None", ports: [{ port: 80 }, { port: 8080 }] } },
  });
  expect(slice).toMatchObject({
    kind: "EndpointSlice",
    metadata: { labels: { "kubernetes.io/service-name": "web-albc" } },
    fields: { addressType: "IPv4", endpoints: [{ addresses: ["10.1.0.1"] }] },
  });
});

test("its labels and annotations are those of spec.infrastructure, and the ones that name the Gateway", () => {
  const [service] = objectsFor("web", [], {
    labels: { team: "edge", "gateway.networking.k8s.io/gateway-name": "forged" },
    annotations: { "cost.example/center": "1" },
  });
  expect(service?.metadata.annotations).toEqual({ "cost.example/center": "1" });
  expect(service?.metadata.labels).toMatchObject({
    team: "edge",
    "gateway.networking.k8s.io/gateway-name": "web",
    "gateway.networking.k8s.io/gateway-class-name": "albc",
  });
});

test("it remembers the addresses for a controller that starts, whatever the Gateway's author writes there", () => {
  const key = "alb.ingress.cpaas.io/gateway-addresses";
  const annotations = { [key]: "10.1.0.3" };
  const [service] = objectsFor("web", ["10.1.0.1"], { annotations });
  expect(service?.metadata.annotations).toEqual({ [key]: "10.1.0.1" });
  const remembered = objectsFor("web", ["10.1.0.0/29"], {}, [
    { name: "web-albc", annotations: { [key]: "10.1.0.5" } },
    { name: "web-other", annotations: { [key]: "10.1.0.4" } },
  ]);
  expect(remembered[0]?.metadata.annotations).toEqual({ [key]: "10.1.0.5" });
});

test("of a Gateway that is not accepted nothing is left but the memory of its addresses", () => {
  const key = "alb.ingress.cpaas.io/gateway-addresses";
  const invalid = { parametersRef: { group: "", kind: "ConfigMap", name: "none" } };
  expect(objectsFor("web", ["10.1.0.0/29"], invalid)).toEqual([]);
  const kept = objectsFor("web", ["10.1.0.0/29"], invalid, [
    { name: "web-albc", annotations: { [key]: "10.1.0.5" } },
  ]);
  expect(kept).toMatchObject([
    {
      kind: "Service",
      fields: { spec: { ports: [] } },
      metadata: { annotations: { [key]: "10.1.0.5" } },
    },
  ]);
});

test("without addresses of its own it has no endpoints", () => {
  expect(objectsFor("web", []).map(({ kind }) => kind)).toEqual(["Service"]);
});

test.each([`${"a".repeat(250)}.b`, "a.b", "1-first", "x".repeat(63)])(
  "the Service of %s has a name that a Service may have",
  (name) => {
    const [service] = objectsFor(name, []);
    expect(service?.metadata.name).toMatch(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/);
    for (const value of Object.values(service?.metadata.labels ?? {})) {
      expect(value).toMatch(/^[a-zA-Z0-9]([-._a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$/);
    }
  },
);

test("names that look alike stay apart", () => {
  const names = ["a.b", "a-b"].map((name) => objectsFor(name, [])[0]?.metadata.name);
  expect(new Set(names).size).toBe(2);
});

test("a port is of TCP or of UDP, or of both", () => {
  const { resources } = resourcesFromYaml(`
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: { name: albc }
spec: { controllerName: alb.cpaas.io/gateway-controller }
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: edge, namespace: edge }
spec:
  gatewayClassName: albc
  listeners:
    - { name: a, port: 53, protocol: UDP }
    - { name: b, port: 53, protocol: TCP }
    - { name: c, port: 443, protocol: TLS, tls: { mode: Passthrough } }
`);
  const options = { ...DEFAULT_OPTIONS, gatewayAddresses: ["10.1.0.1"] };
  const [service, slice] = compile(resources, options).objects;
  const ports = [
    { name: "p53", port: 53, protocol: "TCP" },
    { name: "p53-udp", port: 53, protocol: "UDP" },
    { name: "p443", port: 443, protocol: "TCP" },
  ];
  expect(service?.fields).toMatchObject({ spec: { ports } });
  expect(slice?.fields).toMatchObject({ ports });
});
