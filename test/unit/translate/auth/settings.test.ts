import { DiagnosticSink } from "../../../../src/diagnostics/sink.js";
import { resourcesFromYaml } from "../../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import {
  type AuthOwner,
  AuthProblems,
  parseAuthReference,
  referencedObject,
} from "../../../../src/translate/auth/settings.js";
import { INGRESS, grant, secret } from "../../../support/auth-translator.js";

describe("a reference", () => {
  it.each([
    ["ns/name", undefined, { namespace: "ns", name: "name" }],
    ["ns/a.b-c", undefined, { namespace: "ns", name: "a.b-c" }],
    ["name", "own", { namespace: "own", name: "name" }],
  ])("%s with the own namespace %s", (text, own, value) => {
    expect(parseAuthReference(text, own)).toEqual({ ok: true, value });
  });

  it.each(["name", "NS/name", "n.s/name", "ns/name/x", "ns/", "/name", "ns/na me"])(
    "%j is none, and not shown",
    (text) => {
      const problem = "must be <namespace>/<name>";
      expect(parseAuthReference(text)).toEqual({ ok: false, problem });
    },
  );
});

const PLACE = { label: "auth-secret", field: ["spec"] };

function ownerOf(yaml = "", more: Partial<AuthOwner> & { readonly isOpen?: boolean } = {}) {
  const { resources } = resourcesFromYaml(yaml);
  const diagnostics = new DiagnosticSink();
  const options = { ...DEFAULT_OPTIONS, allowCrossNamespaceAuth: more.isOpen ?? false };
  const context = { resources, diagnostics, options };
  const problems = new AuthProblems(diagnostics, INGRESS);
  const owner: AuthOwner = {
    ...{ context, problems, resource: INGRESS, operator: false, sets: new Map() },
    ...more,
  };
  return { owner, codes: () => diagnostics.sorted().map(({ code }) => code) };
}

describe("the object of a reference", () => {
  const find = (yaml: string, value: string, more: Parameters<typeof ownerOf>[1] = {}) => {
    const { owner, codes } = ownerOf(yaml, more);
    const found = referencedObject(owner, "Secret", { ...PLACE, value }, true);
    return found?.shown ?? codes();
  };
  const SECRET = { kind: "Secret" };
  const FROM = [{ group: "networking.k8s.io", kind: "Ingress", namespace: "default" }];
  const GRANT = grant("other", { from: FROM, to: [{ group: "", ...SECRET }] });

  it.each<[string, Parameters<typeof find>, unknown]>([
    ["of the own namespace", [secret("default/a", {}), "a"], "secret default/a"],
    ["that is missing", ["", "a"], ["AUTH_REFERENCE_NOT_FOUND"]],
    ["of another one", [secret("other/a", {}), "other/a"], ["AUTH_REFERENCE_FORBIDDEN"]],
    ["of another one, missing", ["", "other/a"], ["AUTH_REFERENCE_FORBIDDEN"]],
    ["by a grant", [secret("other/a", {}) + GRANT, "other/a"], "secret other/a"],
    ["by the option", [secret("other/a", {}), "other/a", { isOpen: true }], "secret other/a"],
    ["of an operator", [secret("other/a", {}), "other/a", { operator: true }], "secret other/a"],
  ])("%s", (_, given, expected) => {
    expect(find(...given)).toEqual(expected);
  });
});

it("of a namespace whose Secrets are not read is not called missing", () => {
  const { owner } = ownerOf();
  const options = { ...owner.context.options, secretNamespaces: ["albc"] };
  const context = { ...owner.context, options };
  expect(referencedObject({ ...owner, context }, "Secret", { ...PLACE, value: "a" }, true)).toBe(
    undefined,
  );
  expect(owner.problems.invalid).toBe("secret default/a is not read");
  expect(context.diagnostics.reports[0]?.hint).toMatch(
    /^namespace default is not in the option secretNamespaces/,
  );
});

describe("problems", () => {
  it("close by the first failure, and not by a warning", () => {
    const { owner, codes } = ownerOf();
    owner.problems.warn("AUTH_URL_FRAGMENT", "a warning", PLACE);
    expect(owner.problems.invalid).toBeUndefined();
    owner.problems.fail("AUTH_CONFIG_INVALID", "the first", PLACE);
    owner.problems.fail("AUTH_UNSUPPORTED", "the second", PLACE);
    expect(owner.problems.invalid).toBe("the first");
    expect(codes().sort()).toEqual([
      "AUTH_CONFIG_INVALID",
      "AUTH_UNSUPPORTED",
      "AUTH_URL_FRAGMENT",
    ]);
  });

  it("of a value that can be used in part are warnings", () => {
    const { owner, codes } = ownerOf();
    const partly = { ok: true, value: 1, problem: "has more" } as const;
    expect(owner.problems.valueOf(partly, PLACE)).toBe(1);
    expect(owner.problems.invalid).toBeUndefined();
    expect(codes()).toEqual(["AUTH_SETTING_WITHOUT_EFFECT"]);
  });

  it("of an absent setting are none", () => {
    const { owner } = ownerOf();
    const parse = () => ({ ok: false, problem: "is wrong" }) as const;
    expect(owner.problems.optional(undefined, parse, "default")).toBe("default");
    expect(owner.problems.optional({ ...PLACE, value: "x" }, parse, "default")).toBeUndefined();
    expect(owner.problems.invalid).toBe("auth-secret is wrong");
  });
});
