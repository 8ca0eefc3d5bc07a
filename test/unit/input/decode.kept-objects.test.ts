import { decode } from "../../../src/input/decode.js";
import { kindTable } from "../../../src/input/kind-table.js";

const TABLE = kindTable("crd.alauda.io");
const metadata = { name: "a", namespace: "b", uid: "c", labels: { d: "e" } };
const condition = {
  type: "Accepted",
  status: "True",
  reason: "Accepted",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  observedGeneration: 1,
};

/** As an API server gives them: nothing is left to be filled in, so there is nothing to copy. */
const COMPLETE: readonly object[] = [
  {
    apiVersion: "v1",
    kind: "Service",
    metadata,
    spec: { ports: [{ name: "http", port: 80, targetPort: 8080, protocol: "TCP" }] },
    status: { loadBalancer: {} },
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { ...metadata, labels: { "kubernetes.io/service-name": "a" } },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080, protocol: "TCP" }],
    endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true } }],
  },
  {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata,
    spec: {
      parentRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "g" }],
      hostnames: ["a.example"],
      rules: [{ matches: [{ path: { type: "PathPrefix", value: "/" } }] }],
    },
    status: {
      parents: [{ parentRef: { name: "g" }, controllerName: "c", conditions: [condition] }],
    },
  },
  { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data: { auth: "eDp5" } },
];

test.each(COMPLETE)("a complete object is kept without copies of its parts: %p", (object) => {
  const decoded = decode(object, TABLE);
  if (decoded.result !== "object" || decoded.served === undefined) throw new Error(decoded.result);
  for (const [field, part] of Object.entries(object)) {
    const kept: unknown = Object.entries(decoded.served.entry.object).find(
      ([name]) => name === field,
    )?.[1];
    expect([field, kept === part]).toEqual([field, true]);
  }
});
