import { EchoBackend, asking, echoOf } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import type { HeaderLines, HttpResponse } from "../harness/http-message.js";
import { ingress, nginx, own, service, yaml } from "../harness/manifests.js";
import { RudeServer } from "../harness/rude-server.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
let gateway: Gateway;

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  const silent = await scene.use(RudeServer.start("silence"));
  const one = (name: string, annotations: Record<string, string>, path = "/", to = "web") =>
    ingress(name, {
      annotations,
      hosts: {
        [`${name}.example`]: [{ path, pathType: "ImplementationSpecific", service: to }],
      },
    });
  gateway = await scene.use(
    Gateway.start({
      files: {
        "site.yaml": yaml(
          service("web", [{ port: backend.port }]),
          service("silent", [{ port: silent.port }, { port: backend.port }]),
          one("rewrite", nginx({ "rewrite-target": "/new/$2" }), "/old(/|$)(.*)"),
          one("rewrite-fixed", nginx({ "rewrite-target": "/always" }), "/any"),
          one("vhost", nginx({ "upstream-vhost": "inner.example" })),
          one("cors", nginx({ "enable-cors": "true" })),
          one(
            "cors-set",
            nginx({
              "enable-cors": "true",
              "cors-allow-origin": "https://a.example, https://*.b.example:8443",
              "cors-allow-methods": "GET, PUT",
              "cors-allow-headers": "X-One, X-Two",
              "cors-expose-headers": "X-Answer",
              "cors-allow-credentials": "false",
              "cors-max-age": "600",
            }),
          ),
          one("timeout", nginx({ "proxy-read-timeout": "1" }), "/", "silent"),
          one("timeout-own", own({ "proxy-read-timeout": "500ms" }), "/", "silent"),
          one("timeout-long", nginx({ "proxy-read-timeout": "3" })),
          ingress("index", {
            annotations: {
              ...nginx({ "upstream-vhost": "both.example" }),
              ...own({ "proxy-read-timeout": "1" }, "0-1"),
            },
            hosts: {
              "index.example": [
                { path: "/zero", service: "web" },
                { path: "/one", service: "web" },
              ],
            },
          }),
          one("no-index", nginx({ "proxy-read-timeout": "1" })),
        ),
      },
    }),
  );
});

describe("rewrite-target", () => {
  it.each([
    ["/old", "/new/"],
    ["/old/", "/new/"],
    ["/old/a/b?c=d&e=%20f", "/new/a/b?c=d&e=%20f"],
  ])("turns %s into %s", async (path, rewritten) => {
    const echo = echoOf(await gateway.send({ host: "rewrite.example", path }));

    expect(echo.url).toBe(rewritten);
    expect(echo.header("x-original-uri")).toBe(path);
    expect(echo.header("host")).toBe("rewrite.example");
  });

  it("without captures replaces the whole path", async () => {
    const response = await gateway.send({ host: "rewrite-fixed.example", path: "/any/thing?q=1" });

    expect(echoOf(response).url).toBe("/always?q=1");
  });

  it("keeps what is escaped escaped, so that a rewritten path cannot become another request", async () => {
    const path = "/old/a%20b%3Fc%23d%0d%0aX-Evil:%201";
    const { url, headers } = echoOf(await gateway.send({ host: "rewrite.example", path }));

    // As in ingress-nginx, `.` of a pattern ends at a line break.
    expect(url.toLowerCase()).toMatch(/^\/new\/a%20b%3fc%23d%0d(%0ax-evil:%201)?$/);
    expect(headers.map(([name]) => name.toLowerCase())).not.toContain("x-evil");
  });
});

describe("upstream-vhost", () => {
  it("is the Host header for the backend; the client's is in X-Forwarded-Host", async () => {
    const echo = echoOf(await gateway.send({ host: "vhost.example:81" }));

    expect(echo.all("host")).toEqual(["inner.example"]);
    expect(echo.header("x-forwarded-host")).toBe("vhost.example:81");
  });
});

describe("CORS", () => {
  const ORIGIN = "https://shop.example";

  function access(response: HttpResponse): Record<string, string | undefined> {
    const names = ["origin", "credentials", "methods", "headers"];
    return Object.fromEntries(
      names.map((name) => [name, response.header(`access-control-allow-${name}`)]),
    );
  }

  async function preflight(host: string, origin: string): Promise<HttpResponse> {
    const headers: HeaderLines = [
      ["Origin", origin],
      ["Access-Control-Request-Method", "PUT"],
      ["Access-Control-Request-Headers", "x-one"],
    ];
    return gateway.send({ host, method: "OPTIONS", headers });
  }

  it("answers a preflight request itself, with ingress-nginx's defaults", async () => {
    const response = await preflight("cors.example", ORIGIN);

    expect(response.status).toBe(204);
    expect(response.header("x-echo")).toBeUndefined();
    expect(access(response)).toEqual({
      origin: "*",
      credentials: undefined,
      methods: "GET, PUT, POST, DELETE, PATCH, OPTIONS",
      headers:
        "DNT, Keep-Alive, User-Agent, X-Requested-With, If-Modified-Since, Cache-Control, " +
        "Content-Type, Range, Authorization",
    });
    expect(response.header("access-control-max-age")).toBe("1728000");
    expect(response.header("vary")).toBeUndefined();
  });

  it("says what the annotations say", async () => {
    const response = await preflight("cors-set.example", "https://a.example");

    expect(access(response)).toEqual({
      origin: "https://a.example",
      credentials: undefined,
      methods: "GET, PUT",
      headers: "X-One, X-Two",
    });
    expect(response.header("access-control-expose-headers")).toBe("X-Answer");
    expect(response.header("access-control-max-age")).toBe("600");
  });
});

describe("proxy-read-timeout", () => {
  it.each(["timeout.example", "timeout-own.example"])("answers 504 for %s", async (host) => {
    const started = performance.now();
    const response = await gateway.until(
      "the silent endpoint has its turn",
      { host },
      ({ status }) => status !== 200,
    );

    expect(response.status).toBe(504);
    expect(response.reason).toBe("TimeoutViaAlb");
    expect(response.text).toContain("504 Gateway Time-out");
    expect(performance.now() - started).toBeLessThan(4000);
  });

  it("leaves faster answers alone", async () => {
    const response = await gateway.send({
      host: "timeout-long.example",
      headers: [asking({ delay: 1500 })],
    });

    expect(response.status).toBe(200);
  });

  it("can be set for one path by an index prefix, other names staying as they are", async () => {
    const headers = [asking({ delay: 1500 })];
    const zero = await gateway.send({ host: "index.example", path: "/zero", headers });
    const one = await gateway.send({ host: "index.example", path: "/one", headers });

    expect(echoOf(zero).header("host")).toBe("both.example");
    expect(one.status).toBe(504);
  });
});
