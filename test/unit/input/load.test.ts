import { loadResources, resourcesFromObjects, resourcesFromYaml } from "../../../src/input/load.js";
import { lines, service } from "../../support/input-fixtures.js";

const TWO = `apiVersion: v1
kind: Service
metadata: {name: b, namespace: shop}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata:
  name: a
spec:
  ports:
    - port: 8080
`;
const named = (name: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata: {from: here}\n`;

describe("resourcesFromYaml", () => {
  it("reads several documents and sorts by namespace and name", () => {
    const { resources, diagnostics } = resourcesFromYaml(TWO);
    expect(diagnostics).toEqual([]);
    expect(resources.list("Service").map((object) => object.metadata)).toEqual([
      { name: "a", namespace: "default" },
      { name: "b", namespace: "shop" },
    ]);
    expect(resources.get("Service", "shop", "b")?.spec?.ports?.[0]?.port).toBe(80);
    expect(resources.get("Service", "default", "b")).toBeUndefined();
  });

  it("locates a field by its line and column in the file", () => {
    const { resources } = resourcesFromYaml(TWO);
    const ref = { apiVersion: "v1", kind: "Service", namespace: "default", name: "a" };
    expect(resources.locate(ref, ["spec", "ports", 0, "port"])).toEqual({
      file: "<text>",
      line: 12,
      column: 13,
      excerpt: "    - port: 8080",
    });
    expect(resources.locate({ ...ref, name: "x" }, [])).toBeUndefined();
  });

  it("takes lists apart, and lists in them", () => {
    const text = `apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
  - apiVersion: v1
    kind: ConfigMapList
    items:
      - metadata: {name: b}
        data: {x: w}
      - metadata: {name: C}
  - apiVersion: v1
    kind: List
`;
    const { resources, diagnostics } = resourcesFromYaml(text);
    expect(resources.list("ConfigMap").map((object) => object.metadata.name)).toEqual(["a", "b"]);
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "b" };
    expect(resources.locate(ref, ["data", "x"])).toMatchObject({ line: 9, column: 19 });
    expect(diagnostics).toMatchObject([
      { location: { line: 10, column: 26 } },
      { code: "OBJECT_MALFORMED", message: "List needs items" },
    ]);
  });

  it("points at the place of every problem", () => {
    const { diagnostics } = resourcesFromYaml(TWO.replace("port: 8080", "port: 0\n      nam: x"));
    expect(
      diagnostics.map(({ code, location }) => [code, location?.line, location?.column]),
    ).toEqual([
      ["FIELD_INVALID", 12, 13],
      ["FIELD_UNKNOWN", 13, 7],
    ]);
  });

  it("refuses a text with an error in any of its documents, and says where each is", () => {
    const { resources, diagnostics } = resourcesFromYaml(
      `${TWO}---\na: [ # ${"x".repeat(40)}\n---\nb: 'x\n`,
    );
    expect(resources.list("Service")).toEqual([]);
    expect(diagnostics.map(({ code, location }) => [code, location?.line])).toEqual([
      ["YAML_INVALID", 14],
      ["YAML_INVALID", 16],
    ]);
  });
});

describe("loadResources", () => {
  it("loses only the file that has an error", () => {
    const { resources, diagnostics } = loadResources([
      { path: "bad.yaml", text: "a: [" },
      { path: "good.yaml", text: named("x") },
      { path: "secret.yaml", unreadable: "permission denied" },
      { path: "gone.yaml", absent: true },
    ]);
    expect(resources.list("ConfigMap")).toHaveLength(1);
    expect(diagnostics.map(({ code, location }) => [code, location?.file])).toEqual([
      ["YAML_INVALID", "bad.yaml"],
      ["FILE_MISSING", "gone.yaml"],
      ["FILE_UNREADABLE", "secret.yaml"],
    ]);
  });

  it("keeps the first of two objects with one name and names both places", () => {
    const second = named("x").replace("here", "there");
    const { resources, diagnostics } = loadResources([
      { path: "b.yaml", text: named("x") },
      { path: "a.yaml", text: `---\n${second}` },
    ]);
    expect(resources.list("ConfigMap").map((object) => object.data)).toEqual([{ from: "here" }]);
    expect(diagnostics).toMatchObject([
      {
        code: "OBJECT_DUPLICATE",
        message: "there is already a ConfigMap default/x; this one is not served",
        location: { file: "a.yaml", line: 5, column: 9 },
        related: [{ location: { file: "b.yaml", line: 4, column: 9 } }],
      },
    ]);
  });

  it("takes a valid object beside a refused one of the same name", () => {
    const broken = named("x").replace("{from: here}", "[]");
    const { resources, diagnostics } = loadResources([
      { path: "a.yaml", text: broken },
      { path: "b.yaml", text: named("x") },
    ]);
    expect(resources.list("ConfigMap")).toHaveLength(1);
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual(["FIELD_INVALID"]);
  });

  it("tells which objects were refused", () => {
    const { resources } = loadResources([
      { path: "a.yaml", text: named("X") + "---\n" + named("y") },
    ]);
    expect(resources.refused).toEqual([
      { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "X" },
      // `y` is true for Kubernetes, and no name.
      { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "" },
    ]);
  });

  it("counts the kinds that it does not know", () => {
    const deployment = "apiVersion: apps/v1\nkind: Deployment\n";
    const { unknownKinds, diagnostics } = resourcesFromYaml(
      `${deployment}---\napiVersion: apps/v1\nkind: DaemonSet\n---\n${deployment}`,
    );
    expect(diagnostics).toEqual([]);
    expect(unknownKinds).toEqual([
      { apiVersion: "apps/v1", kind: "DaemonSet", count: 1 },
      { apiVersion: "apps/v1", kind: "Deployment", count: 2 },
    ]);
  });
});

describe("resources", () => {
  it("of objects without a file have no places", () => {
    const { resources, diagnostics } = resourcesFromObjects([
      service({ ports: [{ port: 80 }] }),
      service({ ports: [] }),
      service({ ports: [{ port: 80 }] }),
    ]);
    expect(lines(diagnostics)).toEqual([
      "OBJECT_DUPLICATE metadata.name: there is already a Service default/web; this one is not served",
      "FIELD_MISSING spec.ports: a Service needs at least one port",
    ]);
    const [ref] = resources.refused;
    expect(ref && resources.locate(ref, [])).toBeUndefined();
  });
});
