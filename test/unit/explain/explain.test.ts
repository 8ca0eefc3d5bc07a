import type { Predicate } from "../../../src/model/route.js";
import { explain } from "../../../src/explain/explain.js";
import type { Explanation } from "../../../src/explain/explain.js";
import { formatExplanation } from "../../../src/explain/format.js";
import { parseRequest } from "../../../src/explain/request.js";
import type { PolicyBinding, PolicyDocument, PolicyRoute } from "../../../src/model/policy.js";

const POLICY: PolicyDocument = {
  format: 4,
  version: "v",
  settings: { authTimeout: 5000, authTlsVerify: true },
  servers: {
    p80: { port: 80, tls: false, listeners: [["", "http"]] },
    p443: {
      port: 443,
      tls: true,
      listeners: [
        ["a.example", "exact"],
        ["*.example", "one"],
        ["**.example", "many"],
      ],
    },
  },
  hosts: {},
  routes: {},
  auths: {},
  upstreams: {
    "default/web/80": { endpoints: [["10.0.0.1", 8080]] },
    "default/none/80": { endpoints: [] },
  },
  certificates: { "p443|": "certificates/default.pem" },
};

const WEB = { upstream: "default/web/80", weight: 1, protocol: "http" } as const;

/** A policy with the bindings of one host each, `host|order|route`, and routes that default to a plain one. */
function policy(
  bindings: Readonly<Record<string, readonly PolicyBinding[]>>,
  routes: Readonly<Record<string, Partial<PolicyRoute>>> = {},
  auths: PolicyDocument["auths"] = {},
): PolicyDocument {
  const names = Object.values(bindings).flatMap((list) => list.map(({ route }) => route));
  return {
    ...POLICY,
    hosts: bindings,
    auths,
    routes: Object.fromEntries(
      names.map((name) => [
        name,
        {
          source: ["Ingress", "default", "web", `rules ${name}`],
          backends: [WEB],
          ...routes[name],
        },
      ]),
    ),
  };
}

function ask(document: PolicyDocument, url: string, ...headers: readonly string[]): Explanation {
  return askAs(document, { method: "GET", url, headers, client: "192.0.2.1" });
}

function askAs(document: PolicyDocument, written: Parameters<typeof parseRequest>[0]): Explanation {
  const request = parseRequest(written);
  if (!request.ok) throw new Error(request.problem);
  return explain(document, request.value);
}

/** The chosen route. */
function routeOf(document: PolicyDocument, url: string, ...headers: readonly string[]) {
  return ask(document, url, ...headers).route?.id;
}

describe("servers and listeners", () => {
  const document = policy({
    "http|": [{ order: "1", route: "clear" }],
    "exact|a.example": [{ order: "1", route: "exact" }],
    "one|*.example": [{ order: "1", route: "one" }],
    "many|**.example": [{ order: "1", route: "many" }],
  });

  it.each([
    ["http://anything/", "clear"],
    ["https://a.example/", "exact"],
    ["https://A.EXAMPLE./", "exact"],
    ["https://b.example/", "one"],
    ["https://c.b.example/", "many"],
  ])("%s is %s", (url, route) => expect(routeOf(document, url)).toBe(route));

  it("of another port or scheme there are none", () => {
    const servers = [
      { scheme: "http", port: 80 },
      { scheme: "https", port: 443 },
    ];
    const none = { kind: "unreachable", servers };
    expect(ask(document, "http://a.example:443/").answer).toEqual(none);
    expect(ask(document, "http://a.example:81/").answer).toEqual(none);
  });

  it.each([
    ["https://a.example/", true],
    ["https://b.a.other/", false],
    ["https://b.wild.example/", true],
    ["https://own.wild.example/", false],
    ["https://b.own.example/", false],
    ["https://192.0.2.1/", false],
    ["http://b.a.other/", true],
  ])("%s has a certificate: %j", (url, expected) => {
    const certificates = {
      ...{ "p443|a.example": "a.pem", "p443|*.wild.example": "b.pem", "p1|": "c" },
      // Of another namespace than the wildcard above them.
      ...{ "p443|own.wild.example": "", "p443|*.own.example": "", "p443|**.example": "d.pem" },
    };
    const { answer } = ask({ ...document, certificates }, url);
    expect(answer.kind !== "handshakeFailed").toBe(expected);
  });

  it("a wildcard's certificate is the default one where its file is empty", () => {
    const certificates = { "p443|*.wild.example": "", "p443|**.example": "b.pem" };
    const { answer } = ask({ ...document, certificates }, "https://a.wild.example/");
    expect(answer.kind).toBe("handshakeFailed");
  });

  it("the certificate is that of the URL's host, whatever the Host header says", () => {
    const certificates = { "p443|a.example": "a.pem" };
    const explanation = ask({ ...document, certificates }, "https://b/", "Host: a.example");
    expect(explanation.answer).toEqual({ kind: "handshakeFailed", serverName: "b" });
    expect(formatExplanation(explanation)).toContain(
      "the TLS handshake fails; there is no certificate for b, and no default one",
    );
  });

  it("a host without listener, or none at all, is refused", () => {
    const none = { kind: "refused", status: 404, reason: "InvalidUpstream : no rule match" };
    expect(ask(document, "https://example/").answer).toEqual(none);
    const malformed = { kind: "refused", status: 400, reason: "BadRequest : malformed request" };
    expect(ask(document, "/x").answer).toEqual(malformed);
    expect(ask(document, "http://a/../x").answer).toEqual(malformed);
  });

  it("the named one of several with one port is taken", () => {
    const two: PolicyDocument = {
      ...document,
      servers: { ...POLICY.servers, q80: { port: 80, tls: false, listeners: [["", "one"]] } },
    };
    const written = { method: "GET", url: "http://b.example/", headers: [], client: "::1" };
    expect(askAs(two, { ...written, server: "q80" }).listener).toBe("one");
    expect(askAs(two, written).listener).toBe("http");
  });
});

describe("candidates", () => {
  it("of all matching hosts are tried in byte order", () => {
    const document = policy({
      "http|a.b.example": [
        { order: "30", route: "exact", path: ["prefix", "/x"] },
        { order: "50", route: "late" },
      ],
      "http|*.b.example": [{ order: "20", route: "one", path: ["exact", "/one"] }],
      "http|**.example": [{ order: "40", route: "many" }],
      "http|": [{ order: "10", route: "any", path: ["start", "/st"] }],
      "http|other.example": [{ order: "05", route: "other" }],
    });
    expect(routeOf(document, "http://a.b.example/x/y")).toBe("exact");
    expect(routeOf(document, "http://a.b.example/one")).toBe("one");
    expect(routeOf(document, "http://a.b.example/start")).toBe("any");
    expect(routeOf(document, "http://a.b.example/")).toBe("many");
    expect(routeOf(document, "http://elsewhere/")).toBeUndefined();
    const { candidates } = ask(document, "http://a.b.example/x/y");
    expect(candidates.map(({ route, outcome }) => [route, outcome.kind])).toEqual([
      ["any", "path"],
      ["one", "path"],
      ["exact", "chosen"],
      ["many", "order"],
      ["late", "order"],
      ["other", "host"],
    ]);
  });

  it.each([
    ["exact", "/a", ["/a", "/%61"], ["/", "/a/", "/a/b", "/A"]],
    ["prefix", "/a", ["/a", "/a/", "/a/b", "/a%2Fb", "//a/./b"], ["/ab", "/b/a", "/"]],
    ["prefix", "", ["/", "/a", "/a/"], []],
    ["start", "/a", ["/a", "/ab", "/a/b"], ["/b", "/A"]],
    ["prefix", "/é", ["/é/x", "/%C3%A9"], ["/e"]],
  ] as const)("%s path %j", (kind, value, matching, others) => {
    const document = policy({ "http|": [{ order: "1", route: "r", path: [kind, value] }] });
    for (const path of matching) expect(routeOf(document, `http://a${path}`)).toBe("r");
    for (const path of others) expect(routeOf(document, `http://a${path}`)).toBeUndefined();
  });

  it("with a regular expression match where it stands", () => {
    const document = policy({
      "http|": [
        { order: "1", route: "case", path: ["regex", "^/v\\d+$", ""] },
        { order: "2", route: "nocase", path: ["regex", "/ABC", "i"] },
      ],
    });
    expect(routeOf(document, "http://a/v1")).toBe("case");
    expect(routeOf(document, "http://a/x/abc/y")).toBe("nocase");
    expect(routeOf(document, "http://a/v1/x")).toBeUndefined();
  });

  it("on a long path, where the data plane may give up, make the answer uncertain", () => {
    const document = policy({ "http|": [{ order: "1", route: "r", path: ["regex", "a$", ""] }] });
    const at = (length: number) => ask(document, `http://a/${"a".repeat(length)}`);
    expect([at(1023).route?.id, at(1023).certain]).toEqual(["r", true]);
    expect([at(1024).route?.id, at(1024).certain]).toEqual([undefined, false]);
  });

  it("that only PCRE can try make the answer uncertain, unless they come later", () => {
    const odd: PolicyBinding = { order: "1", route: "odd", path: ["regex", "a++", ""] };
    const plain: PolicyBinding = { order: "2", route: "plain" };
    const first = ask(policy({ "http|": [odd, plain] }), "http://a/");
    expect([first.route?.id, first.certain]).toEqual(["plain", false]);
    expect(formatExplanation(first)).toContain("not certain");
    const later = ask(policy({ "http|": [{ ...plain, order: "0" }, odd] }), "http://a/");
    expect([later.route?.id, later.certain]).toEqual(["plain", true]);
  });
});

describe("conditions", () => {
  const cases: readonly (readonly [Predicate, string, readonly string[], boolean])[] = [
    [{ of: "method", any: [["eq", "GET"]] }, "/", [], true],
    [{ of: "method", any: [["in", "POST", "PUT"]] }, "/", [], false],
    [{ of: "path", any: [["end", ".png"]] }, "/a%2epng", [], true],
    [{ of: "host", any: [["oneLabel", "example"]] }, "/", [], true],
    [{ of: "host", any: [["oneLabel", "a.example"]] }, "/", [], false],
    [{ of: "header", key: "x-a", any: [["eq", "1,2"]] }, "/", ["X-A: 1", "x-a: 2"], true],
    [{ of: "header", key: "x-a", any: [["exists"]] }, "/", ["X-A:"], true],
    [{ of: "header", key: "x-a", any: [["exists"]] }, "/", ["X_A: 1"], false],
    [{ of: "query", key: "q", any: [["eq", "a b"]] }, "/?q=a+b&q=c", [], true],
    [{ of: "query", key: "é", any: [["eq", "ü"]] }, "/?%C3%A9=%C3%BC", [], true],
    [{ of: "cookie", key: "c", any: [["start", "ab"]] }, "/", ["Cookie: x=1; c=abc"], true],
    [{ of: "sourceIp", any: [["cidr", "192.0.2.0/24"]] }, "/", [], true],
    [{ of: "sourceIp", any: [["cidr", "192.0.2.128/25"]] }, "/", [], false],
    [{ of: "sourceIp", any: [["range", "192.0.1.200", "192.0.2.1"]] }, "/", [], true],
    [{ of: "sourceIp", any: [["range", "192.0.2.10", "192.0.2.20"]] }, "/", [], false],
    [{ of: "sourceIp", any: [["range", "2001:db8::", "2001:db8::ff"]] }, "/", [], false],
    [{ of: "query", key: "n", any: [["range", "5", "10"]] }, "/?n=9", [], true],
    [{ of: "query", key: "n", any: [["range", "5", "10"]] }, "/?n=", [], false],
    [{ of: "query", key: "n", any: [["range", "0", "10"]] }, "/?n=x", [], false],
    [{ of: "header", key: "x-a", any: [["regex", "^v[12]$"]] }, "/", ["X-A: v2"], true],
    [
      {
        of: "header",
        key: "x-a",
        any: [
          ["eq", "1"],
          ["start", "2"],
        ],
      },
      "/",
      ["X-A: 23"],
      true,
    ],
  ];

  it.each(cases)("%j on %s %j: %s", (predicate, target, headers, holds) => {
    const document = policy({ "http|": [{ order: "1", route: "r", when: [predicate] }] });
    expect(routeOf(document, `http://b.example${target}`, ...headers)).toBe(
      holds ? "r" : undefined,
    );
  });

  it("must all hold; the first that does not is named with the request's value", () => {
    const when: Predicate[] = [
      { of: "method", any: [["eq", "GET"]] },
      { of: "header", key: "x-a", any: [["eq", "1"]] },
      { of: "header", key: "x-b", any: [["exists"]] },
    ];
    const document = policy({ "http|": [{ order: "1", route: "r", when }] });
    expect(ask(document, "http://a/", "X-A: 2").candidates[0]?.outcome).toEqual({
      kind: "predicate",
      predicate: when[1],
      value: "2",
    });
    expect(ask(document, "http://a/", "X-A: 1").candidates[0]?.outcome).toEqual({
      kind: "predicate",
      predicate: when[2],
    });
  });

  it("take an IPv4-mapped client for its IPv4 address", () => {
    const when: Predicate[] = [{ of: "sourceIp", any: [["cidr", "192.0.2.0/24"]] }];
    const document = policy({ "http|": [{ order: "1", route: "r", when }] });
    const written = { method: "GET", url: "http://a/", headers: [], client: "::ffff:192.0.2.9" };
    expect(askAs(document, written).route?.id).toBe("r");
  });
});

/** What happens on a route with these fields. */
function outcome(
  route: Partial<PolicyRoute>,
  auths: PolicyDocument["auths"] = {},
  url = "http://a/",
): Explanation {
  return ask(policy({ "http|": [{ order: "1", route: "r" }] }, { r: route }, auths), url);
}

const ALB = ["ALB2", "cpaas-system", "alb", "spec.config.auth"] as const;
const BASIC = { source: ALB, basic: { realm: "r", file: "credentials/x.json" } };

describe("what a route does", () => {
  it("forwards, with the share of each backend", () => {
    const { answer, route } = outcome({
      backends: [WEB, { ...WEB, weight: 3 }, { ...WEB, weight: 0 }],
    });
    expect(answer).toEqual({ kind: "forwarded" });
    expect(route?.backends.map(({ share, endpoints }) => [share, endpoints])).toEqual([
      [0.25, 1],
      [0.75, 1],
      [0, 1],
    ]);
  });

  it.each([
    ["a refused rule", { refuse: [500, "InvalidRule : x"] }, 500, "InvalidRule : x"],
    ["no backend", { backends: [] }, 500, "InvalidBackend : no backend"],
    ["no weight", { backends: [{ ...WEB, weight: 0 }] }, 500, "InvalidBackend : no backend"],
    [
      "no endpoint",
      { backends: [{ ...WEB, upstream: "default/none/80" }] },
      503,
      "InvalidBalancer : no peer",
    ],
    [
      "a refused backend",
      { backends: [{ weight: 1, protocol: "http", refuse: [500, "x"] }] },
      500,
      "x",
    ],
    [
      "a client outside the allowed ranges",
      { allow: ["10.0.0.0/8"] },
      403,
      "AccessFail : client address not allowed",
    ],
    [
      "a client in a denied range",
      { allow: ["192.0.0.0/8"], deny: ["192.0.2.1"] },
      403,
      "AccessFail : client address not allowed",
    ],
  ] as const)("refuses by %s", (_, route, status, reason) => {
    expect(outcome(route).answer).toEqual({ kind: "refused", status, reason });
  });

  it("redirects, unless the client came by that scheme", () => {
    const redirect = { status: 308, scheme: "https", unlessScheme: "https" } as const;
    expect(outcome({ redirect }).answer).toEqual({ kind: "redirected", redirect });
    const secure = policy({ "exact|a.example": [{ order: "1", route: "r" }] }, { r: { redirect } });
    expect(ask(secure, "https://a.example/").answer).toEqual({ kind: "forwarded" });
  });

  it("asks for the auth that it has, inherited or its own", () => {
    const { answer, route } = outcome({ auth: ["alb2"] }, { alb2: BASIC });
    expect(answer).toEqual({ kind: "forwarded" });
    expect(route?.authChecked).toBe(true);
    expect(route?.auth).toEqual([{ id: "alb2", source: ALB, inherited: true, realm: "r" }]);
    const own = { ...BASIC, source: ["Ingress", "default", "web", "metadata"] as const };
    expect(outcome({ auth: ["x"] }, { x: own }).route?.auth[0]?.inherited).toBe(false);
  });

  it("is closed by broken auth", () => {
    const broken = { source: ALB, invalid: "secret a/b not found" };
    const reason = "AuthFail : invalid cfg secret a/b not found";
    const closed = { kind: "refused", status: 503, reason };
    expect(outcome({ auth: ["alb2"] }, { alb2: broken }).answer).toEqual(closed);
    const any = { auth: ["alb2"], satisfy: "any", allow: ["192.0.2.1"] } as const;
    expect(outcome(any, { alb2: broken }).answer).toEqual(closed);
    expect(outcome({ auth: ["gone"] }).answer).toMatchObject({ status: 503 });
  });

  it("takes source ranges and auth as alternatives when one is enough", () => {
    const inside = outcome(
      { auth: ["alb2"], satisfy: "any", allow: ["192.0.2.1"] },
      { alb2: BASIC },
    );
    expect([inside.answer.kind, inside.route?.authChecked]).toEqual(["forwarded", false]);
    const outside = outcome(
      { auth: ["alb2"], satisfy: "any", allow: ["10.0.0.1"] },
      { alb2: BASIC },
    );
    expect([outside.answer.kind, outside.route?.authChecked]).toEqual(["forwarded", true]);
  });

  it("answers redirects and refusals before auth", () => {
    const redirect = { status: 301, url: "https://b/" } as const;
    expect(outcome({ auth: ["alb2"], redirect }, { alb2: BASIC }).route?.authChecked).toBe(false);
  });
});

describe("formatExplanation", () => {
  it("says all of it", () => {
    const forward = {
      source: ["Ingress", "default", "web", 'metadata.annotations["x/auth-url"]'],
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
        "  backend     66.7 % default/none/80 by https, 0 endpoints",
        "  candidates, in the order in which they are tried",
        "    no (host a.example, path exact /b\\x1b[31m): other path",
        "    head (host a.example, path any, header x-a eq 1): header x-a does not match, there is none",
        "  > yes (host a.example, path prefix /x): chosen",
        "    late (host a.example, path any): comes later",
        "    host (host b.example, path any): other host",
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
