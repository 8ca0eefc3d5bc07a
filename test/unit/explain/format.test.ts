import { formatExplanation } from "../../../src/explain/format.js";
import { BASIC, POLICY, WEB, ask, askAs, policy } from "../../support/explained.js";

describe("formatExplanation", () => {
  it("says all of it", () => {
    const forward = {
      source: 'metadata.annotations["x/auth-url"]',
      forward: {
        scheme: "https",
        host: ["auth.", ["host", "host"]],
        port: ["8443"],
        target: ["/verify?x=", ["arg_x", "raw"]],
        method: "POST",
        signin: ["https://login/?rd=", ["escaped_request_uri", "raw"]],
      },
    } as const;
    const document = policy(
      {
        "http|a.example": [
          { order: "1", route: "no", path: ["exact", "/b\u001b[31m"] },
          { order: "2", route: "head", when: [{ of: "header", key: "x-a", any: [["eq", "1"]] }] },
          { order: "3", route: "yes", path: ["prefix", "/x"] },
          { order: "4", route: "late" },
        ],
        "http|b.example": [{ order: "1", route: "host" }],
      },
      {
        yes: {
          auth: ["alb2", "own"],
          allow: ["192.0.2.0/24"],
          rewrite: ["prefix", "/x", "/y"],
          host: "internal",
          requestHeaders: { set: [["X-A", "b"]], remove: ["x-c"] },
          cors: { origins: ["*"], methods: [], headers: [], credentials: false, maxAge: 1 },
          backends: [WEB, { ...WEB, weight: 2, upstream: "default/none/80", protocol: "https" }],
        },
      },
      { alb2: BASIC, own: forward },
    );
    const written = {
      method: "OPTIONS",
      url: "http://a.example/%78/",
      headers: [],
      client: "192.0.2.1",
    };
    expect(formatExplanation(askAs(document, written))).toBe(
      [
        "OPTIONS http://a.example:80/%78/",
        "  answer      forwarded when the auth passes",
        "  path        /x/",
        "  listener    http (server p80)",
        "  route       yes",
        "  from        Ingress default/web rules yes",
        "  cors        OPTIONS of an allowed origin is answered 204 before auth",
        "  source      the client's address is allowed",
        '  auth        basic, realm "r"',
        "              inherited from ALB2 cpaas-system/alb spec.config.auth",
        "  auth        forward, POST https://auth.${host}:8443/verify?x=${arg_x}; 401 leads to https://login/?rd=${escaped_request_uri}",
        '              set by Ingress default/web metadata.annotations["x/auth-url"]',
        "  filter      CORS for *",
        "  filter      path becomes <path with /y for its prefix /x>",
        "  filter      Host becomes internal",
        "  filter      request header X-A set to b",
        "  filter      request header x-c removed",
        "  sent on     as /y/",
        "  backend     33.3 % default/web/80 by http, 1 endpoint",
        "              10.0.0.1:8080",
        "  backend     66.7 % default/none/80 by https, 0 endpoints",
        "  candidates, in the order in which they are tried",
        "    no (host a.example, path exact /b\\u001b[31m): other path",
        "    head (host a.example, path any, header x-a eq 1): header x-a does not match, there is none",
        "  > yes (host a.example, path prefix /x): chosen",
        "    late (host a.example, path any): comes later",
        "",
      ].join("\n"),
    );
  });

  it("says what is retried, ended, mirrored and kept, and what only one backend's requests undergo", () => {
    const mirror = { upstream: "default/shadow/80", protocol: "http", numerator: 1 } as const;
    const document = policy(
      { "http|a.example": [{ order: "1", route: "yes" }] },
      {
        yes: {
          mirrors: [{ ...mirror, denominator: 8 }],
          deadlines: { request: 900, backendRequest: 300 },
          retry: { codes: [500, 503], attempts: 2 },
          session: { in: "cookie", name: "s", path: "/", absoluteTimeout: 60, permanent: true },
          backends: [
            {
              ...WEB,
              filters: {
                auth: ["own"],
                redirect: { status: 302, host: "other.example" },
                host: "internal",
                responseHeaders: { add: [["X-A", "b"]] },
                mirrors: [{ ...mirror, denominator: 1 }],
              },
            },
          ],
        },
      },
    );
    const written = { method: "GET", url: "http://a.example/", headers: [], client: "192.0.2.1" };
    const text = formatExplanation(askAs(document, written));

    expect(text.split("\n").filter((line) => /filter|backend|^ {14}/.test(line))).toEqual([
      "  answer      forwarded when the auth of its backend passes",
      "  auth        of the backend",
      "  filter      12.5 % mirrored to default/shadow/80 by http",
      "  filter      whole answer within 900 ms",
      "  filter      each try within 300 ms",
      "  filter      up to 2 further tries on failure to connect, 500, 503",
      "  filter      session by cookie s for 60 s",
      "  backend     100 % default/web/80 by http, 1 endpoint",
      "              10.0.0.1:8080",
      "              auth own",
      "              redirect 302 to <scheme>://other.example<path and query>",
      "              Host becomes internal",
      "              response header X-A added: b",
      "              100 % mirrored to default/shadow/80 by http",
    ]);
  });

  it("counts candidates beyond those that it shows, and always shows the chosen one", () => {
    const list = Array.from({ length: 60 }, (_, i) => ({
      order: String(i).padStart(3, "0"),
      route: `r${String(i)}`,
      path: ["exact", `/${String(i)}`] as const,
    }));
    const text = formatExplanation(ask(policy({ "http|": list }), "http://a/40"));
    expect(text).toContain("> r40 ");
    expect(text).toContain("and 19 more");
    expect(formatExplanation(ask(policy({ "http|": list }), "http://a/"))).toContain("and 40 more");
  });

  it("says that nothing listens, and what does", () => {
    expect(formatExplanation(ask(POLICY, "http://a:81/"))).toBe(
      "GET http://a:81/\n  answer      none: no server has this port and scheme (there are http 80, https 443)\n",
    );
    expect(formatExplanation(ask({ ...POLICY, servers: {} }, "http://a:81/"))).toContain(
      "(there is none at all)",
    );
  });
});
