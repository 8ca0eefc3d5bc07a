import {
  type Translated,
  alb2,
  frontend,
  ingress,
  namespace,
  nginx,
  rule,
  rules,
  service,
  translated,
} from "../../../support/translated.js";

const WEB = service("web");
const ALL = { projects: ["ALL_ALL"] };
const SHOP = ingress("shop", { spec: rules({ "a.example": ["/"] }) });
const GROUP = { services: [{ name: "web", namespace: "default", port: 80, weight: 1 }] };
const ANY = [{ type: "URL", values: [["STARTS_WITH", "/"]] }];
const AUTH = { forward: { url: "http://auth.example/" } };

function ports({ config }: Translated): readonly string[] {
  return config.servers.map(({ port, tls }) => `${String(port)}${tls ? " tls" : ""}`);
}

describe("without an ALB2", () => {
  it("the options' ports serve", () => {
    const result = translated(SHOP + WEB, { httpPort: 8080, httpsPort: 8443 });
    expect(ports(result)).toEqual(["8080", "8443 tls"]);
    expect(result.tried(8080)).toEqual(["a.example prefix / → ingress/default/shop/0-0"]);
    expect(result.tried(8443)).toEqual(["a.example prefix / → ingress/default/shop/0-0"]);
    expect(result.statuses).toEqual([]);
  });

  it("a port of 0 is off", () => {
    expect(ports(translated(SHOP, { httpsPort: 0 }))).toEqual(["80"]);
    expect(ports(translated("", { httpPort: 0, httpsPort: 0 }))).toEqual([]);
  });

  it("one port for HTTP and HTTPS is HTTP's, and reported", () => {
    const result = translated(SHOP + WEB, { httpPort: 8080, httpsPort: 8080 });
    expect(ports(result)).toEqual(["8080"]);
    expect(result.messages("PORT_CONFLICT")).toEqual([
      "the options httpPort and httpsPort are both 8080; HTTPS is not served",
    ]);
  });

  it("its ports are closed while one was written that can't be read: its auth is not known", () => {
    const broken = alb2("alb", { projects: "all of them" });
    const { config } = translated(SHOP + WEB + broken);
    expect(config.bindings.flatMap(({ at }) => at.flatMap(({ listeners }) => listeners))).toEqual([
      "alb2/cpaas-system/alb/443",
      "alb2/cpaas-system/alb/80",
    ]);
    expect(config.routes.map(({ refuse }) => refuse?.[0])).toEqual([503, 503]);
  });
});

describe("an ALB2", () => {
  it("serves Ingresses on 80 and 443 without a Frontend, and says so in its status", () => {
    const result = translated(SHOP + WEB + alb2("alb", ALL));
    expect(ports(result)).toEqual(["443 tls", "80"]);
    expect(result.config.listeners.map(({ id }) => id)).toEqual([
      "alb2/cpaas-system/alb/443",
      "alb2/cpaas-system/alb/80",
    ]);
    expect(result.tried(80)).toEqual(["a.example prefix / → ingress/default/shop/0-0"]);
    expect(result.statuses).toEqual([
      {
        apiVersion: "crd.alauda.io/v2",
        kind: "ALB2",
        metadata: { name: "alb", namespace: "cpaas-system" },
        status: { state: "Running", reason: "" },
      },
    ]);
  });

  it("has other ports where it says so; 0 switches one off", () => {
    const config = { ...ALL, ingressHTTPPort: 8080, ingressHTTPSPort: 0 };
    expect(ports(translated(alb2("alb", config)))).toEqual(["8080"]);
  });

  it.each([
    ["", ["8080"]],
    [frontend("ft", "alb", { port: 8080, protocol: "http", serviceGroup: GROUP }), ["8080"]],
    [frontend("ft", "alb", { port: 8080, protocol: "https", serviceGroup: GROUP }), ["8080 tls"]],
  ])("has one port for HTTP and HTTPS: it is reported (%#)", (more, expected) => {
    const config = { ...ALL, ingressHTTPPort: 8080, ingressHTTPSPort: 8080 };
    const result = translated(SHOP + WEB + alb2("alb", config) + more);
    expect(ports(result)).toEqual(expected);
    expect(result.messages("PORT_CONFLICT")).toEqual([
      "ingressHTTPPort and ingressHTTPSPort are both 8080; Ingresses have one of the two only",
    ]);
  });

  it("has no ports for Ingresses where it serves none", () => {
    const result = translated(SHOP + alb2("alb", { ...ALL, enableIngress: "false" }));
    expect(ports(result)).toEqual([]);
    expect(result.statuses[0]?.status).toEqual({ state: "Warning", reason: "no port is served" });
  });

  it("alone is served when the option names it", () => {
    const both = alb2("a", { ...ALL, ingressHTTPPort: 81 }) + alb2("b", ALL);
    expect(ports(translated(both, { alb: "cpaas-system/b" }))).toEqual(["443 tls", "80"]);
    const none = translated(both, { alb: "cpaas-system/c" });
    expect(ports(none)).toEqual([]);
    expect(none.reports).toEqual(["ALB_NOT_FOUND"]);
  });
});

test("an ALB2 serves the Ingresses of its projects' namespaces", () => {
  const at = (name: string): string =>
    ingress(name, { namespace: name, spec: rules({ [`${name}.example`]: ["/"] }) });
  const result = translated(
    [namespace("one", "red"), at("one"), at("two"), alb2("alb", { projects: ["red"] })].join(""),
  );
  expect(result.tried(80)).toEqual(["one.example prefix / → ingress/one/one/0-0"]);
});

describe("ports", () => {
  it("of a Frontend serve its Rules, and Ingresses where they are the ALB2's own", () => {
    const result = translated(
      SHOP +
        WEB +
        alb2("alb", ALL) +
        frontend("ft", "alb", { port: 80, protocol: "http" }) +
        rule("r", { dslx: ANY, serviceGroup: GROUP }),
    );
    expect(ports(result)).toEqual(["443 tls", "80"]);
    expect(result.tried(80)).toEqual([
      "a.example prefix / → ingress/default/shop/0-0",
      "start / → rule/cpaas-system/r",
    ]);
    expect(result.tried(443)).toEqual(["a.example prefix / → ingress/default/shop/0-0"]);
  });

  it("that two ALB2s want are the older one's", () => {
    const result = translated(
      SHOP + WEB + alb2("a", ALL, "2024-02-01T00:00:00Z") + alb2("b", ALL, "2024-01-01T00:00:00Z"),
    );
    expect(result.config.listeners.map(({ id }) => id)).toEqual([
      "alb2/cpaas-system/b/443",
      "alb2/cpaas-system/b/80",
    ]);
    expect(result.reports).toEqual([
      "PORT_CONFLICT ALB2 cpaas-system/a spec.config.ingressHTTPPort",
      "PORT_CONFLICT ALB2 cpaas-system/a spec.config.ingressHTTPSPort",
    ]);
  });

  it("of several ALB2s serve one Ingress each with what that ALB2 says", () => {
    const result = translated(
      SHOP +
        WEB +
        alb2("a", { ...ALL, ingressHTTPPort: 81, ingressHTTPSPort: 0, auth: AUTH }) +
        alb2("b", { ...ALL, ingressHTTPPort: 82, ingressHTTPSPort: 0 }),
    );
    expect(result.tried(81)).toEqual(["a.example prefix / → ingress/default/shop/0-0"]);
    expect(result.tried(82)).toEqual(["a.example prefix / → ingress/default/shop/0-0@82"]);
    expect(result.route("ingress/default/shop/0-0").auth).toEqual(["alb2/cpaas-system/a"]);
    expect(result.route("ingress/default/shop/0-0@82").auth).toBeUndefined();
  });

  it.each(["tcp", "udp", "smtp"])("of protocol %s stay closed", (protocol) => {
    const result = translated(alb2("alb", ALL) + frontend("ft", "alb", { port: 80, protocol }));
    expect(ports(result)).toEqual(["443 tls"]);
    expect(result.reports).toEqual(["PROTOCOL_UNSUPPORTED Frontend cpaas-system/ft spec.protocol"]);
  });

  const PORTLESS = { ...ALL, ingressHTTPPort: 0, ingressHTTPSPort: 0 };
  it.each([
    ["alb-00080", "80"],
    ["alb-80", "80"],
    ["alb-08080", ""],
    ["alb-8080", ""],
    ["b-00080", ""],
    ["other-00080", "80 443"],
    ["internal", "80 443"],
  ])("of an ALB2's Ingresses are closed while a Frontend %s can't be read: %s", (name, closed) => {
    const broken = frontend(name, "alb", { port: "eighty" });
    const result = translated(SHOP + WEB + alb2("alb", ALL) + alb2("b", PORTLESS) + broken);
    const [first] = [80, 443].map((port) => result.tried(port)[0]);
    const isClosed = (port: number): boolean => result.tried(port)[0]?.endsWith("/closed") === true;
    expect([80, 443].filter(isClosed).join(" ")).toBe(closed);
    if (closed.startsWith("80")) {
      expect(first).toBe("any → alb2/cpaas-system/alb/80/closed");
      expect(result.route("alb2/cpaas-system/alb/80/closed").refuse).toEqual([
        503,
        `AuthFail : invalid cfg Frontend cpaas-system/${name}`,
      ]);
    }
  });

  it("of a grpc Frontend have grpc backends, with TLS where there is a certificate", () => {
    const result = translated(
      WEB +
        alb2("alb", { ingressHTTPPort: 0, ingressHTTPSPort: 0, ...ALL }) +
        frontend("ft", "alb", { port: 90, protocol: "grpc" }) +
        frontend("tls", "alb", { port: 91, protocol: "grpc", certificate_name: "a/b" }) +
        rule("r", { dslx: ANY, serviceGroup: GROUP }) +
        rule("s", { dslx: ANY, serviceGroup: GROUP, backendProtocol: "https" }),
    );
    expect(ports(result)).toEqual(["90", "91 tls"]);
    expect(result.route("rule/cpaas-system/r").backends?.[0]?.protocol).toBe("grpc");
    expect(result.route("rule/cpaas-system/s").backends?.[0]?.protocol).toBe("grpcs");
  });

  it("without an ALB2 of that name in its namespace are nobody's", () => {
    const result = translated(alb2("alb", ALL) + frontend("ft", "other", { port: 90 }));
    expect(ports(result)).toEqual(["443 tls", "80"]);
    expect(result.reports).toEqual([
      "FRONTEND_UNATTACHED Frontend cpaas-system/ft metadata.labels",
    ]);
  });
});

describe("auth is inherited as a whole", () => {
  const CONFIG = { ...ALL, auth: AUTH };

  function auths(frontendAuth: unknown): Record<string, unknown> {
    const result = translated(
      SHOP +
        WEB +
        alb2("alb", CONFIG) +
        frontend("ft", "alb", { port: 80, serviceGroup: GROUP, config: { auth: frontendAuth } }) +
        rule("r", { dslx: ANY, serviceGroup: GROUP }),
    );
    return Object.fromEntries(
      result.config.routes.map(({ id, auth }) => [id.split("/").at(-1) ?? "", auth]),
    );
  }

  it("from the Frontend where it has any, also an empty one", () => {
    expect(auths({ forward: { url: "http://other.example/" } })).toMatchObject({
      r: ["frontend/cpaas-system/ft"],
      ft: ["frontend/cpaas-system/ft"],
      "0-0": ["frontend/cpaas-system/ft"],
      "0-0@443": ["alb2/cpaas-system/alb"],
    });
    expect(auths({})).toMatchObject({ r: undefined, ft: undefined, "0-0": undefined });
  });
});

describe("timeouts", () => {
  const result = (alb: object, annotations: Record<string, string> = {}): Translated =>
    translated(
      ingress("shop", { annotations, spec: rules({ "a.example": ["/"] }) }) +
        WEB +
        alb2("alb", { ...ALL, ...alb }),
    );

  it("of annotations replace the inherited object", () => {
    const { route } = result(
      { timeout: { proxy_read_timeout_ms: 7000 } },
      nginx({ "proxy-connect-timeout": "1.5" }),
    );
    expect(route("ingress/default/shop/0-0").timeouts).toEqual({
      connect: 1500,
      send: 120_000,
      read: 120_000,
    });
  });
});

test("defaultSSLStrategy decides where an Ingress without TLS is served", () => {
  const config = { ...ALL, defaultSSLStrategy: "Always" };
  const { tried } = translated(SHOP + WEB + alb2("alb", config));
  expect([tried(80).length, tried(443).length]).toEqual([0, 1]);
});
