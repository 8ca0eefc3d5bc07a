import type { Auth } from "../../../src/api/auth.js";
import { resourcesFromObjects, resourcesFromYaml } from "../../../src/input/load.js";
import { lines, rule } from "../../support/input-fixtures.js";

function read(spec: object): {
  readonly auth: Auth | undefined;
  readonly report: readonly string[];
} {
  const { resources, diagnostics } = resourcesFromObjects([rule(spec as Record<string, unknown>)]);
  const [object] = resources.list("Rule");
  return { auth: object?.spec.config?.auth, report: lines(diagnostics) };
}

describe("an Auth object", () => {
  it.each([
    [{}],
    [{ basic: { secret: "a/b", secret_type: "auth-map", realm: "", auth_type: "digest" } }],
    [{ forward: { url: "http://$host/", upstream_headers: [], always_set_cookie: true } }],
  ])("%j is taken as it is", (auth) => {
    expect(read({ config: { auth } })).toEqual({ auth, report: [] });
  });

  it.each([
    [
      "a wrong type",
      { config: { auth: { forward: { always_set_cookie: "true" } } } },
      /auth.forward.always_set_cookie: always_set_cookie must be true or false/,
    ],
    ["a list", { config: { auth: [] } }, /auth: auth must be a mapping, but is a list/],
    ["text", { config: { auth: "basic" } }, /auth must be a mapping, but is "basic"/],
    ["an unknown part", { config: { auth: { Basic: {} } } }, /auth.Basic: auth has no field Basic/],
    [
      "an unknown field",
      { config: { auth: { forward: { ulr: "x" } } } },
      /auth.forward.ulr: auth has no field ulr/,
    ],
    [
      "a claim of its own",
      { config: { auth: { invalid: "x" } } },
      /auth.invalid: auth has no field invalid/,
    ],
    [
      "an empty part",
      { config: { auth: { basic: null } } },
      /auth.basic: basic must be a mapping, but is empty/,
    ],
    ["nothing", { config: { auth: null } }, /config.auth: auth is empty/],
    [
      "a misspelt name",
      { config: { Auth: {} } },
      /config.Auth: spec.config has no field Auth; it looks like an auth setting/,
    ],
    ["letters swapped", { config: { atuh: { basic: {} } } }, /config.atuh/],
    ["the wrong place", { auth: {} }, /spec.auth: spec has no field auth/],
    ["too little indentation", { config: { forward: {} } }, /spec.config.forward/],
  ])("that is %s closes its paths", (_name, spec, message) => {
    const { auth, report } = read(spec);
    expect(report).toEqual([expect.stringMatching(message)]);
    expect(report[0]).toMatch(/^AUTH_CONFIG_INVALID /);
    expect(Object.keys(auth ?? {})).toEqual(["invalid"]);
    expect(report[0]).toContain(auth?.invalid);
  });

  it("that is broken leaves the rest of the object served", () => {
    const yaml = `apiVersion: crd.alauda.io/v2
kind: ALB2
metadata: {name: alb}
spec:
  type: nginx
  config:
    projects: [a]
    auth:
    basic:
      secret: a/b
`;
    const { resources, diagnostics } = resourcesFromYaml(yaml);
    const [alb] = resources.list("ALB2");
    expect(alb?.spec?.config?.projects).toEqual(["a"]);
    expect(alb?.spec?.config?.auth).toEqual({ invalid: expect.any(String) as string });
    expect(diagnostics.map(({ location }) => location?.line)).toEqual([8, 9]);
  });

  it("closes the object where a field sounds like one", () => {
    expect(read({ config: { oauth: {} } }).report).toEqual([
      expect.stringContaining("FIELD_MISPLACED"),
    ]);
  });
});
