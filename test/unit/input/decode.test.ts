import { DEFAULT_INPUT_OPTIONS, kindTable } from "../../../src/input/kind-table.js";
import { decode } from "../../../src/input/decode.js";
import { resourcesFromObjects, resourcesFromYaml } from "../../../src/input/load.js";
import { check, ingress, lines, service } from "../../support/input-fixtures.js";

const TABLE = kindTable(DEFAULT_INPUT_OPTIONS.albGroup);
const PORTS = { ports: [{ port: 80 }] };

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
      const decoded = decode(value, TABLE, []);
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
  const object = ingress({ rulez: [], rules: [{}] });

  it("refuse an object of a file, with the name that was probably meant", () => {
    const { resources, diagnostics } = resourcesFromYaml(JSON.stringify(object));
    expect(lines(diagnostics)).toEqual(["FIELD_UNKNOWN spec.rulez: spec has no field rulez"]);
    expect(diagnostics.map((diagnostic) => diagnostic.hint)).toEqual(["did you mean rules?"]);
    expect(resources.list("Ingress")).toEqual([]);
  });

  it("of an object from an API server are ignored", () => {
    const { resources, diagnostics } = resourcesFromObjects([object]);
    expect(diagnostics).toEqual([]);
    expect(resources.list("Ingress")).toHaveLength(1);
  });

  it("of an ALB2 are those that neither albc nor the origin has", () => {
    const refused = (config: object) =>
      lines(
        resourcesFromYaml(
          JSON.stringify({
            apiVersion: "crd.alauda.io/v2beta1",
            kind: "ALB2",
            metadata: { name: "alb" },
            spec: { type: "nginx", config },
          }),
        ).diagnostics,
      ).filter((line) => line.startsWith("FIELD"));
    expect(refused({ enablePrometheus: "true", gateway: { mode: "shared" } })).toEqual([]);
    expect(refused({ ingressHttpPort: 80, replica: 1 })).toEqual([
      "FIELD_UNKNOWN spec.config.ingressHttpPort: spec.config has no field ingressHttpPort",
      "FIELD_UNKNOWN spec.config.replica: spec.config has no field replica",
    ]);
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
