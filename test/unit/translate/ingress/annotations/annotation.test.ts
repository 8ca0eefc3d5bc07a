import type { CompileOptions } from "../../../../../src/model/options.js";
import {
  ingress,
  nginx,
  own,
  prefix,
  rules,
  service,
  translated,
} from "../../../../support/translated.js";
import type { Translated } from "../../../../support/translated.js";

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

function routeOf(annotations: Record<string, string>): ReturnType<Translated["route"]> {
  const result = one(annotations);
  expect(result.reports).toEqual([]);
  return result.route(ID);
}

const TLS = { tls: [{ hosts: ["a.example"] }] };

describe("redirects", () => {
  const TO_HTTPS = { status: 308, unlessScheme: "https", scheme: "https" };

  it("to https are done where the host has TLS", () => {
    expect(one({}).route(ID).redirect).toBeUndefined();
    expect(one({}, TLS).route(ID).redirect).toEqual(TO_HTTPS);
    expect(one({}, TLS, { httpsPort: 8443 }).route(ID).redirect).toEqual({
      ...TO_HTTPS,
      port: 8443,
    });
    expect(one({}, TLS, { httpsPort: 0 }).route(ID).redirect).toBeUndefined();
    expect(one({}, { tls: [{ hosts: ["*.example"] }] }).route(ID).redirect).toEqual(TO_HTTPS);
    expect(one({}, { tls: [{ hosts: ["b.example"] }] }).route(ID).redirect).toBeUndefined();
  });

  it("to https are done where another Ingress gives the host TLS", () => {
    const { route } = translated(
      ingress("web", { spec: rules({ "a.example": ["/"] }) }) +
        ingress("tls", { spec: { ...TLS, ...(rules({ "a.example": ["/x"] }) as object) } }) +
        WEB,
    );
    expect(route(ID).redirect).toEqual(TO_HTTPS);
  });

  it("to https can be switched off, or forced", () => {
    expect(one(nginx({ "ssl-redirect": "false" }), TLS).route(ID).redirect).toBeUndefined();
    expect(one(own({ "ssl-redirect": "false" }, "0-0"), TLS).route(ID).redirect).toBeUndefined();
    expect(routeOf(nginx({ "force-ssl-redirect": "true" })).redirect).toEqual(TO_HTTPS);
  });

  it("to https leave certificate authorities' challenges alone", () => {
    const spec = rules({ "a.example": ["/.well-known/acme-challenge/token"] }) as object;
    expect(one({}, { ...spec, ...TLS }).route(ID).redirect).toBeUndefined();
  });

  it.each([
    [
      nginx({ "permanent-redirect": "https://b.example/x" }),
      { status: 301, url: "https://b.example/x" },
    ],
    [
      nginx({ "permanent-redirect": "https://b.example/", "permanent-redirect-code": "308" }),
      { status: 308, url: "https://b.example/" },
    ],
    [
      nginx({
        "permanent-redirect": "https://b.example/",
        "temporal-redirect": "http://c.example/",
      }),
      { status: 302, url: "http://c.example/" },
    ],
    [
      nginx({ "temporal-redirect": "http://c.example/", "temporal-redirect-code": "307" }),
      { status: 307, url: "http://c.example/" },
    ],
    [own({ "redirect-host": "B.example" }), { status: 302, host: "b.example" }],
    [
      own({ "redirect-host": "b.example", "redirect-port": "8443", "redirect-code": "301" }),
      { status: 301, host: "b.example", port: 8443 },
    ],
    [
      own({ "redirect-prefix-match": "/app/", "redirect-replace-prefix": "/new" }),
      { status: 302, path: ["prefix", "/app", "/new"] },
    ],
    [
      { ...own({ "redirect-host": "b.example" }), ...nginx({ "force-ssl-redirect": "true" }) },
      { status: 302, scheme: "https", host: "b.example" },
    ],
  ])("%j", (annotations, redirect) => {
    expect(routeOf(annotations).redirect).toEqual(redirect);
  });

  it("of app-root come before every rule for /", () => {
    const spec = { rules: [{ host: "a.example", http: { paths: [prefix("/", "web", "Exact")] } }] };
    const result = one(nginx({ "app-root": "/app" }), spec);
    expect(result.tried(80)).toEqual([
      "a.example exact / → ingress/default/web/app-root",
      "a.example exact / → ingress/default/web/0-0",
    ]);
    expect(result.route("ingress/default/web/app-root").redirect).toEqual({
      status: 302,
      url: "/app",
    });
  });
});

describe("the action of a path", () => {
  it.each([
    [
      { "rewrite-target": "/$1" },
      {
        rewrite: ["regex", "/app", "i", "/$1", true],
      },
    ],
    [{ "proxy-body-size": "8m" }, { bodyLimit: 8_388_608 }],
    [{ "proxy-body-size": "0" }, { bodyLimit: 0 }],
    [{ "proxy-body-size": "512" }, { bodyLimit: 512 }],
    [{ "upstream-vhost": "b.example" }, { host: "b.example" }],
    [{ satisfy: "any" }, { satisfy: "any" }],
    [
      { "proxy-read-timeout": "600", "proxy-send-timeout": "10s" },
      { timeouts: { connect: 5000, send: 10_000, read: 600_000 } },
    ],
    [
      { "proxy-connect-timeout": "500ms" },
      { timeouts: { connect: 500, send: 120_000, read: 120_000 } },
    ],
    [{ affinity: "cookie" }, { affinity: ["cookie", "INGRESSCOOKIE"] }],
    [{ affinity: "cookie", "session-cookie-name": "sid" }, { affinity: ["cookie", "sid"] }],
    [
      { "whitelist-source-range": "10.0.0.0/8, 192.168.0.1,::1" },
      { allow: ["10.0.0.0/8", "192.168.0.1/32", "::1/128"] },
    ],
    [
      { "allowlist-source-range": "10.0.0.0/8", "whitelist-source-range": "0.0.0.0/0" },
      { allow: ["10.0.0.0/8"] },
    ],
    [{ "denylist-source-range": "10.0.0.1" }, { deny: ["10.0.0.1/32"] }],
  ])("with %j", (annotations, expected) => {
    expect(routeOf(nginx(annotations))).toMatchObject(expected);
  });

  it.each([
    ["HTTP", "http"],
    ["https", "https"],
    ["GRPC", "grpc"],
    ["GRPCS", "grpcs"],
  ])("with backend-protocol %s", (text, protocol) => {
    expect(routeOf(nginx({ "backend-protocol": text })).backends?.[0]?.protocol).toBe(protocol);
  });

  it("with CORS", () => {
    expect(routeOf(nginx({ "enable-cors": "true" })).cors).toMatchObject({
      origins: ["*"],
      methods: ["GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"],
      credentials: true,
      maxAge: 1_728_000,
    });
    const annotations = {
      "enable-cors": "true",
      "cors-allow-origin": "https://*.a.example:8443, null, capacitor://localhost",
      "cors-allow-methods": "GET, PUT",
      "cors-allow-headers": "X-A,X-B",
      "cors-expose-headers": "*",
      "cors-allow-credentials": "false",
      "cors-max-age": "60",
    };
    expect(routeOf(nginx(annotations)).cors).toEqual({
      origins: ["https://*.a.example:8443", "null", "capacitor://localhost"],
      methods: ["GET", "PUT"],
      headers: ["X-A", "X-B"],
      expose: ["*"],
      credentials: false,
      maxAge: 60,
    });
    expect(routeOf(nginx({ "cors-max-age": "60" })).cors).toBeUndefined();
  });

  it("with header rewrites of the origin", () => {
    const text = JSON.stringify({ headers: { "X-A": "1" } });
    const changes = { set: [["X-A", "1"]] };
    expect(routeOf(own({ "rewrite-request": text })).requestHeaders).toEqual(changes);
    expect(routeOf(own({ "rewrite-response": text })).responseHeaders).toEqual(changes);
  });
});

describe("prefixes", () => {
  const limit = (annotations: Record<string, string>, path: string): number | undefined =>
    one(annotations).route(`ingress/default/web/${path}`).bodyLimit;
  const ALL = {
    ...nginx({ "proxy-body-size": "1" }),
    ...own({ "proxy-body-size": "2" }),
    ...own({ "proxy-body-size": "3" }, "0-1"),
  };

  it("hold by name: index, own, compatible", () => {
    expect([limit(ALL, "0-0"), limit(ALL, "0-1")]).toEqual([2, 3]);
    expect(limit(nginx({ "proxy-body-size": "1" }), "0-0")).toBe(1);
  });

  it("count for each name alone", () => {
    const annotations = {
      ...own({ "upstream-vhost": "b.example" }),
      ...nginx({ "proxy-body-size": "1" }),
    };
    expect(one(annotations).route(ID)).toMatchObject({ bodyLimit: 1, host: "b.example" });
  });

  it("that hold the key win with an empty value too, which cancels the others", () => {
    const annotations = { ...ALL, ...own({ "proxy-body-size": "" }, "0-1") };
    expect(limit(annotations, "0-1")).toBeUndefined();
  });
});

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
    ["permanent-redirect", "https://b.example/$request_uri"],
    ["permanent-redirect", "javascript:alert(1)"],
    ["permanent-redirect", "/path"],
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
    ["server-snippet", "location = /admin { return 403; }", true],
    ["server-snippet", "gzip on;", false],
  ])("%s: %j restricts access: %j", (name, value, restricts) => {
    const annotations = nginx({ [name]: value });
    const key = `metadata.annotations["nginx.ingress.kubernetes.io/${name}"]`;
    const code = restricts ? "RESTRICTION_UNSUPPORTED" : "ANNOTATION_UNSUPPORTED";
    const result = one(annotations);
    const served = one(annotations, {}, { unsupportedRestrictions: "report" });
    const report = [`${code} Ingress default/web ${key}`];
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
    ["alb.ingress.cpaas.io/something", "ANNOTATION_UNKNOWN"],
    ["index.0-0.alb.ingress.cpaas.io/something", "ANNOTATION_UNKNOWN"],
    ["nginx.ingress.kubernetes.io/configuration-snippet", "RESTRICTION_UNSUPPORTED"],
    ["nginx.ingress.kubernetes.io/limit-rps", "LIMIT_UNSUPPORTED"],
    ["nginx.ingress.kubernetes.io/limit-burst-multiplier", "ANNOTATION_UNSUPPORTED"],
    ["nginx.ingress.kubernetes.io/default-backend", "ANNOTATION_UNSUPPORTED"],
    ["nginx.ingress.kubernetes.io/session-cookie-path", "ANNOTATION_UNSUPPORTED"],
    ["nginx.ingress.kubernetes.io/rewrite-request", "ANNOTATION_PREFIX"],
    ["nginx.ingress.kubernetes.io/auth-enable", "ANNOTATION_PREFIX"],
    ["index.0-0.alb.ingress.cpaas.io/server-alias", "ANNOTATION_MISSPELT"],
    ["nginx.ingress.kubernetes.oi/satisfy", "ANNOTATION_UNKNOWN"],
    ["nginx.ingress.kubernetes.oi/auth-url", "ANNOTATION_MISSPELT"],
    ["nginx.ingress.kubernetes.io.auth-url", "ANNOTATION_MISSPELT"],
    ["index.1-0.alb.ingress.cpaas.io/auth-url", "ANNOTATION_MISSPELT"],
    ["index.1-0.alb.ingress.cpaas.io/satisfy", "ANNOTATION_INDEX_UNUSED"],
    ["index.0-2.alb.ingress.cpaas.io/satisfy", "ANNOTATION_INDEX_UNUSED"],
    ["index.0.alb.ingress.cpaas.io/satisfy", "ANNOTATION_INDEX_UNUSED"],
    ["index.00-1.alb.ingress.cpaas.io/satisfy", "ANNOTATION_INDEX_UNUSED"],
  ])("%s: %s", (key, code) => {
    expect(reportsOf({ [key]: "any" })).toEqual([`${code}["${key}"]`]);
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
      'ANNOTATION_UNKNOWN Ingress default/web metadata.annotations["compat.example/nothing"]',
    ]);
  });
});
