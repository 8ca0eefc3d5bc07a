import { type RawObject, sharing, keptParts } from "../../../src/kubernetes/raw-object.js";

const metadata = {
  name: "web",
  namespace: "shop",
  uid: "u",
  resourceVersion: "7",
  labels: { app: "web" },
  managedFields: [{ manager: "kubectl" }],
  ownerReferences: [{ kind: "Deployment" }],
};

test("what nobody reads is left out, and what lists leave out is filled in", () => {
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "{}", mine: "kept" };
  const object: RawObject = { metadata: { ...metadata, annotations }, spec: { a: 1 }, status: {} };
  expect(keptParts(object, "v1", "Service")).toEqual({
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "web",
      namespace: "shop",
      uid: "u",
      resourceVersion: "7",
      labels: { app: "web" },
      annotations: { mine: "kept" },
    },
    spec: { a: 1 },
    status: {},
  });
});

test("of endpoints only addresses and conditions stay, equal conditions once", () => {
  const ready = { ready: true, serving: true, terminating: false };
  const endpoint = (address: string): object => ({
    addresses: [address],
    conditions: { ...ready },
    nodeName: "node-1",
    zone: "zone-a",
    targetRef: { kind: "Pod", name: "web-1" },
  });
  const ports = [{ name: "http", port: 8080, protocol: "TCP" }];
  const slice = keptParts(
    {
      metadata: {
        ...metadata,
        labels: { "kubernetes.io/service-name": "web", app: "web" },
        annotations: { "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z" },
      },
      addressType: "IPv4",
      ports,
      endpoints: [endpoint("10.0.0.1"), endpoint("10.0.0.2"), { addresses: ["10.0.0.3"] }],
    },
    "discovery.k8s.io/v1",
    "EndpointSlice",
  );
  expect(slice).toEqual({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: "web",
      namespace: "shop",
      uid: "u",
      resourceVersion: "7",
      labels: { "kubernetes.io/service-name": "web" },
    },
    addressType: "IPv4",
    ports,
    endpoints: [
      { addresses: ["10.0.0.1"], conditions: ready },
      { addresses: ["10.0.0.2"], conditions: ready },
      { addresses: ["10.0.0.3"] },
    ],
  });
  const [first, second] = slice["endpoints"] as readonly { readonly conditions: unknown }[];
  expect(second?.conditions).toBe(first?.conditions);
});

test("of a slice that albc made the mark stays, and of no other", () => {
  const labelled = (manager: string) => ({
    metadata: { name: "a", labels: { "app.kubernetes.io/managed-by": manager } },
  });
  const labels = (manager: string) =>
    keptParts(labelled(manager), "discovery.k8s.io/v1", "EndpointSlice").metadata.labels;
  expect(labels("albc")).toEqual({ "app.kubernetes.io/managed-by": "albc" });
  expect(labels("Helm")).toEqual({});
});

test("what is as it was is shared with the object of before", () => {
  const spec = { hostnames: ["a.example"], rules: [{ backendRefs: [{ name: "web" }] }] };
  const labels = { app: "web" };
  const before = {
    metadata: { name: "a", resourceVersion: "1", labels },
    spec,
    status: { parents: [] },
  };
  const now = {
    metadata: { name: "a", resourceVersion: "2", labels: { ...labels } },
    spec: { hostnames: [...spec.hostnames], rules: [...spec.rules] },
    status: { parents: [{ controllerName: "c" }] },
  };
  const shared = sharing(now, before);
  expect(shared).toEqual(now);
  expect(shared["spec"]).toBe(spec);
  expect(shared.metadata.labels).toBe(labels);
  expect(shared.status).toBe(now.status);
  expect(sharing(now, undefined)).toBe(now);
});

test("a field that is gone is not brought back", () => {
  const before = { metadata: { name: "a", generation: 1 }, spec: {}, status: {} };
  expect(sharing({ metadata: { name: "a" }, spec: {} }, before)).toEqual({
    metadata: { name: "a" },
    spec: {},
  });
});
