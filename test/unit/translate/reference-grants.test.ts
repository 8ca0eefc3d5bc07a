import { resourcesFromYaml } from "../../../src/input/load.js";
import {
  isReferenceGranted,
  parseCertificateName,
  parseNamespacedName,
} from "../../../src/translate/reference-grants.js";

const { resources } = resourcesFromYaml(`
apiVersion: gateway.networking.k8s.io/v1
kind: ReferenceGrant
metadata: {name: grant, namespace: data}
spec:
  from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: web}]
  to:
    - {group: "", kind: Service}
    - {group: "", kind: Secret, name: key}
`);

describe("a ReferenceGrant", () => {
  const ROUTE = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    namespace: "web",
    name: "r",
  };

  it.each([
    ["every object of a kind without name", {}, { kind: "Service", name: "any" }, true],
    ["the named object", {}, { kind: "Secret", name: "key" }, true],
    ["no other object of its kind", {}, { kind: "Secret", name: "other" }, false],
    ["no other kind", {}, { kind: "ConfigMap", name: "key" }, false],
    ["no objects of another namespace", {}, { namespace: "web", kind: "Service" }, false],
    ["no other referring kind", { kind: "GRPCRoute" }, { kind: "Service" }, false],
    ["no other referring namespace", { namespace: "else" }, { kind: "Service" }, false],
    ["no other referring group", { apiVersion: "v1" }, { kind: "Service" }, false],
  ] as const)("permits %s", (_what, from, to, expected) => {
    const target = { namespace: "data", name: "any", ...to };
    expect(isReferenceGranted(resources, { ...ROUTE, ...from }, target)).toBe(expected);
  });
});

test.each([
  ["a/b", undefined, { namespace: "a", name: "b" }],
  ["b", "own", { namespace: "own", name: "b" }],
  ["b", undefined, undefined],
  ["a/", "own", undefined],
  ["/b", "own", undefined],
  ["a/b/c", "own", undefined],
  ["", "own", undefined],
])("%j with default namespace %j names %j", (text, namespace, name) => {
  const parsed = parseNamespacedName(text, namespace);
  expect(parsed.ok ? parsed.value : undefined).toEqual(name);
});

test("a certificate may have an underscore for the slash", () => {
  expect(parseCertificateName("a_b")).toEqual(parseCertificateName("a/b"));
});
