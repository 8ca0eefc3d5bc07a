import { GROUP, type RuleText, type Translated, oneRule } from "../../../support/translated.js";

function routeOf(spec: object, text: RuleText = {}): ReturnType<Translated["route"]> {
  const result = oneRule(spec, text);
  expect(result.reports).toEqual([]);
  return result.route("rule/cpaas-system/r");
}

describe("a Rule with an invalid setting", () => {
  it.each([
    [{ config: { redirect: { url: "/x", code: 200 } } }, "config.redirect"],
    [{ redirectURL: "/x", redirectCode: 299 }, "redirectURL"],
    [{ rewrite_base: "(", rewrite_target: "/" }, "rewrite_base"],
    [{ backendProtocol: "fcgi" }, "backendProtocol"],
  ])("%j answers 500", (spec, field) => {
    const result = oneRule(spec);
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
      { status: 301, url: ["/old"] },
    ],
    [{ redirectURL: "" }, undefined],
    [
      { redirectURL: "/wins", config: { redirect: { url: "/loses", code: 307 } } },
      { status: 307, url: ["/wins"] },
    ],
    [{ config: { redirect: { host: "b.example" } } }, { status: 302, host: "b.example" }],
  ])("%j", (spec, redirect) => {
    expect(routeOf(spec).redirect).toEqual(redirect);
  });
});

describe("a Rule's rewrite", () => {
  it.each([
    [{ rewrite_base: "/a(.*)", rewrite_target: "/b$1" }, "/a(.*)"],
    [{ url: "/a", rewrite_target: "/b$1" }, "/a"],
  ])("of %j replaces the first match", (spec, pattern) => {
    expect(routeOf(spec).rewrite).toEqual(["regex", pattern, "", ["/b", [1, "path"]], false]);
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
    const result = oneRule({ serviceGroup: { services: [{ name: "x", port: 1 }] } });
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
    const result = oneRule({ serviceGroup: { ...GROUP, ...affinity } });
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
    const result = oneRule(spec);
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

  it("an invalid header rewrite is ignored and reported", () => {
    const key = "alb.rule.cpaas.io/rewrite-request";
    const result = oneRule({}, { annotations: { [key]: "{" } });
    expect(result.route("rule/cpaas-system/r").requestHeaders).toBeUndefined();
    expect(result.reports).toEqual([
      `SETTING_IGNORED Rule cpaas-system/r metadata.annotations["${key}"]`,
    ]);
  });

  it.each([
    ["on", undefined, 0],
    ["off", true, 0],
    ["no", undefined, 1],
  ])("proxy-buffering: %s", (text, streamed, problems) => {
    const annotations = { "alb.rule.cpaas.io/proxy-buffering": text };
    const result = oneRule({}, { annotations });
    expect(result.route("rule/cpaas-system/r").streamed).toBe(streamed);
    expect(result.reports).toHaveLength(problems);
  });
});
