/** A method that one place knows and another does not would protect nothing, and nobody would be told. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { resourcesFromYaml } from "../../../../src/input/load.js";
import { METHODS, methodAnnotations } from "../../../../src/translate/auth/methods.js";
import { findAnnotation } from "../../../../src/translate/ingress/annotation-table.js";
import { gateway, httpRoute, WEB } from "../../../support/gateway-route-objects.js";
import { POLICY_SCHEMA } from "../../../support/policy-schema.js";
import { alb2, frontend, rule, service, translated } from "../../../support/translated.js";

const ROOT = join(import.meta.dirname, "../../../..");
const FIELDS = METHODS.map(({ field }) => field);
const RULE = {
  dslx: [{ type: "URL", values: [["STARTS_WITH", "/"]] }],
  serviceGroup: { services: [{ name: "web", namespace: "default", port: 80, weight: 1 }] },
};

function ruleWith(spec: object) {
  return translated(
    service("web") +
      alb2("alb", { ingressHTTPPort: 0, ingressHTTPSPort: 0 }) +
      frontend("ft", "alb", { port: 80, protocol: "http" }) +
      rule("r", { ...RULE, ...spec }),
  );
}

function policyWith(spec: object): object {
  return {
    apiVersion: "crd.alauda.io/v1alpha1",
    kind: "AuthPolicy",
    metadata: { name: "login", namespace: "default" },
    spec,
  };
}

const TARGETS = [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "r" }];

describe.each(FIELDS)("the method %s", (field) => {
  it("protects what an AuthPolicy with it alone is for", () => {
    const policy = JSON.stringify(policyWith({ [field]: {}, targetRefs: TARGETS }));
    const { config } = translated(
      `${gateway()}${httpRoute("r", [{ backendRefs: WEB }])}---\n${policy}\n`,
    );
    expect(config.routes).toMatchObject([{ auth: ["authpolicy/default/login"] }]);
  });

  it("protects a Rule whose Auth object has it alone", () => {
    const { route, config } = ruleWith({ config: { auth: { [field]: {} } } });
    expect(config.auths).toMatchObject([{ source: "spec.config.auth" }]);
    expect(route("rule/cpaas-system/r").auth).toEqual(config.auths.map(({ id }) => id));
  });

  it.each([{ [field]: {} }, { config: { [field]: {} } }])(
    "refuses a Rule that has it in the wrong place: %j",
    (spec) => {
      const { route } = ruleWith(spec);
      const path = "config" in spec ? "spec.config" : "spec";
      expect(route("rule/cpaas-system/r").refuse).toEqual([
        503,
        `AuthFail : invalid cfg ${path}.${field}`,
      ]);
    },
  );

  it("refuses what an AuthPolicy does not know", () => {
    const policy = JSON.stringify(policyWith({ [field]: { nonsense: 1 } }));
    expect(resourcesFromYaml(policy).diagnostics).toMatchObject([{ code: "FIELD_UNKNOWN" }]);
  });

  it("is in the schemas of policy.json and of each CustomResourceDefinition", () => {
    expect(POLICY_SCHEMA.definitions?.["PolicyAuth"]?.properties).toHaveProperty(field);
    for (const plural of ["alaudaloadbalancer2", "frontends", "rules", "authpolicies"]) {
      const text = readFileSync(join(ROOT, `deploy/crds/crd.alauda.io_${plural}.yaml`), "utf8");
      expect(text).toMatch(new RegExp(`^ +${field}:$`, "m"));
    }
  });

  it("has annotations that close their path", () => {
    const annotations = METHODS.filter((method) => method.field === field).flatMap(
      methodAnnotations,
    );
    expect(annotations).not.toEqual([]);
    for (const [, { name }] of annotations) {
      expect(findAnnotation(name)).toMatchObject({ supported: true, fallback: "closed" });
    }
  });
});

it("the data plane checks them in the same order", () => {
  const lua = (path: string) => readFileSync(join(ROOT, `lua/alb/auth/${path}.lua`), "utf8");
  const modules = [...lua("methods").matchAll(/require\("alb\.auth\.(\w+)"\)/g)];
  const checked = modules.map(([, name = ""]) => /field = "(\w+)"/.exec(lua(name))?.[1]);
  expect(checked.filter((field) => field !== "external")).toEqual(FIELDS);
});
