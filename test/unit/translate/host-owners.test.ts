import { Derived, Input } from "../../../src/engine/tables.js";
import { type HostClaims, HostOwners } from "../../../src/translate/host-owners.js";
import {
  alb2,
  frontend,
  ingress,
  rule,
  rules,
  service,
  translated,
} from "../../support/translated.js";

const OLD = "2024-01-01T00:00:00Z";
const YOUNG = "2024-02-01T00:00:00Z";
const BACKENDS = service("web", "old") + service("web", "young");

function at(
  namespace: "old" | "young",
  hosts: Readonly<Record<string, readonly string[]>>,
  annotations: Readonly<Record<string, string>> = {},
): string {
  const created = namespace === "old" ? OLD : YOUNG;
  return ingress("web", { namespace, created, annotations, spec: rules(hosts) });
}

function tried(yaml: string, options: Parameters<typeof translated>[1] = {}): readonly string[] {
  return translated(yaml + BACKENDS, options).tried(80);
}

test("the owner of hosts that nothing names changes with the age of default backends", () => {
  const of = (namespace: string, creationTimestamp: string) => ({
    object: {
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: { namespace, name: "rest", creationTimestamp },
    },
    hosts: [],
    takesRest: true,
  });
  const claims = new Input<readonly HostClaims[]>();
  const owners = new HostOwners(claims, 0, { sharedHosts: false });
  const [old, young, older] = [of("b", OLD), of("a", YOUNG), of("a", "2023-01-01T00:00:00Z")];
  claims.set("b", [old]);
  claims.set("a", [young]);
  owners.update();
  const readers = new Input<"a">();
  const owner = new Derived(readers, (namespace, read) => {
    return owners.factsFor(namespace, read)({ kind: "exact", host: "x.example" }).owner;
  });
  readers.set("reader", "a");
  owner.update();
  expect(owner.get("reader")).toBe(old.object);
  claims.set("a", [older]);
  owners.update();
  owner.update();
  expect(owner.get("reader")).toBe(older.object);
});

describe("a host belongs to the namespace with the oldest object that names it", () => {
  it("whose paths come before narrower ones of others", () => {
    const yaml = at("old", { "a.example": ["/"] }) + at("young", { "a.example": ["/login"] });
    const [first, second] = [
      "a.example prefix / → ingress/old/web/0-0",
      "a.example prefix /login/ → ingress/young/web/0-0",
    ];
    expect(tried(yaml)).toEqual([first, second]);
    expect(tried(yaml, { sharedHosts: true })).toEqual([second, first]);
  });

  it("and so do the names below its wildcard", () => {
    const yaml = at("old", { "*.example": ["/"] }) + at("young", { "a.example": ["/"] });
    const [first, second] = [
      "*.example prefix / → ingress/old/web/0-0",
      "a.example prefix / → ingress/young/web/0-0",
    ];
    expect(tried(yaml)).toEqual([first, second]);
    expect(tried(yaml, { sharedHosts: true })).toEqual([second, first]);
  });

  it("but not every host to an object without one", () => {
    const yaml = at("old", { "": ["/"] }) + at("young", { "a.example": ["/"] });
    expect(tried(yaml)).toEqual([
      "a.example prefix / → ingress/young/web/0-0",
      "prefix / → ingress/old/web/0-0",
    ]);
  });

  it("unless an option lets the priorities of a namespace count among all", () => {
    const annotations = { "alb.cpaas.io/ingress-rule-priority-0-0": "1" };
    const yaml = at("old", { "a.example": ["/"] }) + at("young", { "": ["/"] }, annotations);
    expect(tried(yaml)[0]).toBe("a.example prefix / → ingress/old/web/0-0");
    const options = { ingressPriorityNamespaces: ["young"] };
    expect(tried(yaml, options)[0]).toBe("prefix / → ingress/young/web/0-0");
  });

  it("which may be the one of a Rule, whose priority counts first", () => {
    const balancer =
      alb2("alb", { projects: ["ALL_ALL"] }) +
      frontend("ft", "alb", { port: 80, protocol: "http" });
    const dslx = [{ type: "HOST", values: [["EQ", "a.example"]] }];
    const first = (created: string, priority: number): string | undefined => {
      const named = rule("r", { dslx, priority, serviceGroup: { services: [] } }, { created });
      const between = ingress("web", {
        namespace: "old",
        created: "2024-01-15T00:00:00Z",
        spec: rules({ "a.example": ["/"] }),
      });
      return tried(balancer + named + between)[0]?.split(" → ")[1];
    };
    expect(first(OLD, 5)).toBe("rule/cpaas-system/r");
    expect(first(YOUNG, 5)).toBe("ingress/old/web/0-0");
    expect(first(YOUNG, 4)).toBe("rule/cpaas-system/r");
  });
});

describe("a path that another namespace hides", () => {
  it.each<[string, Record<string, readonly string[]>, Record<string, readonly string[]>, number]>([
    ["by its root", { "a.example": ["/"] }, { "a.example": ["/x/y"] }, 1],
    ["by a prefix", { "a.example": ["/x"] }, { "a.example": ["/x/y", "/xy"] }, 1],
    ["by a wildcard", { "*.example": ["/x"] }, { "a.example": ["/x", "/"] }, 1],
    ["not at all", { "a.example": ["/x/y"] }, { "a.example": ["/x", "/"], "*.example": ["/"] }, 0],
  ])("%s is reported", (_what, older, younger, count) => {
    const result = translated(at("old", older) + at("young", younger) + BACKENDS);
    expect(result.messages("INGRESS_PATH_SHADOWED")).toHaveLength(count);
    expect(result.reports.every((report) => report.includes("Ingress young/web"))).toBe(true);
  });
});
