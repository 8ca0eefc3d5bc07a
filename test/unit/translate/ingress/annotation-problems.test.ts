import type { CompileOptions } from "../../../../src/model/options.js";
import {
  type Translated,
  ingress,
  nginx,
  own,
  rules,
  service,
  translated,
} from "../../../support/translated.js";

const WEB = service("web");
const ID = "ingress/default/web/0-0";

function one(
  annotations: Record<string, string>,
  spec: object = {},
  options: Partial<CompileOptions> = {},
): Translated {
  const base = rules({ "a.example": ["/app", "/other"] }) as object;
  return translated(ingress("web", { annotations, spec: { ...base, ...spec } }) + WEB, options);
}

describe("an annotation that can't be read", () => {
  it.each([
    ["proxy-body-size", "8 megabytes"],
    ["proxy-read-timeout", "0"],
    ["proxy-read-timeout", "-1"],
    ["proxy-read-timeout", "10m"],
    ["proxy-read-timeout", "99999999999"],
    ["enable-cors", "yes"],
    ["ssl-redirect", "no"],
    ["permanent-redirect-code", "200"],
    ["upstream-vhost", "b.example\r\nX: y"],
    ["satisfy", "some"],
    ["affinity", "ip"],
    ["session-cookie-name", "a;b"],
    ["backend-protocol", "AUTO_HTTP"],
    ["backend-protocol", "FCGI"],
    ["server-alias", "~^www\\d+\\.example$"],
    ["use-regex", "maybe"],
    ["canary", "perhaps"],
    ["cors-max-age", "long"],
    ["cors-allow-origin", "https://a b"],
    ["cors-allow-headers", "X A"],
    ["cors-allow-methods", "G3T"],
  ])("%s: %j is ignored and reported where it only tunes", (name, value) => {
    const result = one(nginx({ [name]: value }));
    expect(result.reports).toEqual([
      `ANNOTATION_INVALID Ingress default/web metadata.annotations["nginx.ingress.kubernetes.io/${name}"]`,
    ]);
    const without = one({});
    expect({ ...result.route(ID), refuse: undefined }).toEqual({
      ...without.route(ID),
      refuse: undefined,
    });
    expect(result.route(ID).refuse).toBeUndefined();
  });

  it.each([
    ["allowlist-source-range", "10.0.0.0/33"],
    ["whitelist-source-range", "10.0.0"],
    ["whitelist-source-range", ","],
    ["denylist-source-range", "10.0.0.1, evil.example"],
    ["denylist-source-range", "fd00::/129"],
    ["permanent-redirect", "javascript:alert(1)"],
    ["permanent-redirect", "//b.example/path"],
    ["temporal-redirect", "ftp://b.example/"],
    ["force-ssl-redirect", "yes"],
  ])("%s: %j closes the paths, since they would be open, or served, without it", (name, value) => {
    const annotations = nginx({ [name]: value });
    const served = one(annotations, {}, { unsupportedRestrictions: "report" });
    expect(served.reports.join()).toMatch(/^ANNOTATION_INVALID /);
    expect(served.route(ID).refuse).toBeUndefined();
    const result = one(annotations);
    expect(result.reports).toEqual([
      `ANNOTATION_CLOSED Ingress default/web metadata.annotations["nginx.ingress.kubernetes.io/${name}"]`,
    ]);
    expect(result.route(ID).refuse).toEqual([503, `AuthFail : invalid cfg ${name}`]);
  });

  it.each([
    ["enable-modsecurity", "true", true],
    ["enable-modsecurity", "on", true],
    ["enable-modsecurity", "false", false],
    ["enable-owasp-core-rules", "1", true],
    ["modsecurity-snippet", "SecRuleEngine On", true],
    ["modsecurity-transaction-id", "$request_id", false],
    ["configuration-snippet", "deny all;", true],
    ["configuration-snippet", 'more_set_headers "X-Frame-Options: deny";', false],
    ["server-snippet", "return 403;", true],
    ["server-snippet", "gzip on;", false],
  ])("%s: %j restricts access: %j", (name, value, restricts) => {
    const annotations = nginx({ [name]: value });
    const key = `metadata.annotations["nginx.ingress.kubernetes.io/${name}"]`;
    const result = one(annotations);
    const served = one(annotations, {}, { unsupportedRestrictions: "report" });
    const code = restricts ? "RESTRICTION_UNSUPPORTED" : "ANNOTATION_UNSUPPORTED";
    const report = value === "false" ? [] : [`${code} Ingress default/web ${key}`];
    expect([result.reports, served.reports]).toEqual([report, report]);
    const refuse = [503, `AuthFail : invalid cfg ${name}`] as const;
    expect(result.route(ID).refuse).toEqual(restricts ? refuse : undefined);
    expect(served.route(ID).refuse).toBeUndefined();
  });

  it("closes only its path when it has an index", () => {
    const result = one(own({ "denylist-source-range": "x" }, "0-1"));
    expect(result.route(ID).refuse).toBeUndefined();
    expect(result.route("ingress/default/web/0-1").refuse?.[0]).toBe(503);
  });

  it("closes nothing under a misspelt domain if the same name stands under a domain that is read", () => {
    const name = "whitelist-source-range";
    const misspelt = { [`ngnix.ingress.kubernetes.io/${name}`]: "10.0.0.0/8" };
    expect(one(misspelt).route(ID).refuse).toEqual([503, `AuthFail : invalid cfg ${name}`]);
    const both = one({ ...misspelt, ...nginx({ [name]: "10.0.0.0/8" }) });
    expect(both.route(ID).refuse).toBeUndefined();
    expect(both.reports.join()).toMatch(/^ANNOTATION_UNKNOWN /);
  });

  it("of auth-tls-secret closes the path by its auth", () => {
    const result = one(nginx({ "auth-tls-secret": "default/ca" }));
    const [id] = result.route(ID).auth ?? [];
    expect(result.config.auths.find((auth) => auth.id === id)?.invalid).toMatch(/auth-tls-secret/);
  });
});

describe("reports about annotations", () => {
  function reportsOf(annotations: Record<string, string>): readonly string[] {
    return [...one(annotations).reports]
      .map((report) => report.replace(/ Ingress default\/web metadata\.annotations/, ""))
      .sort();
  }

  it.each([
    ["nginx.ingress.kubernetes.io/proxy-bodysize", "ANNOTATION_UNKNOWN"],
    ["nginx.ingress.kubernetes.io/ssl-protocols", "ANNOTATION_WITHOUT_EFFECT"],
    ["nginx.ingress.kubernetes.io/enable-websocket", "ANNOTATION_WITHOUT_EFFECT"],
    ["nginx.ingress.kubernetes.io/auth-oidc-issuer", "ANNOTATION_WITHOUT_EFFECT"],
    ["ingress.kubernetes.io/auth-url", "ANNOTATION_WITHOUT_EFFECT"],
    ["kubernetes.io/ssl-redirect", "ANNOTATION_WITHOUT_EFFECT"],
    ["alb.ingress.cpaas.io/something", "ANNOTATION_UNKNOWN"],
    ["index.0-0.alb.ingress.cpaas.io/something", "ANNOTATION_UNKNOWN"],
    ["nginx.ingress.kubernetes.io/configuration-snippet", "RESTRICTION_UNSUPPORTED"],
    ["nginx.ingress.kubernetes.io/limit-connections", "LIMIT_UNSUPPORTED"],
    ["nginx.ingress.kubernetes.io/limit-rps", "ANNOTATION_INVALID"],
    ["nginx.ingress.kubernetes.io/limit-burst-multiplier", "ANNOTATION_INVALID"],
    ["nginx.ingress.kubernetes.io/disable-proxy-intercept-errors", "ANNOTATION_UNSUPPORTED"],
    ["nginx.ingress.kubernetes.io/proxy-cookie-path", "ANNOTATION_UNSUPPORTED"],
    ["nginx.ingress.kubernetes.io/rewrite-request", "ANNOTATION_PREFIX"],
    ["nginx.ingress.kubernetes.io/auth-enable", "ANNOTATION_PREFIX"],
    ["index.0-0.alb.ingress.cpaas.io/server-alias", "ANNOTATION_MISSPELT"],
    ["nginx.ingress.kubernetes.oi/satisfy", "ANNOTATION_UNKNOWN"],
    ["nginx.ingress.kubernetes.oi/auth-url", "ANNOTATION_MISSPELT"],
    ["nginx.ingress.kubernetes.io.auth-url", "ANNOTATION_UNKNOWN"],
    ["index.1-0.alb.ingress.cpaas.io/auth-url", "ANNOTATION_MISSPELT"],
    ["index.1-0.alb.ingress.cpaas.io/satisfy", "ANNOTATION_INDEX_UNUSED"],
    ["index.0-2.alb.ingress.cpaas.io/satisfy", "ANNOTATION_INDEX_UNUSED"],
    ["index.0.alb.ingress.cpaas.io/satisfy", "ANNOTATION_INDEX_UNUSED"],
    ["index.00-1.alb.ingress.cpaas.io/satisfy", "ANNOTATION_INDEX_UNUSED"],
  ])("%s: %s", (key, code) => {
    expect(reportsOf({ [key]: "any" })).toEqual([`${code}["${key}"]`]);
  });

  it.each([
    ["proxy-http-version", "1.1"],
    ["proxy-request-buffering", "on"],
    ["proxy-buffers-number", "16"],
    ["proxy-max-temp-file-size", "0"],
    ["client-body-buffer-size", "1m"],
    ["enable-access-log", "true"],
    ["enable-rewrite-log", "true"],
    ["enable-global-auth", "false"],
    ["enable-modsecurity", "false"],
    ["from-to-www-redirect", "false"],
    ["proxy-next-upstream", "error timeout"],
    ["session-cookie-hash", "sha1"],
  ])("leave %s: %s alone, which changes nothing", (name, value) => {
    expect(reportsOf(nginx({ [name]: value }))).toEqual([]);
  });

  it("leave other domains alone", () => {
    expect(
      reportsOf({
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "cert-manager.io/issuer": "x",
        "index.0-0.nginx.ingress.kubernetes.io/satisfy": "any",
        "kubernetes.io/ingress.class": "nginx",
      }),
    ).toEqual([]);
  });

  it("leave Ingresses of other classes alone", () => {
    const result = one(nginx({ "proxy-bodysize": "1" }), { ingressClassName: "other" });
    expect(result.reports).toEqual([
      "INGRESS_NOT_SERVED Ingress default/web spec.ingressClassName",
    ]);
  });

  it("follow the options' domains", () => {
    const domains = {
      group: "crd.alauda.io",
      annotations: "lb.example",
      compatAnnotations: "compat.example",
      labels: "example",
    };
    const annotations = {
      "lb.example/proxy-body-size": "1",
      "compat.example/nothing": "1",
      ...nginx({ nothing: "1" }),
    };
    const result = one(annotations, {}, { domains });
    expect(result.route(ID).bodyLimit).toBe(1);
    expect(result.reports).toEqual([
      'ANNOTATION_WITHOUT_EFFECT Ingress default/web metadata.annotations["compat.example/nothing"]',
    ]);
  });
});
