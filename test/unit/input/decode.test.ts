import { DEFAULT_INPUT_OPTIONS } from "../../../src/input/kind-table.js";
import { decode } from "../../../src/input/decode.js";
import { kindTable } from "../../../src/input/kind-table.js";
import { resourcesFromObjects } from "../../../src/input/load.js";
import { check, ingress, lines, rule, service } from "../../support/input-fixtures.js";

const TABLE = kindTable(DEFAULT_INPUT_OPTIONS.albGroup);
const PORTS = { ports: [{ port: 80 }] };

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
    [{ apiVersion: "v1", kind: "service" }, /KIND_MISSPELT kind: there is no kind "service"$/],
    [
      { apiVersion: "networking.k8s.io/v1", kind: "Ingres" },
      /KIND_MISSPELT kind: there is no kind "Ingres"; what the object is for answers 503/,
    ],
    [{ apiVersion: "crd.alauda.io/v1", kind: "Frontned" }, /there is no kind "Frontned"/],
    [
      { apiVersion: "crd.alauda.com/v1", kind: "Rule" },
      /KIND_MISSPELT apiVersion: "crd.alauda.com\/v1" has no kind Rule; .* answers 503/,
    ],
    [{ apiVersion: "networking.k8s.oi/v1", kind: "Ingress" }, /KIND_MISSPELT apiVersion/],
    [{ apiVersion: "networking.k8s.iov1", kind: "Ingress" }, /KIND_MISSPELT apiVersion/],
    [{ apiVersion: "networking.k8s.io/v1", kind: "HTTPRoute" }, /KIND_MISSPELT apiVersion/],
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
      expect(decode({ ...value, spec }, TABLE)).toEqual({ result: "unknown", ...value });
    }
  });

  it("is unknown in another group with kinds of the same names", () => {
    const value = { apiVersion: "policy.linkerd.io/v1beta3", kind: "HTTPRoute" };
    const given = { ...value, metadata: { name: "web" }, spec: SERVER_ROUTE };
    expect(decode(given, TABLE)).toEqual({ result: "unknown", ...value });
  });

  it("may be of a group of one's own", () => {
    const value = { apiVersion: "lb.example/v1", kind: "Rule", metadata: { name: "r" }, spec: {} };
    expect(decode(value, kindTable("lb.example")).result).toBe("object");
    expect(decode(value, TABLE).result).toBe("unknown");
  });
});

describe("metadata", () => {
  const named = (metadata: object) => service(PORTS, metadata as Record<string, unknown>);

  it.each([
    [{ name: undefined }, /FIELD_MISSING metadata.name/],
    [{ name: "" }, /FIELD_MISSING metadata.name: metadata.name must not be empty/],
    [{ name: "a.b" }, /metadata.name: the name "a.b" must/],
    [{ name: 5 }, /name must be a string, but is 5/],
    [{ namespace: "A" }, /metadata.namespace: the namespace "A"/],
    [{ labels: { "a b": "x" } }, /metadata.labels\["a b"\]: the key "a b"/],
    [{ labels: { a: "x y" } }, /metadata.labels.a: the value "x y"/],
    [{ labels: { a: null } }, /a must be a string, but is empty/],
    [{ annotations: { "a b": "" } }, /metadata.annotations\["a b"\]: the key/],
    [{ annotations: { a: "x".repeat(256 * 1024) } }, /take 262145 bytes/],
    [{ creationTimestamp: "yesterday" }, /"yesterday" is not a time/],
  ])("%# is refused", (metadata, message) => {
    expect(check(named(metadata))).toEqual([expect.stringMatching(message)]);
  });

  it("is taken at its largest", () => {
    expect(check(named({ annotations: { a: "x".repeat(256 * 1024 - 1) } }))).toEqual([]);
    expect(check(named({ creationTimestamp: "2026-01-31T08:00:00.5+01:00" }))).toEqual([]);
  });

  it("is checked even where the rest of the object is wrong", () => {
    expect(check(service({ ports: "80" }, { name: "A" }))).toEqual([
      expect.stringContaining("metadata.name"),
      expect.stringContaining("spec.ports: ports must be a list"),
    ]);
  });

  it("of an object without any is missing", () => {
    expect(check({ apiVersion: "v1", kind: "Service" })).toEqual([
      "FIELD_MISSING metadata: the object needs the field metadata",
    ]);
  });

  it("takes the namespace default, or none for what is in none", () => {
    const namespaceOf = (value: unknown) => {
      const decoded = decode(value, TABLE);
      return decoded.result === "object"
        ? decoded.served?.entry.object.metadata.namespace
        : undefined;
    };
    expect(namespaceOf(service(PORTS))).toBe("default");
    expect(namespaceOf(service(PORTS, { namespace: "" }))).toBe("default");
    expect(namespaceOf(service(PORTS, { namespace: null }))).toBe("default");
    const namespace = {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "a", namespace: "b" },
    };
    expect(namespaceOf(namespace)).toBe("");
  });
});

describe("unknown fields", () => {
  it("are reported, and the object is served", () => {
    const object = ingress({ rulez: [], rules: [{}] });
    const { resources, diagnostics } = resourcesFromObjects([object]);
    expect(lines(diagnostics)).toEqual([
      "FIELD_UNKNOWN spec.rulez: spec has no field rulez; it is ignored",
    ]);
    expect(diagnostics.map((diagnostic) => diagnostic.hint)).toEqual(["did you mean rules?"]);
    expect(resources.list("Ingress")).toHaveLength(1);
  });

  it("of an ALB2's config are kept; only misspelt ones are reported", () => {
    const alb = (config: object) => ({
      apiVersion: "crd.alauda.io/v2beta1",
      kind: "ALB2",
      metadata: { name: "alb" },
      spec: { type: "nginx", config },
    });
    expect(check(alb({ enablePrometheus: "true", gateway: { mode: "shared" } }))).toEqual([]);
    expect(check(alb({ ingressHttpPort: 80, replica: 1 }))).toEqual([
      "FIELD_UNKNOWN spec.config.ingressHttpPort: spec.config has no field ingressHttpPort; it is ignored",
      "FIELD_UNKNOWN spec.config.replica: spec.config has no field replica; it is ignored",
    ]);
  });
});

describe("a value of the wrong type", () => {
  it.each([
    [{ priority: "5" }, /priority must be a whole number, but is "5"/, "remove the quotes"],
    [
      { enableCORS: "true" },
      /enableCORS must be true or false, but is "true"/,
      "remove the quotes",
    ],
    [
      { vhost: true },
      /vhost must be a string, but is true/,
      /^put the value in quotes; YAML reads on/,
    ],
    [{ vhost: 5 }, /vhost must be a string, but is 5/, 'put the value in quotes: "5"'],
    [{ dslx: { type: "HOST" } }, /dslx must be a list, but is a mapping/, /^write it as a list/],
    [
      { dslx: [{ type: "URL", values: [["EQ", 1]] }] },
      /an item of values must be a string, but is 1/,
      /quotes/,
    ],
    [
      { serviceGroup: { services: [{ name: "a" }] } },
      /an item of services needs the field port/,
      "add the field",
    ],
  ])("%j is refused with advice", (spec, message, hint) => {
    const { diagnostics } = resourcesFromObjects([rule(spec)]);
    expect(lines(diagnostics)).toEqual([expect.stringMatching(message)]);
    expect(diagnostics[0]?.hint).toMatch(hint);
  });

  it("is cut when it is long", () => {
    const [line = ""] = check(rule({ priority: "x".repeat(10_000) }));
    expect(line.length).toBeLessThan(200);
  });

  it("is reported a bounded number of times", () => {
    const dslx = Array.from({ length: 10_000 }, () => 1);
    expect(check(rule({ dslx }))).toHaveLength(50);
  });
});

describe("a ReferenceGrant", () => {
  const grant = (spec: object, version = "v1") => ({
    apiVersion: `gateway.networking.k8s.io/${version}`,
    kind: "ReferenceGrant",
    metadata: { name: "g", namespace: "secrets" },
    spec,
  });
  const from = [{ group: "networking.k8s.io", kind: "Ingress", namespace: "shop" }];
  const to = [{ group: "", kind: "Secret" }];

  it.each(["v1", "v1beta1"])("of %s is taken", (version) => {
    expect(check(grant({ from, to }, version))).toEqual([]);
  });

  it.each([
    [{ to }, /needs the field from/],
    [{ from: [], to }, /from must have from 1 to 16 items/],
    [{ from: [{ group: "A", kind: "Ingress", namespace: "a" }], to }, /group must match/],
    [{ from, to: [{ group: "", kind: "", name: "x" }] }, /kind must/],
    [
      { from, to: [{ group: "", kind: "Secret", name: "" }] },
      /name must have from 1 to 253 characters/,
    ],
  ])("%j is refused", (spec, message) => {
    expect(check(grant(spec))[0]).toMatch(message);
  });
});

describe("defaults", () => {
  it("of a Service are its protocols and target ports", () => {
    const [read] = resourcesFromObjects([service(PORTS)]).resources.list("Service");
    expect(read?.spec?.ports).toEqual([{ port: 80, protocol: "TCP", targetPort: 80 }]);
  });

  it("of an EndpointSlice are its endpoints, protocols and port names", () => {
    const slice = {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: "s" },
      addressType: "IPv4",
      ports: [{ port: 80 }],
    };
    const [read] = resourcesFromObjects([slice]).resources.list("EndpointSlice");
    expect(read?.endpoints).toEqual([]);
    expect(read?.ports).toEqual([{ port: 80, name: "", protocol: "TCP" }]);
  });

  it("of a Namespace are a label with its name", () => {
    const namespace = {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "a", labels: { b: "c" } },
    };
    const [read] = resourcesFromObjects([namespace]).resources.list("Namespace");
    expect(read?.metadata.labels).toEqual({ b: "c", "kubernetes.io/metadata.name": "a" });
  });

  it("leave the given object as it was", () => {
    const given = service({ ports: [{ port: 80, name: null }] });
    const copy = structuredClone(given);
    resourcesFromObjects([given]);
    expect(given).toEqual(copy);
  });
});
