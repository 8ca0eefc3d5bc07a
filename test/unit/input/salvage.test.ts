import type { KindName } from "../../../src/api/kinds.js";
import { closedForm, isClosable } from "../../../src/input/salvage.js";
import { gatewayObject, ingress, rule, service } from "../../support/input-fixtures.js";

/** The spec of the closed form, and what it closes. */
function closed(kind: KindName, object: object): readonly unknown[] {
  const form = closedForm(kind, object, "spec");
  const { spec } = { spec: undefined, ...form };
  return [form?.closed?.extent, spec];
}

const path = { path: "/a", pathType: "Exact", backend: { service: { name: "web" } } };
const whole = { path: "/", pathType: "Prefix", backend: {} };

describe("the closed form of an Ingress", () => {
  const host = "a.example";

  it("has its hosts and paths without their backends", () => {
    expect(closed("Ingress", ingress({ rules: [{ host, http: { paths: [path] } }] }))).toEqual([
      "paths",
      { rules: [{ host, http: { paths: [{ ...path, backend: {} }] } }], tls: [] },
    ]);
  });

  it.each([
    ["a path is lost", [{ host, http: { paths: [{ ...path, path: 5 }] } }], "hosts", host],
    ["a host is lost", [{ host: 5, http: { paths: [path] } }], "namespace", undefined],
    ["the rules are lost", "x", "namespace", undefined],
  ])("closes more if %s", (_name, rules, extent, expected) => {
    const [given, spec] = closed("Ingress", ingress({ rules }));
    expect(given).toBe(extent);
    const [first] = (spec as { rules: readonly { host?: string; http: object }[] }).rules;
    expect(first?.host).toBe(expected);
    if (extent === "hosts") expect(first?.http).toEqual({ paths: [whole] });
  });

  it("closes its namespace if an alias can't be read", () => {
    const annotations = { "nginx.ingress.kubernetes.io/server-alias": ["b.example"] };
    const object = ingress({ rules: [{ host, http: { paths: [path] } }] }, { annotations });
    expect(closed("Ingress", object)[0]).toBe("namespace");
  });
});

describe("the closed form of a route", () => {
  const parentRefs = [{ name: "edge", port: "80" }];
  const match = { path: { type: "Exact", value: "/a" }, headers: [{ name: "x", value: "1" }] };

  it("has its parents, hosts and matches without their backends", () => {
    const rules = [{ matches: [match], backendRefs: [{ name: 5 }] }];
    const object = gatewayObject("HTTPRoute", { parentRefs, hostnames: "a.example", rules });
    expect(closed("HTTPRoute", object)).toEqual([
      "paths",
      {
        hostnames: ["a.example"],
        parentRefs: [{ name: "edge", port: 80 }],
        rules: [{ matches: [match] }],
      },
    ]);
  });

  it.each([
    ["a header is lost", { matches: [{ headers: [{ name: "x", value: 1 }] }] }, "hosts"],
    ["its rule is no mapping", 5, "hosts"],
  ])("matches all paths of its hosts if %s", (_name, only, extent) => {
    const object = gatewayObject("HTTPRoute", {
      parentRefs,
      hostnames: ["a.example"],
      rules: [only],
    });
    const [given, spec] = closed("HTTPRoute", object);
    expect(given).toBe(extent);
    expect(spec).toMatchObject({
      hostnames: ["a.example"],
      rules: expect.arrayContaining([{}]) as object,
    });
  });

  it.each([[null], [[{ name: 5 }]], [[{ name: "edge", kind: 5 }]]])(
    "closes its namespace with the parents %j",
    (parents) => {
      const object = gatewayObject("HTTPRoute", { parentRefs: parents, rules: [] });
      expect(closed("HTTPRoute", object)[0]).toBe("namespace");
    },
  );
});

it.each([
  [{ dslx: [{ type: "URL", values: [["EQ", "/a"]] }], priority: "x" }, "paths"],
  [{ dslx: [{ type: "URL", values: "x" }] }, "hosts"],
  [{ dslx: [{ type: "HOST", values: [5] }] }, "namespace"],
  [{ dslx: null }, "namespace"],
])("the closed form of the Rule %j closes its %s", (spec, extent) => {
  expect(closed("Rule", rule(spec))[0]).toBe(extent);
});

it("the closed form of a Rule comes first if its priority is lost", () => {
  const dslx = [{ type: "URL", values: [["EQ", "/a"]] }];
  expect(closed("Rule", rule({ dslx, priority: "x" }))[1]).toEqual({ dslx, priority: -(2 ** 31) });
});

it("the closed form of a Gateway has its listeners for requests", () => {
  const listeners = [
    { name: "web", port: 80, protocol: "HTTP", hostname: "*.example.com" },
    { name: "lost", protocol: "HTTP" },
    { name: "tcp", port: 81, protocol: "TCP" },
  ];
  const object = gatewayObject("Gateway", { gatewayClassName: "edge", listeners });
  expect(closed("Gateway", object)[1]).toEqual({
    gatewayClassName: "edge",
    listeners: listeners.slice(0, 1),
  });
});

it("the closed form of an AuthPolicy is a broken policy for its targets, and none if a target is lost", () => {
  const targetRefs = [{ group: "g", kind: "Gateway", name: "edge" }];
  const policy = { apiVersion: "crd.alauda.io/v1alpha1", metadata: { name: "login" } };
  expect(closed("AuthPolicy", { ...policy, spec: { targetRefs } })).toEqual([
    "paths",
    { targetRefs, invalid: "it can't be read" },
  ]);
  const lost = { ...policy, spec: { targetRefs: [{ name: "edge" }] } };
  expect(closedForm("AuthPolicy", lost)).toBeUndefined();
});

it("a closed form has a name even if the given one is lost", () => {
  const object = { ...rule({ dslx: [] }), metadata: { name: 5, labels: { a: "b", c: 1 } } };
  expect(closedForm("Rule", object)?.metadata).toMatchObject({
    name: expect.stringMatching(/^unnamed-[0-9a-f]{10}$/) as string,
    namespace: "default",
    labels: { a: "b" },
  });
});

it("a closed form exists only for kinds that take requests", () => {
  expect(isClosable("Service")).toBe(false);
  expect(closedForm("Service", service({}))).toBeUndefined();
});
