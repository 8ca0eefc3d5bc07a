import { harness } from "../../../../support/policies-harness.js";

const BASE = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: edge, namespace: apps }
spec:
  gatewayClassName: albc
  listeners: [{ name: http, port: 80, protocol: HTTP }, { name: tcp, port: 81, protocol: TCP }]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: web, namespace: apps }
spec: { parentRefs: [{ name: edge }], rules: [{ name: first }] }
`;

/** What reports about the targets of a policy say, and the policy's conditions. */
function targeting(target: string) {
  const world = harness(`${BASE}---
apiVersion: crd.alauda.io/v1alpha1
kind: AuthPolicy
metadata: { name: login, namespace: apps }
spec: { targetRefs: [{ group: gateway.networking.k8s.io, ${target} }], forward: { url: "http://auth.example/" } }
`);
  const conditions = world.conditions("login");
  return [conditions, world.reports().map(([code]) => code)];
}

test.each([
  [
    "kind: Gateway, name: edge",
    "Gateway/edge Accepted=True/Accepted",
    ["POLICY_NOT_FOR_CONNECTIONS"],
  ],
  ["kind: Gateway, name: edge, sectionName: http", "Gateway/edge#http Accepted=True/Accepted", []],
  ["kind: HTTPRoute, name: web, sectionName: first", "Gateway/edge Accepted=True/Accepted", []],
  [
    "kind: HTTPRoute, name: none",
    "HTTPRoute/none Accepted=False/TargetNotFound",
    ["POLICY_TARGET_NOT_FOUND"],
  ],
  [
    "kind: HTTPRoute, name: web, sectionName: frist",
    "Gateway/edge Accepted=False/TargetNotFound",
    ["POLICY_TARGET_NOT_FOUND"],
  ],
  [
    "kind: Gateway, name: edge, sectionName: tcp",
    "Gateway/edge#tcp Accepted=False/Invalid",
    ["POLICY_TARGET_UNSUPPORTED"],
  ],
])("a policy for %s is %s", (target, condition, codes) => {
  expect(targeting(target)).toEqual([[condition], codes]);
});
