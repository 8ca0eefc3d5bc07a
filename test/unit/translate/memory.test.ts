import { resourcesFromYaml } from "../../../src/input/load.js";
import { KnownObjects, Parts, Readers, Union, listening } from "../../../src/translate/memory.js";

function configMap(name: string, value = "1"): string {
  return `---\n{ apiVersion: v1, kind: ConfigMap, metadata: { name: ${name}, namespace: ns }, data: { key: "${value}" } }\n`;
}

function service(status: string): string {
  return `---\n{ apiVersion: v1, kind: Service, metadata: { name: web, namespace: ns }, spec: { ports: [{ port: 80 }] }, status: ${status} }\n`;
}

const GRANT = `---
apiVersion: gateway.networking.k8s.io/v1
kind: ReferenceGrant
metadata: { name: any, namespace: ns }
spec: { from: [{ group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: m }], to: [{ group: "", kind: Service }] }
`;

describe("known objects", () => {
  function changes(...texts: readonly string[]): readonly (readonly string[])[] {
    const known = new KnownObjects();
    return texts.map((text) => [...known.changedKeys(resourcesFromYaml(text).resources)]);
  }

  it("are all new at first, and then only those that were added, changed or removed", () => {
    const [a, b, c] = [configMap("a"), configMap("b"), configMap("c")];
    expect(changes(a + b, a + configMap("b", "2") + c, b)).toEqual([
      ["ConfigMap/ns/a", "ConfigMap/ns/b"],
      ["ConfigMap/ns/b", "ConfigMap/ns/c"],
      ["ConfigMap/ns/a", "ConfigMap/ns/b", "ConfigMap/ns/c"],
    ]);
  });

  it("do not change with the parts of a status that routing does not read", () => {
    const address = "{ loadBalancer: { ingress: [{ ip: 192.0.2.1 }] } }";
    const versions = [service("{}"), service("{ conditions: [] }"), service(address)];
    expect(changes(...versions)).toEqual([["Service/ns/web"], [], ["Service/ns/web"]]);
  });

  it("stand for their namespace if they are ReferenceGrants", () => {
    expect(changes(GRANT)).toEqual([["ReferenceGrant/ns"]]);
  });
});

test("a key's last reader is told from others", () => {
  const readers = new Readers();
  for (const reader of ["x", "y", "x"]) readers.add("key", reader);
  expect([...readers.of("key")]).toEqual(["x", "y"]);
  expect([readers.remove("key", "x"), readers.remove("key", "y")]).toEqual([false, true]);
  expect([readers.has("key"), ...readers.of("key")]).toEqual([false]);
});

describe("parts", () => {
  it("are found by what their translation read last, also where it came to nothing", () => {
    const unread: string[] = [];
    const parts = new Parts<{ readonly text: string }>((key) => unread.push(key));
    parts.update(["a", "b"], (key, reads) => {
      reads.add("shared").add(`own ${key}`);
      return key === "a" ? { text: "first" } : undefined;
    });
    expect(parts.readersOf(["shared"])).toEqual(["a", "b"]);
    parts.update(["b"], (_key, reads) => {
      reads.add("shared");
      return undefined;
    });
    expect(unread).toEqual(["own b"]);
    expect([parts.isRead("own a"), parts.isRead("own b")]).toEqual([true, false]);
  });

  it("tell what each was before, and translate an object once", () => {
    const parts = new Parts<{ readonly text: string }>();
    parts.update(["a"], () => ({ text: "first" }));
    const differences = parts.update(["a", "a"], () => undefined);
    expect(differences).toEqual([{ key: "a", before: { text: "first" }, now: undefined }]);
    expect([...parts.entries()]).toEqual([]);
  });
});

test("a value of a union stays as long as one part gives it", () => {
  const union = new Union<{ readonly id: string; readonly text: string }>();
  const [a, b] = [
    { id: "a", text: "1" },
    { id: "b", text: "1" },
  ];
  union.replace([], [b, a]);
  union.replace([], [b]);
  expect(union.values).toEqual([a, b]);
  const changed = { id: "b", text: "2" };
  union.replace([a, b], []);
  union.replace([b], [changed]);
  expect(union.values).toEqual([changed]);
});

test("lookups are noted, also those in vain, and lists are refused", () => {
  const reads = new Set<string>();
  const resources = listening(resourcesFromYaml(configMap("a")).resources, reads);
  expect(resources.get("ConfigMap", "ns", "a")).toBeDefined();
  expect(resources.get("Secret", "ns", "none")).toBeUndefined();
  resources.grants("m");
  expect([...reads]).toEqual(["ConfigMap/ns/a", "Secret/ns/none", "ReferenceGrant/m"]);
  expect(() => resources.list("Secret")).toThrow("Secret");
});
