import { readPlainYaml } from "../../../src/input/plain-yaml.js";

it("reads an object as kubectl prints it", () => {
  const text = `apiVersion: v1
items:
- apiVersion: gateway.networking.k8s.io/v1
  kind: HTTPRoute
  metadata:
    annotations:
      kubectl.kubernetes.io/last-applied-configuration: |
        {"apiVersion":"gateway.networking.k8s.io/v1"}
    creationTimestamp: "2026-04-01T10:00:00Z"
    generation: 2
    labels: {}
    name: web
  spec:
    hostnames:
    - '*.example.org'
    parentRefs: []
    rules:
    - matches:
      - path:
          value: /a
kind: List
`;
  const metadata = {
    annotations: {
      "kubectl.kubernetes.io/last-applied-configuration":
        '{"apiVersion":"gateway.networking.k8s.io/v1"}\n',
    },
    creationTimestamp: "2026-04-01T10:00:00Z",
    generation: 2,
    labels: {},
    name: "web",
  };
  const spec = {
    hostnames: ["*.example.org"],
    parentRefs: [],
    rules: [{ matches: [{ path: { value: "/a" } }] }],
  };
  const route = { apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute", metadata, spec };
  expect(readPlainYaml(text)).toStrictEqual([{ apiVersion: "v1", items: [route], kind: "List" }]);
});

it("reads documents as Helm prints them", () => {
  const text = `---
# Source: shop/templates/service.yaml
apiVersion: v1
kind: Service
metadata:
  labels:
    app.kubernetes.io/version: "1.0"

spec:
  clusterIP: 10.0.0.1
---
# Source: shop/templates/none.yaml
`;
  const metadata = { labels: { "app.kubernetes.io/version": "1.0" } };
  const service = { apiVersion: "v1", kind: "Service", metadata, spec: { clusterIP: "10.0.0.1" } };
  expect(readPlainYaml(text)).toStrictEqual([service, null]);
});

it.each([
  "a: 1\na: 2",
  "__proto__: 1",
  "on: 1",
  "a: [1]",
  "a: &x 1",
  "a: !!str 1",
  "a: 1 # one",
  "a: one\n  two",
  "a: >\n  one",
  "a: 'one\n  two'",
  'a: "\\x41"',
  "a:\tb",
  "a: 1\r\nb: 2",
  "a: 1\n...\n",
  "%YAML 1.2\n---\na: 1",
  "a:\n b: 1\n  c: 2",
  `${"- ".repeat(60)}b`,
  "\ufeffa: 1",
])("gives up %j", (text) => {
  expect(readPlainYaml(text)).toBeUndefined();
});

it("leaves a value that is too long for its expressions to the parser", () => {
  expect(readPlainYaml(`a: ${"x".repeat(20_000_000)}`)).toBeUndefined();
});
