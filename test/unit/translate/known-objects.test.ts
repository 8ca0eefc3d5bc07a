import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import { Derived } from "../../../src/engine/tables.js";
import { resourcesFromYaml } from "../../../src/input/load.js";
import { keyOfObject } from "../../../src/translate/keys.js";
import { KnownObjects, ObjectTables, following } from "../../../src/translate/known-objects.js";

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
    return texts.map((text) =>
      known
        .changed(resourcesFromYaml(text).resources)
        .map(({ before, now }) => before ?? now)
        .flatMap((object) => (object ? keyOfObject(object) : [])),
    );
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

test("lookups follow the tables, also those in vain, and lists are refused", () => {
  const tables = new ObjectTables();
  const read = new Derived(tables.routes, (_, read) => {
    const resources = following(tables, read);
    expect(() => resources.list("Secret")).toThrow("Secret");
    resources.grants("m");
    return [resources.get("ConfigMap", "ns", "a"), resources.get("Secret", "ns", "none")];
  });
  tables.update(resourcesFromYaml(configMap("a")).resources);
  tables.routes.set("route", true);
  read.update();
  expect(read.get("route")).toEqual([expect.objectContaining({ kind: "ConfigMap" }), undefined]);
  const keys = ["ReferenceGrant/m", "ConfigMap/ns/a", "Secret/ns/none"];
  expect(read.readsOf("route")).toEqual(keys);
});

test("objects of kinds that are translated one by one are rows until they are removed", () => {
  const tables = new ObjectTables();
  const policy = (name: string): string =>
    `---\n{ apiVersion: "${DEFAULT_OPTIONS.domains.group}/v1alpha1", kind: AuthPolicy, metadata: { name: ${name}, namespace: ns }, spec: {} }\n`;
  const rows = (text: string): readonly string[] => {
    tables.update(resourcesFromYaml(text).resources);
    return Array.from(tables.policies.entries(), ([key]) => key);
  };
  expect(rows(policy("a") + policy("b"))).toEqual(["AuthPolicy/ns/a", "AuthPolicy/ns/b"]);
  expect(rows(policy("b"))).toEqual(["AuthPolicy/ns/b"]);
});
