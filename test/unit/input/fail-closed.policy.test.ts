import type { AuthPolicy } from "../../../src/api/auth.js";
import type { ResourceRef } from "../../../src/diagnostics/diagnostic.js";
import { resourcesFromObjects, resourcesFromYaml } from "../../../src/input/load.js";
import { lines } from "../../support/input-fixtures.js";

const TARGET = { group: "gateway.networking.k8s.io", kind: "Gateway", name: "edge" };
const targetRefs = [TARGET, { ...TARGET, name: "other", sectionName: "https" }];

function read(spec: unknown): {
  readonly policy: AuthPolicy | undefined;
  readonly refused: readonly ResourceRef[];
  readonly report: readonly string[];
} {
  const { resources, diagnostics } = resourcesFromObjects([
    {
      apiVersion: "crd.alauda.io/v1alpha1",
      kind: "AuthPolicy",
      metadata: { name: "login", namespace: "shop" },
      spec,
    },
  ]);
  const [policy] = resources.list("AuthPolicy");
  return { policy, refused: resources.refused, report: lines(diagnostics) };
}

describe("an AuthPolicy", () => {
  it.each([
    [{}],
    [{ targetRefs: [] }],
    [{ basic: { secret: "a/b" }, targetRefs }],
    [{ forward: { url: "http://auth/" } }],
  ])("%j is taken as it is", (spec) => {
    expect(read(spec)).toMatchObject({ policy: { spec }, report: [], refused: [] });
  });

  it.each([
    ["a wrong type", { basic: { realm: 1 } }, /spec.basic.realm: realm must be a string, but is 1/],
    ["an empty part", { basic: null }, /spec.basic: basic must be a mapping, but is empty/],
    ["an unknown part", { Basic: {} }, /spec.Basic: spec has no field Basic/],
    ["an unknown field", { forward: { ulr: "x" } }, /spec.forward.ulr: spec has no field ulr/],
    ["too much indentation", { auth: { basic: {} } }, /spec.auth: spec has no field auth/],
    ["a claim of its own", { invalid: "x" }, /spec.invalid: spec has no field invalid/],
  ])("with %s closes what it is for", (_name, auth, message) => {
    const { policy, refused, report } = read({ ...auth, targetRefs });
    expect(report).toEqual([expect.stringMatching(message)]);
    expect(report[0]).toMatch(/^AUTH_CONFIG_INVALID /);
    expect(policy?.spec).toEqual({ targetRefs, invalid: expect.any(String) as string });
    expect(refused).toEqual([]);
  });

  it.each([
    ["no spec", undefined, /FIELD_MISSING spec/],
    ["an empty spec", null, /FIELD_INVALID spec: spec must be a mapping/],
    ["text for targets", { targetRefs: "edge" }, /targetRefs must be a list/],
    [
      "a target without group",
      { targetRefs: [{ kind: "Gateway", name: "edge" }] },
      /needs the field group/,
    ],
    [
      "targets that are misspelt",
      { targetRef: TARGET },
      /spec.targetRef: spec has no field targetRef/,
    ],
  ])("with %s is refused: nobody can say what it is for", (_name, spec, message) => {
    const { policy, refused, report } = read(spec);
    expect(report).toEqual([expect.stringMatching(message)]);
    expect(policy).toBeUndefined();
    expect(refused).toEqual([expect.objectContaining({ kind: "AuthPolicy", name: "login" })]);
  });

  it("with targets in other letters closes them", () => {
    const { policy, report } = read({ TargetRefs: [TARGET] });
    expect(report).toEqual([expect.stringMatching(/spec.TargetRefs: spec has no field/)]);
    expect(policy?.spec).toEqual({ targetRefs: [TARGET], invalid: "it can't be read" });
  });
});

test("an AuthPolicy whose name can't be read is there, although refused", () => {
  const { resources } = resourcesFromYaml(`
apiVersion: crd.alauda.io/v1alpha1
kind: AuthPolicy
metadata: { name: off, namespace: web }
spec: { basic: { secret: web/users } }
`);
  expect(resources.refused).toEqual([
    expect.objectContaining({ kind: "AuthPolicy", namespace: "web", name: "" }),
  ]);
});
