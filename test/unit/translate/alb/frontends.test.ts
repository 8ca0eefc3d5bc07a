import {
  ANY,
  GROUP,
  NO_INGRESS,
  type Translated,
  alb2,
  frontend,
  rule,
  service,
  translated,
} from "../../../support/translated.js";

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
