import {
  type Translated,
  alb2,
  frontend,
  ingress,
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

  it("the ports of a refused one answer 503, and Ingresses have no others", () => {
    const broken = alb2("alb", { projects: "all of them", ingressHTTPPort: 90 });
    const result = translated(SHOP + WEB + broken);
    expect(ports(result)).toEqual(["443 tls", "90"]);
    for (const port of [90, 443]) {
      const id = `alb2/cpaas-system/alb/${String(port)}/closed`;
      expect(result.tried(port)).toEqual([expect.stringContaining(id)]);
      expect(result.route(id).refuse?.[0]).toBe(503);
    }
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

  it("of an ALB2's Ingresses answer 503 beside a refused Frontend for one of them", () => {
    const broken = frontend("ft", "alb", { port: 80, protocol: 7 });
    const albs = alb2("alb", ALL) + alb2("other", ALL);
    const { tried } = translated(SHOP + WEB + albs + broken);
    expect(tried(80)).toEqual([expect.stringContaining("frontend/cpaas-system/ft/closed")]);
    expect(tried(443)).toEqual(["a.example prefix / → ingress/default/shop/0-0"]);
    const sound = frontend("sound", "alb", { port: 80, protocol: "http" });
    expect(translated(SHOP + WEB + albs + broken + sound).tried(80)).toEqual(tried(443));
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
