import { alb2, frontend, rule, service, translated } from "../../../support/translated.js";
import type { RuleText, Translated } from "../../../support/translated.js";

const GROUP = { services: [{ name: "web", namespace: "default", port: 80, weight: 1 }] };
const ANY = [{ type: "URL", values: [["STARTS_WITH", "/"]] }];
const NO_INGRESS = { projects: ["ALL_ALL"], ingressHTTPPort: 0, ingressHTTPSPort: 0 };
const BASE =
  service("web") + alb2("alb", NO_INGRESS) + frontend("ft", "alb", { port: 80, protocol: "http" });

function one(spec: object, text: RuleText = {}): Translated {
  return translated(BASE + rule("r", { dslx: ANY, serviceGroup: GROUP, ...spec }, text));
}

function routeOf(spec: object, text: RuleText = {}): ReturnType<Translated["route"]> {
  const result = one(spec, text);
  expect(result.reports).toEqual([]);
  return result.route("rule/cpaas-system/r");
}

describe("a Rule", () => {
  it("is a route with its matches", () => {
    const dslx = [
      { type: "HOST", values: [["IN", "a.example", "*.b.example"]] },
      { type: "URL", values: [["STARTS_WITH", "/v1"]] },
      { type: "METHOD", values: [["EQ", "GET"]] },
    ];
    const result = one({ dslx });
    expect(result.route("rule/cpaas-system/r")).toEqual({
      id: "rule/cpaas-system/r",
      source: ["Rule", "cpaas-system", "r", "spec"],
      backends: [{ upstream: "default/web/80", weight: 1, protocol: "http" }],
    });
    expect(result.tried(80)).toEqual([
      "a.example start /v1 → rule/cpaas-system/r",
      "*.b.example start /v1 → rule/cpaas-system/r",
    ]);
    expect(result.bindings("rule/cpaas-system/r").map(({ when }) => when)).toEqual([
      [{ of: "method", any: [["eq", "GET"]] }],
      [{ of: "method", any: [["eq", "GET"]] }],
    ]);
  });

  it("has priority 5 where it names none", () => {
    const at = (name: string, priority?: number): string =>
      rule(name, { dslx: ANY, serviceGroup: GROUP, ...(priority !== undefined && { priority }) });
    const { tried } = translated(BASE + at("a", 6) + at("b") + at("c", 4) + at("d", -1));
    expect(tried(80).map((line) => line.split("/").at(-1))).toEqual(["d", "c", "b", "a"]);
  });

  it.each([
    [{ alb: "other" }, "its labels name no ALB2 of namespace cpaas-system"],
    [{ frontend: "none" }, "its labels name no Frontend of ALB2 cpaas-system/alb"],
  ])("with labels %j belongs to nobody", (text, message) => {
    const result = one({}, text);
    expect(result.config.bindings).toEqual([]);
    expect(result.messages("RULE_UNATTACHED")).toEqual([message]);
  });

  it("of a Frontend that is not served is not served either", () => {
    const yaml =
      alb2("alb", NO_INGRESS) +
      frontend("ft", "alb", { port: 80, protocol: "tcp" }) +
      rule("r", { dslx: ANY });
    expect(translated(yaml).messages("RULE_UNATTACHED")).toEqual([
      "Frontend cpaas-system/ft is not served",
    ]);
  });

  it.each([[undefined], [[]], [[{ type: "URL", values: [] }]]])(
    "with dslx %j matches nothing and is not served",
    (dslx) => {
      const result = translated(BASE + rule("r", { serviceGroup: GROUP, ...(dslx && { dslx }) }));
      expect(result.config.bindings).toEqual([]);
      expect(result.reports).toEqual(["RULE_WITHOUT_MATCH Rule cpaas-system/r spec.dslx"]);
    },
  );

  it("that was generated from an Ingress is not served", () => {
    const generated = rule("r", {
      dslx: ANY,
      source: { type: "ingress", name: "web", namespace: "default" },
    });
    const labelled = generated.replace(
      '"labels":{',
      '"labels":{"alb2.cpaas.io/source-type":"ingress",',
    );
    const result = translated(BASE + labelled);
    expect(result.config.bindings).toEqual([]);
    expect(result.reports).toEqual(["RULE_GENERATED Rule cpaas-system/r metadata.labels"]);
    expect(result.messages("RULE_GENERATED")[0]).toContain("Ingress default/web");
  });

  it("of which no term can be read answers 500 to all that no other rule serves before", () => {
    const result = one({ dslx: [{ type: "URL", values: [["REGEX", "("]] }] });
    expect(result.tried(80)).toEqual(["any → rule/cpaas-system/r"]);
    expect(result.route("rule/cpaas-system/r").refuse?.[0]).toBe(500);
  });

  it("with a wrong term keeps the others and answers 500", () => {
    const dslx = [
      { type: "HOST", values: [["EQ", "a.example"]] },
      {
        type: "URL",
        values: [
          ["STARTS_WITH", "/v1"],
          ["MATCHES", "/v2"],
        ],
      },
    ];
    const result = one({ dslx });
    expect(result.tried(80)).toEqual(["a.example any → rule/cpaas-system/r"]);
    expect(result.route("rule/cpaas-system/r").refuse).toEqual([
      500,
      "InvalidRule : invalid cfg dslx",
    ]);
    expect(result.reports).toEqual([
      "RULE_MATCH_INVALID Rule cpaas-system/r spec.dslx[1].values[1]",
    ]);
  });

  it.each([
    [{ config: { redirect: { url: "/x", code: 200 } } }, "config.redirect"],
    [{ config: { redirect: { scheme: "ftp" } } }, "config.redirect"],
    [{ config: { redirect: { host: "a b" } } }, "config.redirect"],
    [{ redirectURL: "/x", redirectCode: 299 }, "redirectURL"],
    [{ redirectURL: "ht!tp://x y" }, "redirectURL"],
    [{ config: { redirect: { url: "x.example/a" } } }, "config.redirect"],
    [{ rewrite_base: "(", rewrite_target: "/" }, "rewrite_base"],
    [{ backendProtocol: "fcgi" }, "backendProtocol"],
  ])("that can't be done as written, %j, answers 500", (spec, field) => {
    const result = one(spec);
    expect(result.route("rule/cpaas-system/r").refuse).toEqual([
      500,
      `InvalidRule : invalid cfg ${field}`,
    ]);
    expect(result.reports).toEqual([`RULE_INVALID Rule cpaas-system/r spec.${field}`]);
    expect(result.bindings("rule/cpaas-system/r")).toHaveLength(1);
  });
});

describe("a Rule's redirect", () => {
  it.each([
    [
      { redirectURL: "/old", redirectCode: 301 },
      { status: 301, url: "/old" },
    ],
    [{ redirectURL: "" }, undefined],
    [
      { config: { redirect: { url: "https://b.example/" } } },
      { status: 302, url: "https://b.example/" },
    ],
    [
      { redirectURL: "/wins", config: { redirect: { url: "/loses", code: 307 } } },
      { status: 307, url: "/wins" },
    ],
    [
      { config: { redirect: { scheme: "https", code: 308 } } },
      { status: 308, scheme: "https", unlessScheme: "https" },
    ],
    [{ config: { redirect: { host: "B.example" } } }, { status: 302, host: "b.example" }],
    [
      { config: { redirect: { scheme: "https", host: "b.example", port: 8443 } } },
      { status: 302, scheme: "https", host: "b.example", port: 8443 },
    ],
    [
      { config: { redirect: { host: "b.example", url: "/new" } } },
      { status: 302, host: "b.example", path: ["full", "/new"] },
    ],
    [
      { config: { redirect: { prefix_match: "/a/", replace_prefix: "/b" } } },
      { status: 302, path: ["prefix", "/a", "/b"] },
    ],
    [{ config: { redirect: { prefix_match: "/a" } } }, { status: 302, path: ["prefix", "/a", ""] }],
  ])("%j", (spec, redirect) => {
    expect(routeOf(spec).redirect).toEqual(redirect);
  });
});

describe("a Rule's rewrite", () => {
  it.each([
    [{ rewrite_base: "/a(.*)", rewrite_target: "/b$1" }, "/a(.*)"],
    [{ url: "/a", rewrite_target: "/b$1" }, "/a"],
  ])("of %j replaces the first match", (spec, pattern) => {
    expect(routeOf(spec).rewrite).toEqual(["regex", pattern, "", "/b$1", false]);
  });

  it.each([[{ rewrite_base: ".*" }], [{}]])("of %j replaces the whole path", (spec) => {
    expect(routeOf({ ...spec, rewrite_target: "/b" }).rewrite).toEqual(["full", "/b"]);
  });
});

describe("a Rule's service group", () => {
  it("has weights of any size; none means 100, 0 means none", () => {
    const services = [
      { name: "web", namespace: "default", port: 80, weight: 900 },
      { name: "web", namespace: "default", port: 80 },
      { name: "web", namespace: "default", port: 80, weight: 0 },
    ];
    expect(routeOf({ serviceGroup: { services } }).backends?.map(({ weight }) => weight)).toEqual([
      900, 100, 0,
    ]);
  });

  it("is looked for in the Rule's namespace where it names none", () => {
    const result = one({ serviceGroup: { services: [{ name: "x", port: 1 }] } });
    expect(result.messages("SERVICE_NOT_FOUND")).toEqual(["there is no Service cpaas-system/x"]);
  });

  it.each([
    [{ session_affinity_policy: "sip-hash" }, ["clientAddress"]],
    [{ session_affinity_policy: "cookie" }, ["cookie", "JSESSIONID"]],
    [{ session_affinity_policy: "cookie", session_affinity_attribute: "sid" }, ["cookie", "sid"]],
    [
      { session_affinity_policy: "header", session_affinity_attribute: "X-User" },
      ["header", "x-user"],
    ],
    [{ session_affinity_policy: "" }, undefined],
  ])("%j", (affinity, expected) => {
    expect(routeOf({ serviceGroup: { ...GROUP, ...affinity } }).affinity).toEqual(expected);
  });

  it.each([
    { session_affinity_policy: "random" },
    { session_affinity_policy: "header" },
    { session_affinity_policy: "cookie", session_affinity_attribute: "a;b" },
  ])("%j is ignored and reported", (affinity) => {
    const result = one({ serviceGroup: { ...GROUP, ...affinity } });
    expect(result.route("rule/cpaas-system/r").affinity).toBeUndefined();
    expect(result.reports).toEqual([
      "SETTING_IGNORED Rule cpaas-system/r spec.serviceGroup.session_affinity_policy",
    ]);
  });
});

describe("a Rule's filters", () => {
  it("CORS has the origin's defaults", () => {
    expect(routeOf({ enableCORS: true }).cors).toMatchObject({
      origins: ["*"],
      methods: ["GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"],
      credentials: true,
      maxAge: 1_728_000,
    });
    expect(routeOf({ corsAllowOrigin: "https://a.example" }).cors).toBeUndefined();
  });

  it("CORS has the lists that are given", () => {
    expect(
      routeOf({
        enableCORS: true,
        corsAllowOrigin: "https://a.example, https://b.example",
        corsAllowHeaders: "X-A,X-B",
      }).cors,
    ).toMatchObject({
      origins: ["https://a.example", "https://b.example"],
      headers: ["X-A", "X-B"],
    });
  });

  it("vhost is the backend's Host", () => {
    expect(routeOf({ vhost: "inner.example:8080" }).host).toBe("inner.example:8080");
  });

  it.each([
    [{ vhost: "a\r\nX: y" }, "spec.vhost"],
    [{ enableCORS: true, corsAllowHeaders: "X-A, X B" }, "spec.corsAllowHeaders"],
  ])("%j is ignored and reported", (spec, field) => {
    const result = one(spec);
    expect(result.reports).toEqual([`SETTING_IGNORED Rule cpaas-system/r ${field}`]);
    expect(result.route("rule/cpaas-system/r").refuse).toBeUndefined();
  });

  it("header rewrites stand in annotations", () => {
    const annotations = {
      "alb.rule.cpaas.io/rewrite-request": JSON.stringify({
        headers: { "X-A": "1" },
        headers_remove: ["X-B"],
        headers_add: { "X-C": ["2", "3"] },
      }),
      "alb.rule.cpaas.io/rewrite-response": JSON.stringify({ headers_remove: ["Server"] }),
    };
    const route = routeOf({}, { annotations });
    expect(route.requestHeaders).toEqual({
      set: [["X-A", "1"]],
      remove: ["x-b"],
      add: [["X-C", "2, 3"]],
    });
    expect(route.responseHeaders).toEqual({ remove: ["server"] });
  });

  const REWRITE = "alb.rule.cpaas.io/rewrite-request";
  const REWRITE_FIELD = `SETTING_IGNORED Rule cpaas-system/r metadata.annotations["${REWRITE}"]`;

  it.each([
    "{",
    "[]",
    '{"headers": 1}',
    '{"headers_remove": "a"}',
    '{"headers_add": {"a": "b"}}',
    '{"headers": {"a b": "c"}}',
    '{"headers_add": {"a": ["b\\r\\nc: d"]}}',
    '{"header": {}}',
  ])("the header rewrite %s is ignored and reported", (text) => {
    const result = one({}, { annotations: { [REWRITE]: text } });
    expect(result.route("rule/cpaas-system/r").requestHeaders).toBeUndefined();
    expect(result.reports).toEqual([REWRITE_FIELD]);
  });

  it.each([
    ["a variable", { headers_var: { "X-User": "cookie_user" } }, ["x-user"]],
    ["an added variable", { headers_add_var: { "X-User": ["cookie_user"] } }, []],
    ["a value that is no text", { headers: { "X-User": 1 } }, ["x-user"]],
    ["a value with a line break", { headers: { "X-User": "a\r\nb: c" } }, ["x-user"]],
    ["a name that is none", { headers: { "X User": "a" } }, []],
    ["a header of the gateway", { headers: { "X-Real-IP": "10.0.0.1" } }, []],
    ["a Host that is none", { headers: { Host: "a b" } }, []],
    ["two Hosts", { headers_add: { Host: ["a.example"] } }, []],
    ["an unknown field", { header: {} }, []],
    ["a variable with another value", { headers_var: { "x-a": "cookie_a" } }, []],
  ])("a header rewrite with %s keeps its other parts", (_with, part, removed) => {
    const rest = {
      headers: { "X-A": "1", ...("headers" in part && part.headers) },
      headers_remove: ["X-B"],
      headers_add: { "X-C": ["2"], ...("headers_add" in part && part.headers_add) },
    };
    const text = JSON.stringify({ ...part, ...rest });
    const result = one({}, { annotations: { [REWRITE]: text } });
    expect(result.route("rule/cpaas-system/r").requestHeaders).toEqual({
      set: [["X-A", "1"]],
      remove: ["x-b", ...removed],
      add: [["X-C", "2"]],
    });
    expect(result.reports).toEqual([REWRITE_FIELD]);
  });

  it("a header rewrite names all that it leaves out, up to a limit", () => {
    const headers = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`a b${i}`, "1"]));
    const result = one({}, { annotations: { [REWRITE]: JSON.stringify({ headers }) } });
    expect(result.messages("SETTING_IGNORED")).toEqual([
      expect.stringMatching(/^"a b0" is not the name of a header; .*; and 4 more$/),
    ]);
  });
});

describe("a Frontend", () => {
  const at = (spec: object): Translated =>
    translated(
      service("web") +
        alb2("alb", NO_INGRESS) +
        frontend("ft", "alb", { port: 80, protocol: "http", ...spec }) +
        rule("r", { dslx: ANY, serviceGroup: GROUP }),
    );

  it("serves by its service group what no rule matches", () => {
    const result = at({ serviceGroup: GROUP });
    expect(result.tried(80)).toEqual([
      "start / → rule/cpaas-system/r",
      "any → frontend/cpaas-system/ft",
    ]);
  });

  it("redirects to another scheme only those that did not come by it", () => {
    const result = at({
      serviceGroup: GROUP,
      config: { redirect: { scheme: "https", code: 308 } },
    });
    const redirect = { status: 308, scheme: "https", unlessScheme: "https" };
    expect(result.route("rule/cpaas-system/r").redirect).toEqual(redirect);
    expect(result.route("frontend/cpaas-system/ft").redirect).toEqual(redirect);
    expect(result.tried(80)).toHaveLength(2);
  });

  it("with a wrong redirect or protocol is served without, and reported", () => {
    const result = at({ backendProtocol: "x", config: { redirect: { code: 200, url: "/" } } });
    expect(result.reports).toEqual([
      "SETTING_IGNORED Frontend cpaas-system/ft spec.backendProtocol",
      "SETTING_IGNORED Frontend cpaas-system/ft spec.config.redirect",
    ]);
  });

  it("gives its backend protocol to rules that name none", () => {
    expect(
      at({ backendProtocol: "HTTPS" }).route("rule/cpaas-system/r").backends?.[0]?.protocol,
    ).toBe("https");
  });
});

describe("ingressSSLRedirect", () => {
  it("redirects all of the HTTP port to the HTTPS port", () => {
    const config = {
      projects: ["ALL_ALL"],
      ingressSSLRedirect: true,
      ingressHTTPSPort: 8443,
    };
    const result = translated(
      service("web") +
        alb2("alb", config) +
        frontend("ft", "alb", { port: 80 }) +
        rule("r", { dslx: ANY, serviceGroup: GROUP }),
    );
    expect(result.route("rule/cpaas-system/r").redirect).toEqual({
      status: 308,
      scheme: "https",
      unlessScheme: "https",
      port: 8443,
    });
  });
});
