import { resourcesFromObjects, resourcesFromYaml } from "../../../src/input/load.js";

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

describe("resourcesFromYaml", () => {
  it("reads several documents and sorts by namespace and name", () => {
    const { resources, diagnostics } = resourcesFromYaml(TWO);
    expect(diagnostics).toEqual([]);
    expect(resources.list("Service").map((service) => service.metadata)).toEqual([
      { name: "a", namespace: "default" },
      { name: "b", namespace: "shop" },
    ]);
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
  });
});

describe("resourcesFromObjects", () => {
  it("takes objects that stand in no file", () => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" }, data: { a: "1" } };
    const { resources } = resourcesFromObjects([object]);
    expect(resources.get("ConfigMap", "default", "m")?.data).toEqual({ a: "1" });
  });
});
