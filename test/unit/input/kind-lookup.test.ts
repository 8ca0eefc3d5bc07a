import { decode } from "../../../src/input/decode.js";
import { DEFAULT_INPUT_OPTIONS, kindTable } from "../../../src/input/kind-table.js";
import { resourcesFromObjects } from "../../../src/input/load.js";
import { lines } from "../../support/input-fixtures.js";

const TABLE = kindTable(DEFAULT_INPUT_OPTIONS.albGroup);

/** Of kinds of other products, which look like ours from afar. */
const FOREIGN_SPECS = [
  undefined,
  {
    rules: [{ hosts: ["a.example"], http: { paths: [{ path: "/", splits: [{ percent: 100 }] }] } }],
  },
  { servers: [{ hosts: ["a.example"], port: { number: 80 } }] },
  { parentRefs: [{ name: "edge" }], rules: [{ backendRefs: [{ name: "web" }] }] },
  { targetRef: { kind: "HTTPRoute", name: "web" }, rules: { authentication: {} } },
  { targetRefs: [{ group: "g", kind: "HTTPRoute", name: "web" }], basicAuth: { users: {} } },
  { type: "git", url: "https://a.example", description: "a repository" },
];

/** Of Linkerd, whose routes are defined as those of Gateway API. */
const SERVER_ROUTE = {
  parentRefs: [{ group: "policy.linkerd.io", kind: "Server", name: "web" }],
  rules: [{ matches: [{ path: { value: "/a" } }], backendRefs: [{ name: "web", port: 80 }] }],
};

describe("what an object is", () => {
  it.each([
    ["text", /OBJECT_MALFORMED : a Kubernetes object was expected, but this is plain text/],
    [[1], /but this is a list/],
    [{ kind: "Service" }, /a Kubernetes object needs apiVersion/],
    [{ apiVersion: "v1" }, /a Kubernetes object needs kind/],
    [
      { apiVersion: 1, kind: "Service" },
      /OBJECT_MALFORMED apiVersion: apiVersion must be a string, but is 1/,
    ],
    [
      { apiversion: "v1", kind: "Service" },
      /OBJECT_MALFORMED apiversion: a Kubernetes object needs apiVersion/,
    ],
    [{ apiVersion: "v1", kind: "service" }, /KIND_MISSPELT kind: v1 has no kind "service"$/],
    [
      { apiVersion: "networking.k8s.io/v1", kind: "Ingres" },
      /KIND_MISSPELT kind: networking.k8s.io\/v1 has no kind "Ingres"$/,
    ],
    [{ apiVersion: "crd.alauda.io/v1", kind: "Frontned" }, /has no kind "Frontned"/],
    [
      { apiVersion: "crd.alauda.oi/v1", kind: "Rule" },
      /KIND_MISSPELT apiVersion: "crd.alauda.oi\/v1" has no kind Rule$/,
    ],
    [{ apiVersion: "networking.k8s.oi/v1", kind: "Ingress" }, /KIND_MISSPELT apiVersion/],
    [
      { apiVersion: "extensions/v1beta1", kind: "Ingress" },
      /OBJECT_VERSION apiVersion: .*networking.k8s.io\/v1 is/,
    ],
    [{ apiVersion: "networking.k8s.io/v1beta1", kind: "Ingress" }, /OBJECT_VERSION/],
    [
      { apiVersion: "crd.alauda.io/v1", kind: "ALB2" },
      /crd.alauda.io\/v2 and crd.alauda.io\/v2beta1 are/,
    ],
  ])("%j is refused", (value, message) => {
    expect(lines(resourcesFromObjects([value]).diagnostics)).toEqual([
      expect.stringMatching(message),
    ]);
  });

  it("advises what to add", () => {
    const [diagnostic] = resourcesFromObjects([{ kind: "Ingress" }]).diagnostics;
    expect(diagnostic?.hint).toBe("add apiVersion: networking.k8s.io/v1");
  });

  it.each([
    { apiVersion: "apps/v1", kind: "Deployment" },
    { apiVersion: "crd.alauda.com/v1", kind: "Rule" },
    { apiVersion: "networking.k8s.io/v1", kind: "HTTPRoute" },
    { apiVersion: "v1", kind: "Lits" },
    { apiVersion: "serving.knative.dev/v1", kind: "Service" },
    { apiVersion: "networking.internal.knative.dev/v1alpha1", kind: "Ingress" },
    { apiVersion: "networking.istio.io/v1", kind: "Gateway" },
    { apiVersion: "config.openshift.io/v1", kind: "Ingress" },
    { apiVersion: "kuadrant.io/v1", kind: "AuthPolicy" },
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role" },
    { apiVersion: "gateway.networking.x-k8s.io/v1alpha1", kind: "XListenerSet" },
    { apiVersion: "gateway.networking.k8s.io/v1alpha2", kind: "BackendLBPolicy" },
    { apiVersion: "v1", kind: "toString" },
    { apiVersion: "v1", kind: "ServiceAccount" },
    { apiVersion: "v1", kind: "Pod" },
    { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" },
    { apiVersion: "gateway.networking.x-k8s.io/v1alpha1", kind: "XBackend" },
  ])("%j is of an unknown kind", (value) => {
    for (const spec of FOREIGN_SPECS) {
      expect(decode({ ...value, spec }, TABLE, [])).toEqual({ result: "unknown", ...value });
    }
  });

  it("is unknown in another group with kinds of the same names", () => {
    const value = { apiVersion: "policy.linkerd.io/v1beta3", kind: "HTTPRoute" };
    const given = { ...value, metadata: { name: "web" }, spec: SERVER_ROUTE };
    expect(decode(given, TABLE, [])).toEqual({ result: "unknown", ...value });
  });

  it("may be of a group of one's own", () => {
    const value = { apiVersion: "lb.example/v1", kind: "Rule", metadata: { name: "r" }, spec: {} };
    expect(decode(value, kindTable("lb.example"), []).result).toBe("object");
    expect(decode(value, TABLE, []).result).toBe("unknown");
  });
});
