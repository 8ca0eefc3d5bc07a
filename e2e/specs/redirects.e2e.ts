import { selfSigned } from "../harness/certificates.js";
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import type { Request, Target } from "../harness/http-client.js";
import {
  alb2,
  frontend,
  ingress,
  namespace,
  nginx,
  own,
  rule,
  service,
  serviceGroup,
  tlsSecret,
  yaml,
} from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
let backend: EchoBackend;

/** Status and Location of an answer. */
async function answer(gateway: Gateway, request: Request & Partial<Target>): Promise<unknown[]> {
  const response = await gateway.send(request);
  return [response.status, response.header("location")];
}

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
});

describe("an Ingress", () => {
  let gateway: Gateway;

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

  beforeAll(async () => {
    gateway = await scene.use(
      Gateway.start({
        flags: ["--trusted-proxies", "127.0.0.3/32"],
        errors: [/AUTH_REFERENCE_NOT_FOUND|ANNOTATION_CLOSED/],
        files: {
          "site.yaml": yaml(
            service("web", [{ port: backend.port }]),
            tlsSecret(
              "web-tls",
              await selfSigned(
                "tls.example",
                "plain-too.example",
                "loop.example",
                "private.example",
              ),
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
          ),
        },
      }),
    );
  });

  it("with TLS sends plain requests to https, with path and query", async () => {
    const https = `https://tls.example:${gateway.httpsPort}`;

    expect(await answer(gateway, { host: "tls.example", path: "/a%20b/?q=1&r=%26" })).toEqual([
      308,
      `${https}/a%20b/?q=1&r=%26`,
    ]);
    expect(await answer(gateway, { host: `tls.example:${gateway.httpPort}`, path: "/" })).toEqual([
      308,
      `${https}/`,
    ]);
  });

  it("with TLS and auth redirects first: credentials are for https only", async () => {
    const [status, location] = await answer(gateway, { host: "private.example" });

    expect([status, location]).toEqual([308, `https://private.example:${gateway.httpsPort}/`]);
    const tls = { servername: "tls.example" };
    expect((await gateway.send({ host: "private.example", tls })).status).toBe(503);
  });

  it("with TLS serves requests that come by https", async () => {
    const response = await gateway.send({
      host: "tls.example",
      tls: { servername: "tls.example" },
    });

    expect(response.status).toBe(200);
  });

  it("believes a trusted proxy, and only that, that the client came by https", async () => {
    const headers = [["X-Forwarded-Proto", "https"]] as const;
    const request = { host: "tls.example", headers };

    expect((await gateway.send({ ...request, from: "127.0.0.3" })).status).toBe(200);
    expect((await gateway.send({ ...request, from: "127.0.0.4" })).status).toBe(308);
  });

  it.each(["plain-too.example", "no-tls.example"])("serves plain requests for %s", async (host) => {
    expect((await gateway.send({ host })).status).toBe(200);
  });

  it("with force-ssl-redirect redirects without TLS of its own", async () => {
    const [status, location] = await answer(gateway, { host: "forced.example", path: "/x?y=1" });

    expect(status).toBe(308);
    expect(location).toBe(`https://forced.example:${gateway.httpsPort}/x?y=1`);
  });

  it.each([
    ["permanent.example", 301, "https://new.example/a?b=c"],
    ["permanent-code.example", 308, "https://new.example/"],
    ["temporal.example", 302, "https://new.example/t"],
  ])("%s answers %s to %s", async (host, status, location) => {
    expect(await answer(gateway, { host, path: "/any?q=1" })).toEqual([status, location]);
  });

  it("with app-root redirects the root and nothing else", async () => {
    const [status, location] = await answer(gateway, { host: "app-root.example" });

    expect(status).toBe(302);
    expect(location).toMatch(/\/app\/home$/);
    expect((await gateway.send({ host: "app-root.example", path: "/app/home" })).status).toBe(200);
  });

  it.each([
    ["app-root-of-host.example", "/", 302, "/of/app-root-of-host.example"],
    ["moved.example", "/OLD/a%20b?x=1", 302, "https://new.example/a%20b?x=1"],
    ["moved.example", "/old/https://evil.example", 302, "https://new.example/https:/evil.example"],
    ["captured.example", "/shop/a?x=1", 301, "https://new.example/a"],
    ["captured.example", "/shop", 301, "https://new.example"],
    ["captured.example", "/shop/%0d%0aX:%20y", 301, "https://new.example/%0D"],
    ["of-host.example", "/a%2Fb?x=%20", 302, "http://www.of-host.example/a%2Fb?x=%20"],
    ["in-host.example", "/shop", 302, "https://shop.new.example/"],
    ["in-host.example", "/evil.example/", 400, undefined],
    ["unknown.example", "/", 503, undefined],
  ])("%s%s answers %s %s, by captures and variables", async (host, path, status, location) => {
    expect(await answer(gateway, { host, path })).toEqual([status, location]);
  });

  it.each([
    ["cors-tls.example", "https://a.example", 204],
    ["cors-moved.example", "https://a.example", 204],
    ["cors-moved.example", "https://b.example", 301],
  ])("answers a preflight for %s from %s before the redirect: %s", async (host, origin, status) => {
    const headers = [
      ["Origin", origin],
      ["Access-Control-Request-Method", "GET"],
    ] as const;
    expect((await gateway.send({ host, method: "OPTIONS", headers })).status).toBe(status);
    expect((await gateway.send({ host, headers })).status).toBeGreaterThan(300);
  });

  it("a capture that is a URL stays a path for the backend", async () => {
    const path = "/https://evil.example/a?x=1";
    const response = await gateway.send({ host: "rewritten.example", path });

    expect(echoOf(response).url).toBe("/rewritten.example/https:/evil.example/a?x=1");
  });

  it("can redirect one of its paths by an index prefix", async () => {
    expect((await gateway.send({ host: "index.example", path: "/zero" })).status).toBe(200);
    expect(await answer(gateway, { host: "index.example", path: "/one" })).toEqual([
      302,
      "https://new.example/one",
    ]);
  });

  it("does not mark a redirect as an error", async () => {
    const response = await gateway.send({ host: "temporal.example" });

    expect(response.reason).toBeUndefined();
    expect(response.text).toContain("302 Found");
  });
});

describe("a Frontend or Rule", () => {
  let gateway: Gateway;
  let ports: { moved: number; web: number };

  beforeAll(async () => {
    ports = { moved: await freePort(), web: await freePort() };
    const owner = { alb: "edge", frontend: "web" };
    const on = (name: string, path: string, redirect: Record<string, unknown>) =>
      rule(name, owner, {
        dslx: [{ type: "URL", values: [["STARTS_WITH", path]] }],
        serviceGroup: serviceGroup({ web: 100 }),
        config: { redirect },
      });
    gateway = await scene.use(
      Gateway.start({
        files: {
          "site.yaml": yaml(
            namespace("default"),
            service("web", [{ port: backend.port }]),
            alb2("edge", { ingressHTTPPort: 0, ingressHTTPSPort: 0 }),
            frontend("moved", "edge", {
              port: ports.moved,
              config: { redirect: { scheme: "https", port: 443, code: 301 } },
            }),
            frontend("web", "edge", { port: ports.web }),
            on("url", "/url", { url: "https://new.example/whole", code: 307 }),
            on("default-code", "/default", { url: "https://new.example/" }),
            on("parts", "/parts", { scheme: "https", host: "new.example", port: 8443, code: 302 }),
            on("prefix", "/old", { prefix_match: "/old", replace_prefix: "/new", code: 302 }),
            rule("served", owner, {
              dslx: [{ type: "URL", values: [["STARTS_WITH", "/served"]] }],
              serviceGroup: serviceGroup({ web: 100 }),
            }),
          ),
        },
      }),
    );
  });

  it("redirects the whole Frontend, with path and query", async () => {
    const request = { port: ports.moved, host: "any.example:8080", path: "/a?b=%20c" };

    expect(await answer(gateway, request)).toEqual([301, "https://any.example/a?b=%20c"]);
  });

  it.each([
    ["/url/x?q=1", 307, "https://new.example/whole"],
    ["/default", 302, "https://new.example/"],
    ["/parts/x?q=1", 302, "https://new.example:8443/parts/x?q=1"],
  ])("redirects %s with %s to %s", async (path, status, location) => {
    expect(await answer(gateway, { port: ports.web, host: "any.example", path })).toEqual([
      status,
      location,
    ]);
  });

  it("replaces a prefix and keeps the rest and the query", async () => {
    const request = { port: ports.web, host: "any.example", path: "/old/x?q=1" };
    const [status, location] = await answer(gateway, request);

    expect(status).toBe(302);
    expect(String(location).replace(`:${ports.web}`, "")).toBe("http://any.example/new/x?q=1");
  });

  it("leaves the other rules alone", async () => {
    const response = await gateway.send({ port: ports.web, host: "any.example", path: "/served" });

    expect(echoOf(response).url).toBe("/served");
  });
});
