import { DEFAULT_INPUT_OPTIONS } from "../../../src/input/kind-table.js";
import { LiveObjects } from "../../../src/input/object-store.js";
import { service } from "../../support/input-fixtures.js";

const metadata = { name: "web", namespace: "shop" };
const PORTS = { ports: [{ port: 80 }] };

function live(...names: readonly string[]): LiveObjects {
  const objects = new LiveObjects(DEFAULT_INPUT_OPTIONS);
  for (const name of names) put(objects, name);
  return objects;
}

function put(objects: LiveObjects, name: string, spec = PORTS): void {
  objects.put("Service", "shop", name, service(spec, { ...metadata, name }));
}

function slice(name: string, label: string): object {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name, namespace: "shop", labels: { "kubernetes.io/service-name": label } },
    addressType: "IPv4",
  };
}

it("lists objects by name and finds each", () => {
  const objects = live("b", "c", "a");
  const { resources } = objects.snapshot();
  expect(resources.list("Service").map((each) => each.metadata.name)).toEqual(["a", "b", "c"]);
  expect(resources.get("Service", "shop", "b")?.metadata.name).toBe("b");
  expect(resources.get("Service", "other", "b")).toBeUndefined();
  expect(resources.get("Secret", "shop", "b")).toBeUndefined();
  expect(objects.size).toBe(3);
});

it("leaves earlier snapshots as they were", () => {
  const objects = live("a", "b");
  const before = objects.snapshot().resources;
  put(objects, "b", { ports: [{ port: 81 }] });
  objects.delete("Service", "shop", "a");
  const after = objects.snapshot().resources;
  expect(before.list("Service")).toHaveLength(2);
  expect(before.get("Service", "shop", "b")?.spec?.ports?.[0]?.port).toBe(80);
  expect(after.list("Service")).toHaveLength(1);
  expect(after.get("Service", "shop", "b")?.spec?.ports?.[0]?.port).toBe(81);
});

it("shares the lists of unchanged kinds", () => {
  const objects = live("a");
  const before = objects.snapshot().resources;
  objects.put("ConfigMap", "shop", "c", { apiVersion: "v1", kind: "ConfigMap", metadata });
  const after = objects.snapshot().resources;
  expect(after.list("Service")).toBe(before.list("Service"));
  expect(after.list("Secret")).toBe(before.list("Secret"));
  expect(after.list("ConfigMap")).toHaveLength(1);
});

it("reports a refused object until it is valid or deleted", () => {
  const objects = live();
  put(objects, "a", { ports: [] });
  const refused = objects.snapshot();
  expect(refused.diagnostics.map(({ code }) => code)).toEqual(["FIELD_MISSING"]);
  expect(refused.resources.refused.map(({ name }) => name)).toEqual(["a"]);
  expect(refused.resources.list("Service")).toEqual([]);
  put(objects, "a");
  expect(objects.snapshot()).toMatchObject({ diagnostics: [], resources: { refused: [] } });
  objects.delete("Service", "shop", "a");
  put(objects, "a", { ports: [] });
  expect(objects.snapshot().resources.list("Service")).toEqual([]);
  objects.delete("Service", "shop", "a");
  expect(objects.snapshot()).toMatchObject({ diagnostics: [], resources: { refused: [] } });
  expect(objects.size).toBe(0);
});

it.each(["before", "after"])("keeps the last valid version, refused %s a snapshot", (when) => {
  const objects = live("a");
  if (when === "after") objects.snapshot();
  put(objects, "a", { ports: [] });
  for (const { resources, diagnostics } of [objects.snapshot(), objects.snapshot()]) {
    expect(resources.get("Service", "shop", "a")?.spec?.ports?.[0]?.port).toBe(80);
    expect(resources.refused).toEqual([]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["LAST_GOOD_KEPT", "FIELD_MISSING"]);
    put(objects, "a", { ports: [] });
  }
  objects.delete("Service", "shop", "a");
  expect(objects.snapshot().resources.list("Service")).toEqual([]);
});

it("closes the hosts and paths of an object that was never valid, and says which", () => {
  const objects = live();
  const http = { paths: [{ path: "/a", pathType: "Prefix" }] };
  const spec = { rules: [{ host: "a.example", http }] };
  const ingress = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata, spec };
  objects.put("Ingress", "shop", "web", ingress);
  const { resources, diagnostics } = objects.snapshot();
  expect(resources.get("Ingress", "shop", "web")?.closed).toBeDefined();
  expect(diagnostics.map(({ code, message }) => [code, message])).toContainEqual([
    "OBJECT_CLOSED",
    "until the object is valid, this answers 503: a.example/a",
  ]);
});

it("groups EndpointSlices by their Service, and moves one whose label changes", () => {
  const objects = live();
  for (const name of ["b", "a"]) objects.put("EndpointSlice", "shop", name, slice(name, "web"));
  const before = objects.snapshot().resources.slices;
  objects.put("EndpointSlice", "shop", "a", slice("a", "api"));
  const after = objects.snapshot().resources.slices;
  const names = (slices: typeof before, of: string) =>
    slices.get("shop", of)?.map((each) => each.metadata.name);
  expect([names(before, "web"), names(before, "api")]).toEqual([["a", "b"], undefined]);
  expect([names(after, "web"), names(after, "api")]).toEqual([["b"], ["a"]]);
  const at = { namespace: "shop" };
  expect(after.differences(before)).toEqual(
    expect.arrayContaining([
      { ...at, name: "web" },
      { ...at, name: "api" },
    ]),
  );
  expect(after.differences(after)).toEqual([]);
});

it("mixes two snapshots by namespace, and tells them apart", () => {
  const objects = live("a", "b");
  const in2 = (name: string, port: number): void => {
    const object = service({ ports: [{ port }] }, { name, namespace: "other" });
    objects.put("Service", "other", name, object);
  };
  in2("x", 80);
  objects.put("EndpointSlice", "shop", "s", slice("s", "a"));
  const before = objects.snapshot().resources;
  put(objects, "b", { ports: [{ port: 81 }] });
  put(objects, "c", { ports: [] });
  objects.delete("Service", "shop", "a");
  objects.delete("EndpointSlice", "shop", "s");
  in2("x", 81);
  in2("y", 80);
  const after = objects.snapshot().resources;
  const named = (resources: typeof before) =>
    resources
      .changesSince(before)
      .map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
  expect(named(after).sort()).toEqual([
    "EndpointSlice shop/s",
    "Service other/x",
    "Service other/y",
    "Service shop/a",
    "Service shop/b",
    "Service shop/c",
  ]);
  const mixed = after.keeping(before, new Set(["shop"]));
  expect(named(mixed).sort()).toEqual(["Service other/x", "Service other/y"]);
  const listed = mixed
    .list("Service")
    .map(({ metadata: { namespace, name }, spec }) => [
      ...[namespace, name, spec?.ports?.[0]?.port],
    ]);
  expect(listed).toEqual([
    ["other", "x", 81],
    ["other", "y", 80],
    ["shop", "a", 80],
    ["shop", "b", 80],
  ]);
  expect(mixed.refused).toEqual([]);
  expect(mixed.slices.get("shop", "a")).toHaveLength(1);
  expect(mixed.slices.differences(before.slices)).toEqual([]);
  expect(after.keeping(before, new Set()).changesSince(after)).toEqual([]);
});
