import { check, gatewayObject } from "../../../support/input-fixtures.js";

type Fields = Readonly<Record<string, unknown>>;

const BACKEND = { name: "db", port: 5432 };

function route(kind: string, backends: readonly Fields[], more: Fields = {}): Fields {
  const hostnames = kind === "TLSRoute" ? { hostnames: ["a.example"] } : {};
  return gatewayObject(kind, { ...hostnames, rules: [{ backendRefs: backends }], ...more });
}

describe.each(["TLSRoute", "TCPRoute", "UDPRoute"])("a %s", (kind) => {
  it.each([
    ["with one rule", route(kind, [BACKEND])],
    [
      "with weights",
      route(kind, [
        { ...BACKEND, weight: 0 },
        { ...BACKEND, weight: 1_000_000 },
      ]),
    ],
    [
      "with a kind that is not known",
      route(kind, [{ group: "a.example", kind: "Db", name: "db" }]),
    ],
    ["with parents", route(kind, [BACKEND], { parentRefs: [{ name: "a" }, { name: "b" }] })],
  ])("%s is taken", (_name, object) => {
    expect(check(object)).toEqual([]);
  });

  it.each([
    [route(kind, [BACKEND], { rules: [] }), /spec.rules/],
    [
      route(kind, [], { rules: [{ backendRefs: [BACKEND] }, { backendRefs: [BACKEND] }] }),
      /spec.rules/,
    ],
    [route(kind, []), /spec.rules\[0\].backendRefs/],
    [route(kind, [{ ...BACKEND, weight: 1_000_001 }]), /weight/],
    [route(kind, [{ name: "db" }]), /FIELD_MISSING .*needs a port/],
    [route(kind, [BACKEND], { parentRefs: [{ name: "a" }, { name: "a" }] }), /stands twice/],
  ])("%j is refused: %s", (object, expected) => {
    const [finding = "nothing", ...others] = check(object);
    expect(finding).toMatch(expected);
    expect(others).toEqual([]);
  });
});

it("a TLSRoute of v1alpha2 needs no hostnames", () => {
  const old = { ...route("TLSRoute", [BACKEND], { hostnames: undefined }) };
  expect(check({ ...old, apiVersion: "gateway.networking.k8s.io/v1alpha2" })).toEqual([]);
});

it.each([
  ["none", undefined],
  ["an empty list", []],
  ["upper case", ["A.example"]],
  ["a wildcard in the middle", ["a.*.example"]],
])("a TLSRoute needs hostnames: %s", (_name, hostnames) => {
  const object = route("TLSRoute", [BACKEND], { hostnames });
  expect(check(object)).toEqual([expect.stringMatching(/spec.hostnames/)]);
});
