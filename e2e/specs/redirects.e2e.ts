import { selfSigned } from "../harness/certificates.js";
import {
  alb2,
  frontend,
  ingress,
  namespace,
  nginx,
  own,
  rule,
  serviceGroup,
  tlsSecret,
} from "../harness/manifests.js";
import { scenario } from "../harness/scenario.js";

describe("an Ingress", () => {
  const one = (name: string, annotations: Record<string, string>, tls = false) =>
    ingress(name, {
      annotations,
      ...(tls && { tls: [{ hosts: [`${name}.example`], secretName: "web-tls" }] }),
      hosts: { [`${name}.example`]: [{ service: "web" }] },
    });

  const pattern = (name: string, path: string, annotation: string, text: string) =>
    ingress(name, {
      annotations: nginx({ "use-regex": "true", [annotation]: text }),
      hosts: {
        [`${name}.example`]: [{ path, pathType: "ImplementationSpecific", service: "web" }],
      },
    });

  const live = scenario(
    {
      backends: ["web"],
      flags: ["--trusted-proxies", "127.0.0.3/32"],
      errors: [/AUTH_REFERENCE_NOT_FOUND|ANNOTATION_CLOSED/],
      objects: async () => [
        tlsSecret(
          "web-tls",
          await selfSigned("tls.example", "plain-too.example", "loop.example", "private.example"),
        ),
        one("tls", {}, true),
        one("private", nginx({ "auth-type": "basic", "auth-secret": "missing" }), true),
        one("plain-too", nginx({ "ssl-redirect": "false" }), true),
        one("no-tls", {}),
        one("forced", nginx({ "force-ssl-redirect": "true" })),
        one("permanent", nginx({ "permanent-redirect": "https://new.example/a?b=c" })),
        one(
          "permanent-code",
          nginx({
            "permanent-redirect": "https://new.example/",
            "permanent-redirect-code": "308",
          }),
        ),
        one("temporal", nginx({ "temporal-redirect": "https://new.example/t" })),
        one("app-root", nginx({ "app-root": "/app/home" })),
        one("cors-tls", nginx({ "enable-cors": "true", "force-ssl-redirect": "true" })),
        one(
          "cors-moved",
          nginx({
            "enable-cors": "true",
            "cors-allow-origin": "https://a.example",
            "permanent-redirect": "https://new.example/",
          }),
        ),
        one("app-root-of-host", nginx({ "app-root": "/of/$host" })),
        pattern("moved", "/old(/|$)(?<tail>.*)", "rewrite-target", "https://new.example/$tail"),
        pattern("rewritten", "/(.*)", "rewrite-target", "/$host/$1"),
        pattern("captured", "/shop(/.*)?", "permanent-redirect", "https://new.example$1"),
        pattern("of-host", "/", "temporal-redirect", "$scheme://www.$host$request_uri"),
        pattern("in-host", "/(.*)", "temporal-redirect", "https://$1.new.example/"),
        pattern("unknown", "/", "rewrite-target", "/$hst"),
        ingress("index", {
          annotations: own({ "temporal-redirect": "https://new.example/one" }, "0-1"),
          hosts: {
            "index.example": [
              { path: "/zero", service: "web" },
              { path: "/one", service: "web" },
            ],
          },
        }),
      ],
    },
    `
    # With TLS, plain requests go to https with path and query, before auth; a trusted proxy may say that the client came by it.
    GET tls.example/a%20b/?q=1&r=%26 → 308 https://tls.example:{https}/a%20b/?q=1&r=%26
    GET tls.example:{http}/ → 308 https://tls.example:{https}/
    GET private.example/ → 308 https://private.example:{https}/
    GET https://private.example/ → 503
    GET https://tls.example/ → web
    GET tls.example/ [X-Forwarded-Proto: https] [from 127.0.0.3] [unexplained] → web
    GET tls.example/ [X-Forwarded-Proto: https] [from 127.0.0.4] → 308
    GET plain-too.example/ → web
    GET no-tls.example/ → web
    GET forced.example/x?y=1 → 308 https://forced.example:{https}/x?y=1
    # As annotations say, with captures and variables
    GET permanent.example/any?q=1 → 301 https://new.example/a?b=c
    GET permanent-code.example/any?q=1 → 308 https://new.example/
    GET temporal.example/any?q=1 → 302 https://new.example/t
    GET app-root.example/ → 302 /app/home
    GET app-root.example/app/home → web
    GET app-root-of-host.example/ → 302 /of/app-root-of-host.example
    GET moved.example/OLD/a%20b?x=1 → 302 https://new.example/a%20b?x=1
    GET moved.example/old/https://evil.example → 302 https://new.example/https:/evil.example
    GET captured.example/shop/a?x=1 → 301 https://new.example/a
    GET captured.example/shop → 301 https://new.example
    GET captured.example/shop/%0d%0aX:%20y → 301 https://new.example/%0D
    GET of-host.example/a%2Fb?x=%20 → 302 http://www.of-host.example/a%2Fb?x=%20
    GET in-host.example/shop → 302 https://shop.new.example/
    GET in-host.example/evil.example/ [unexplained] → 400
    GET unknown.example/ → 503
    GET index.example/zero → web
    GET index.example/one → 302 https://new.example/one
    # A capture that is a URL stays a path for the backend.
    GET rewritten.example/https://evil.example/a?x=1 → web /rewritten.example/https:/evil.example/a?x=1
    # A preflight is answered before a redirect.
    OPTIONS cors-tls.example/ [Origin: https://a.example] [Access-Control-Request-Method: GET] → 204
    GET cors-tls.example/ [Origin: https://a.example] [Access-Control-Request-Method: GET] → 308
    OPTIONS cors-moved.example/ [Origin: https://a.example] [Access-Control-Request-Method: GET] → 204
    GET cors-moved.example/ [Origin: https://a.example] [Access-Control-Request-Method: GET] → 301
    OPTIONS cors-moved.example/ [Origin: https://b.example] [Access-Control-Request-Method: GET] → 301
  `,
  );

  it("does not mark a redirect as an error", async () => {
    const response = await live.gateway.send({ host: "temporal.example" });

    expect(response.reason).toBeUndefined();
    expect(response.text).toContain("302 Found");
  });
});

describe("a Frontend or Rule", () => {
  const owner = { alb: "edge", frontend: "web" };
  const on = (name: string, path: string, redirect: Record<string, unknown>) =>
    rule(name, owner, {
      dslx: [{ type: "URL", values: [["STARTS_WITH", path]] }],
      serviceGroup: serviceGroup({ web: 100 }),
      config: { redirect },
    });
  scenario(
    {
      backends: ["web"],
      ports: ["moved", "web"],
      objects: ({ moved, web }) => [
        namespace("default"),
        alb2("edge", { ingressHTTPPort: 0, ingressHTTPSPort: 0 }),
        frontend("moved", "edge", {
          port: moved,
          config: { redirect: { scheme: "https", port: 443, code: 301 } },
        }),
        frontend("web", "edge", { port: web }),
        on("url", "/url", { url: "https://new.example/whole", code: 307 }),
        on("default-code", "/default", { url: "https://new.example/" }),
        on("parts", "/parts", { scheme: "https", host: "new.example", port: 8443, code: 302 }),
        on("prefix", "/old", { prefix_match: "/old", replace_prefix: "/new", code: 302 }),
        rule("served", owner, {
          dslx: [{ type: "URL", values: [["STARTS_WITH", "/served"]] }],
          serviceGroup: serviceGroup({ web: 100 }),
        }),
      ],
    },
    `
    GET any.example:8080/a?b=%20c [port moved] → 301 https://any.example/a?b=%20c
    GET any.example/url/x?q=1 [port web] → 307 https://new.example/whole
    GET any.example/default [port web] → 302 https://new.example/
    GET any.example/parts/x?q=1 [port web] → 302 https://new.example:8443/parts/x?q=1
    GET any.example/old/x?q=1 [port web] → 302 http://any.example:{web}/new/x?q=1
    GET any.example/served [port web] → web /served
  `,
  );
});
