import { jest } from "@jest/globals";
import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import { BASIC } from "../../../../src/translate/auth/basic-auth.js";
import { IngressAnnotations } from "../../../../src/translate/ingress/annotations/annotation-reader.js";
import { ALB, HASH, compat, harness, own, secret } from "../../../support/auth-translator.js";

const USERS = secret("default/users", { auth: `foo:${HASH}\n` });
const URL = "http://auth.example/verify";
const OWNER = { resource: ALB, field: ["spec", "config", "auth"], operator: true };

/** The id of a policy that is named after its content. */
const SHARED = expect.stringMatching(/^auth-[0-9a-f]{32}$/) as unknown;

describe("an Auth object", () => {
  it("that is empty configures nothing to check", () => {
    const { translator } = harness();
    expect(translator.fromObject({}, OWNER)).toEqual([]);
    expect(translator.collected().auths).toEqual([]);
  });

  it("whose method gives neither a check nor a problem closes its paths", () => {
    for (const result of [undefined, { policy: {} }]) {
      const translate = jest.spyOn(BASIC, "translate").mockReturnValueOnce(result);
      const { translator, policy } = harness(USERS);
      const [id] = translator.fromObject({ basic: { secret: "default/users" } }, OWNER);
      expect(translate).toHaveBeenCalled();
      expect(policy(id)).toMatchObject({ invalid: "basic auth can't be checked" });
      translate.mockRestore();
    }
  });

  it("gives one policy named after its object, however often it is asked for", () => {
    const { translator, reports } = harness();
    const auth = { forward: { url: URL, auth_headers_cm_ref: "default/none" } };
    expect(translator.fromObject(auth, OWNER)).toEqual(["alb2/cpaas-system/alb"]);
    expect(translator.fromObject(auth, OWNER)).toEqual(["alb2/cpaas-system/alb"]);
    expect(translator.collected().auths).toHaveLength(1);
    expect(reports()).toEqual([
      [
        "AUTH_REFERENCE_NOT_FOUND",
        "ALB2 cpaas-system/alb",
        "spec.config.auth.forward.auth_headers_cm_ref",
        "config map default/none not found; this answers 503: all paths without a setting of their own that belong to ALB2 cpaas-system/alb",
      ],
    ]);
  });

  it("has every field", () => {
    const { translator, policy, reports } = harness(USERS);
    const [id] = translator.fromObject(
      {
        basic: {
          auth_type: "basic",
          realm: "r",
          secret: "default/users",
          secret_type: "auth-file",
        },
        forward: {
          always_set_cookie: true,
          auth_request_redirect: "/back",
          method: "POST",
          signin: "https://login.example/?to=x",
          signin_redirect_param: "to",
          upstream_headers: ["X-User", " X-Email "],
          url: URL,
        },
      },
      OWNER,
    );
    expect(policy(id)).toEqual({
      id: "alb2/cpaas-system/alb",
      source: ["ALB2", "cpaas-system", "alb", "spec.config.auth"],
      basic: { realm: "r", file: "default/users#auth-file" },
      forward: {
        scheme: "http",
        host: ["auth.example"],
        target: ["/verify"],
        method: "POST",
        requestRedirect: ["/back"],
        responseHeaders: ["x-user", "x-email"],
        signin: ["https://login.example/?to=x"],
        alwaysSetCookie: true,
      },
    });
    expect(reports()).toEqual([]);
  });

  it.each([
    ["an empty basic part", { basic: {} }, "basic is set without a secret"],
    ["an empty forward part", { forward: {} }, "forward is set without a url"],
    [
      "digest",
      { basic: { auth_type: "digest", secret: "default/users" } },
      "basic.auth_type digest is unsupported",
    ],
    [
      "a bare secret name",
      { basic: { secret: "users" } },
      "basic.secret must be <namespace>/<name>",
    ],
    [
      "what decoding could not read",
      { invalid: 'auth has no field "$(evil)"' },
      "auth is malformed",
    ],
    [
      "one broken part of two",
      { basic: { secret: "default/users" }, forward: { url: "x" } },
      "forward.url must start with http:// or https://",
    ],
  ])("is closed by %s", (_, auth, invalid) => {
    const { translator, policy } = harness(USERS);
    const [id] = translator.fromObject(auth, OWNER);
    expect(policy(id)).toEqual({ id, source: policy(id).source, invalid });
  });

  it("of a tenant may name its own namespace only", () => {
    const resource = { ...ALB, kind: "AuthPolicy", apiVersion: "crd.alauda.io/v1alpha1" };
    const { translator, policy } = harness(USERS);
    const auth = { basic: { secret: "default/users" } };
    const tenant = { resource, field: ["spec"], operator: false };
    const [id] = translator.fromObject(auth, tenant);
    expect(id).toBe("authpolicy/cpaas-system/alb");
    expect(policy(id).invalid).toBe("secret default/users is in another namespace");
  });
});

describe("annotations", () => {
  it("that say nothing of auth inherit", () => {
    const { annotated, reports } = harness();
    expect(annotated({})).toBeUndefined();
    expect(annotated(compat({ "rewrite-target": "/" }))).toBeUndefined();
    expect(reports()).toEqual([]);
  });

  it.each([
    ["under the own domain", own({ "auth-enable": "false", "auth-url": URL })],
    [
      "under the compatible settings",
      { ...own({ "auth-enable": "false" }), ...compat({ "auth-url": URL, "auth-type": "digest" }) },
    ],
    [
      "for one path",
      { "index.0-0.alb.ingress.cpaas.io/auth-enable": "false", ...own({ "auth-enable": "true" }) },
    ],
  ])("switch auth off by auth-enable %s", (_, annotations) => {
    const { annotated, translator, reports } = harness();
    expect(annotated(annotations)).toEqual([]);
    expect(translator.collected().auths).toEqual([]);
    expect(reports()).toEqual([]);
  });

  it.each(["False", "FALSE", "0", "no", "", " false", "false\n"])(
    "leave auth on by auth-enable %j, and it is reported",
    (value) => {
      const { annotated, reports } = harness();
      expect(annotated(own({ "auth-enable": value, "auth-url": URL }))).toEqual([SHARED]);
      expect(reports().map(([code]) => code)).toEqual(["AUTH_SETTING_WITHOUT_EFFECT"]);
    },
  );

  it("leave auth on by auth-enable true, by an index's true over a general false, and under the compatible domain", () => {
    const on = [SHARED];
    const { annotated } = harness();
    expect(annotated(own({ "auth-enable": "true", "auth-url": URL }))).toEqual(on);
    expect(
      annotated({
        "index.0-0.alb.ingress.cpaas.io/auth-enable": "true",
        ...own({ "auth-enable": "false", "auth-url": URL }),
      }),
    ).toEqual(on);
    expect(annotated(compat({ "auth-enable": "false", "auth-url": URL }))).toEqual(on);
  });

  it("with auth-secret or companions alone inherit, and are reported", () => {
    const { annotated, reports } = harness(USERS);
    expect(
      annotated(compat({ "auth-secret": "users", "auth-signin": "https://a/" })),
    ).toBeUndefined();
    expect(reports().map(([code, , , message]) => [code, message])).toEqual([
      ["AUTH_SETTING_WITHOUT_EFFECT", "auth-secret has no effect without auth-type"],
      ["AUTH_SETTING_WITHOUT_EFFECT", "auth-signin has no effect without auth-url"],
    ]);
  });

  it("that serve one path only are not reported for the others", () => {
    const { annotated, reports } = harness(USERS);
    const annotations = {
      ...compat({ "auth-type": "basic", "auth-secret": "users", "auth-signin": "https://a/" }),
      "index.0-1.alb.ingress.cpaas.io/auth-type": "",
      "index.0-1.alb.ingress.cpaas.io/auth-url": URL,
      "index.0-2.alb.ingress.cpaas.io/auth-enable": "false",
      "index.0-0.alb.ingress.cpaas.io/auth-method": "POST",
    };
    for (const path of [0, 1, 2]) annotated(annotations, { rule: 0, path });
    expect(reports().map(([, , , message]) => message)).toEqual([
      "auth-method has no effect without auth-url",
    ]);
  });

  it("with empty auth-type and auth-url inherit", () => {
    const { annotated } = harness();
    expect(annotated(compat({ "auth-type": "", "auth-url": "" }))).toBeUndefined();
  });

  it("close the path by auth-tls-secret", () => {
    const { policyOf, reports } = harness();
    expect(policyOf(compat({ "auth-tls-secret": "default/ca" })).invalid).toBe(
      "auth-tls-secret is unsupported",
    );
    expect(policyOf(compat({ "auth-tls-secret": "default/ca", "auth-url": URL })).invalid).toBe(
      "auth-tls-secret is unsupported",
    );
    expect(reports().map(([code]) => code)).toEqual(["AUTH_UNSUPPORTED"]);
  });

  it("may ask for both methods", () => {
    const { policyOf } = harness(USERS);
    const policy = policyOf(
      compat({ "auth-type": "basic", "auth-secret": "users", "auth-url": URL }),
    );
    expect(policy.basic).toBeDefined();
    expect(policy.forward).toBeDefined();
  });

  it("are resolved for each name by the first prefix that holds it", () => {
    const annotations = {
      "index.0-1.alb.ingress.cpaas.io/auth-url": "http://index.example/",
      "index.0-1.alb.ingress.cpaas.io/auth-signin": "",
      ...own({ "auth-url": "http://own.example/", "auth-method": "POST" }),
      ...compat({
        "auth-url": "http://compat.example/",
        "auth-method": "PUT",
        "auth-signin": "https://a/",
      }),
    };
    const { annotated, policy } = harness();
    const general = policy(annotated(annotations)?.[0]).forward;
    expect(general?.host).toEqual(["own.example"]);
    expect(general?.method).toBe("POST");
    expect(general?.signin).toBeDefined();
    const one = policy(annotated(annotations, { rule: 0, path: 1 })?.[0]).forward;
    expect(one?.host).toEqual(["index.example"]);
    expect(one?.method).toBe("POST");
    expect(one?.signin).toBeUndefined();
  });

  it("take back a lower prefix's by an empty value", () => {
    const { annotated } = harness();
    expect(
      annotated({ ...own({ "auth-url": "" }), ...compat({ "auth-url": URL }) }),
    ).toBeUndefined();
  });

  it("of fifty paths give one policy", () => {
    const { annotated, translator, reports } = harness();
    const annotations = compat({ "auth-url": URL, "auth-proxy-set-headers": "default/none" });
    const given = Array.from({ length: 50 }, (_, path) =>
      annotated(annotations, { rule: 0, path }),
    );
    expect(new Set(given.flatMap((auth) => auth)).size).toBe(1);
    expect(translator.collected().auths).toHaveLength(1);
    expect(reports()).toHaveLength(1);
  });

  it("of two Ingresses share a policy if everything that is checked is equal", () => {
    const users = (namespace: string) =>
      `apiVersion: v1\nkind: Secret\nmetadata: { name: users, namespace: ${namespace} }\nstringData: { auth: "a:${HASH}" }\n`;
    const { translator, policy } = harness(`${users("default")}---\n${users("shop")}`);
    const idIn = (namespace: string, annotations: Readonly<Record<string, string>>) =>
      translator.fromAnnotations(
        new IngressAnnotations(own(annotations), DEFAULT_OPTIONS.domains).whole,
        { apiVersion: "networking.k8s.io/v1", kind: "Ingress", namespace, name: "web" },
      )?.[0];
    const forward = { "auth-url": URL };
    expect(idIn("shop", forward)).toBe(idIn("default", forward));
    expect(idIn("shop", { ...forward, "auth-method": "PUT" })).not.toBe(idIn("shop", forward));
    const basic = { "auth-type": "basic", "auth-secret": "users" };
    expect(policy(idIn("shop", basic)).basic).toBeDefined();
    expect(idIn("shop", basic)).not.toBe(idIn("default", basic));
  });
});
