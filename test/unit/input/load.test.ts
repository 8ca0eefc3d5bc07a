import { DEFAULT_INPUT_OPTIONS } from "../../../src/input/kind-table.js";
import {
  type LoadResult,
  advance,
  initialInput,
  loadResources,
  resourcesFromObjects,
  resourcesFromYaml,
} from "../../../src/input/load.js";
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

/** The host of each Ingress, and whether it is closed. */
const served = ({ resources }: Pick<LoadResult, "resources">) =>
  resources.list("Ingress").map(({ spec, closed }) => [spec?.rules?.[0]?.host, closed]);

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

  it.each([
    ["Ingress", "a.example", "a.example", "this one is not served"],
    ["Ingress", "a.example", "b.example", "this one differs, so its paths answer 503"],
    ["Gateway", "a.example", "b.example", "they differ, so both are closed"],
  ] as const)("says what becomes of a second %s: %s, then %s", (kind, one, other, effect) => {
    const text = (host: string): string =>
      kind === "Ingress"
        ? `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: x}\nspec: {rules: [{host: ${host}}]}\n`
        : `apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: x}\nspec: {gatewayClassName: c, listeners: [{name: l, port: 80, protocol: HTTP, hostname: ${host}}]}\n`;
    const { diagnostics } = loadResources([
      { path: "a.yaml", text: text(one) },
      { path: "b.yaml", text: text(other) },
    ]);
    expect(diagnostics.map(({ message }) => message.replace(/^.*; /, ""))).toEqual([effect]);
  });

  it.each(["shop", "on", "7", "[shop]", '""', "Shop", "null"])(
    "loses none of two Ingresses with one name in the namespace %s, nor their protection",
    (namespace) => {
      const start = initialInput(DEFAULT_INPUT_OPTIONS);
      const read = (state: typeof start, ...hosts: readonly string[]) =>
        advance(state, [{ path: "a.yaml", text: hosts.map(ingress).join("---\n") }]);
      const ingress = (host: string) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: x, namespace: ${namespace}, annotations: {a/auth-type: basic}}
spec: {rules: [{host: ${host}, http: {paths: []}}]}
`;
      const both = read(start, "a.example", "b.example");
      const hosts = served(both).map(([host]) => host);
      expect(hosts.sort()).toEqual(["a.example", "b.example"]);
      const alone = read(start, "b.example");
      const isSound = alone.diagnostics.length === 0;
      // The second is closed in any case.
      expect(served(both).filter(([, closed]) => closed !== undefined)).toHaveLength(
        isSound ? 1 : 2,
      );
      expect(served(read(both.state, "b.example"))).toEqual(served(alone));
    },
  );

  it.each(["shop", "7"])(
    "keeps a refused Ingress closed beside a valid one of its name, namespace %s",
    (namespace) => {
      const ingress = (
        host: string,
        pathType: string,
        of: string,
      ) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: x, namespace: ${of}, annotations: {a/auth-type: basic}}
spec: {rules: [{host: ${host}, http: {paths: [{path: /, pathType: ${pathType}, backend: {service: {name: s, port: {number: 80}}}}]}}]}
`;
      const own = namespace === "7" ? "default" : namespace;
      const read = (state: ReturnType<typeof initialInput>, b: string, comment = "") =>
        advance(state, [
          { path: "a.yaml", text: ingress("a.example", "Prefix", own) + comment },
          { path: "b.yaml", text: ingress("b.example", b, namespace) },
        ]);
      const start = initialInput(DEFAULT_INPUT_OPTIONS);
      const fresh = served(read(start, "Bad"));
      expect(fresh.map(([host]) => host).sort()).toEqual(["a.example", "b.example"]);
      const before = read(read(start, "Prefix").state, "Bad");
      expect(served(before)).toEqual(fresh);
      expect(served(read(before.state, "Bad", "# more\n"))).toEqual(fresh);
    },
  );

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
