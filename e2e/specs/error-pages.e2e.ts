import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EchoBackend, asking, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { GATEWAY_NAMESPACE, gatewayOn, httpRoute } from "../harness/gateway-manifests.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { Connection, formatRequest } from "../harness/http-client.js";
import { readBody, readHead } from "../harness/http-message.js";
import { Http2Client } from "../harness/http2-client.js";
import { type Manifest, ingress, nginx, secret, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { makeTempFolder, removeFolder } from "../harness/temp-folder.js";

const scene = useScene();
let gateway: Gateway;
let web: EchoBackend;
let errors: EchoBackend;
let own: EchoBackend;

const PAGES = nginx({ "custom-http-errors": "401,403,404,413,503", "default-backend": "errors" });
const AUTH = nginx({ "auth-type": "basic", "auth-secret": "users" });

function site(name: string, annotations: Record<string, string>, to = "web"): Manifest {
  return ingress(name, { annotations, hosts: { [`${name}.example`]: [{ service: to }] } });
}

beforeAll(async () => {
  web = await scene.use(EchoBackend.start("web"));
  errors = await scene.use(EchoBackend.start("errors"));
  own = await scene.use(EchoBackend.start("own"));
  // As the default backend of ingress-nginx: the status is that of the error.
  own.on("/", (request, response) => {
    response.writeHead(Number(request.headers["x-code"]), { "content-type": "text/html" });
    response.end("x".repeat(2_000_000));
  });
  const closed = await freePort();
  gateway = await scene.use(
    Gateway.start({
      errors: [
        /there is no Service other\/errors/,
        /connect\(\) failed .* Connection refused/,
        /client intended to send too large/,
      ],
      files: {
        "site.yaml": yaml(
          service("web", [{ port: web.port }]),
          service("errors", [{ port: errors.port }]),
          service("own", [{ port: own.port }]),
          service("refusing", [{ port: closed }]),
          service("empty"),
          secret("users", { auth: await htpasswdLine("ann", "right") }),
          site("page", PAGES),
          site("own", nginx({ "custom-http-errors": "404, 500", "default-backend": "own" })),
          site("guarded", { ...PAGES, ...AUTH }),
          site("denied", { ...PAGES, ...nginx({ "denylist-source-range": "0.0.0.0/0" }) }),
          site("small", { ...PAGES, ...nginx({ "proxy-body-size": "10" }) }),
          site("empty", PAGES, "empty"),
          site("instead", nginx({ "default-backend": "errors" }), "empty"),
          site("down", nginx({ "custom-http-errors": "404", "default-backend": "refusing" })),
          site("gone", nginx({ "custom-http-errors": "404", "default-backend": "empty" })),
          site(
            "refused",
            { ...nginx({ "custom-http-errors": "502", "default-backend": "errors" }) },
            "refusing",
          ),
          site("plain", {}),
          site("events", { ...PAGES, ...nginx({ "proxy-buffering": "off" }) }),
          ingress("elsewhere", {
            namespace: "other",
            annotations: PAGES,
            hosts: { "elsewhere.example": [{ service: "web" }] },
          }),
          service("web", [{ port: web.port }], "other"),
        ),
      },
    }),
  );
});

const missing = asking({
  status: 404,
  headers: [
    ["Set-Cookie", "secret=1"],
    ["Content-Type", "text/plain; charset=latin1"],
    ["Content-Encoding", "gzip"],
  ],
});

describe("an error of a backend", () => {
  it("becomes the page of the default backend, whose status the client gets", async () => {
    const response = await gateway.send({
      host: "page.example",
      path: "/shop?id=1",
      headers: [missing, ["Accept", "text/html"], ["X-Request-ID", "abc"]],
    });

    expect(response.status).toBe(200);
    expect(response.reason).toBeUndefined();
    expect(response.all("set-cookie")).toEqual([]);
    expect(response.header("content-type")).toBeUndefined();
    const { backend, url, method, header } = echoOf(response);
    expect([backend, method, url]).toEqual(["errors", "GET", "/"]);
    const names =
      "x-code x-format x-original-uri x-namespace x-ingress-name x-service-name x-service-port x-request-id host";
    expect(names.split(" ").map((name) => header.call(echoOf(response), name))).toEqual([
      "404",
      "text/html",
      "/shop?id=1",
      "default",
      "page",
      "web",
      "80",
      "abc",
      "page.example",
    ]);
  });

  it("keeps the client's secrets and its body", async () => {
    const response = await gateway.send({
      method: "POST",
      host: "page.example",
      headers: [
        missing,
        ["Authorization", "Bearer a"],
        ["Cookie", "b=c"],
        ["X-Api-Key", "d"],
        ["Range", "bytes=0-1"],
      ],
      body: "text",
    });

    const echo = echoOf(response);
    expect(echo.backend).toBe("errors");
    expect(echo.method).toBe("GET");
    for (const name of [
      "authorization",
      "cookie",
      "x-api-key",
      "range",
      "content-length",
      "transfer-encoding",
    ]) {
      expect(echo.header(name)).toBeUndefined();
    }
  });

  it.each([201, 400, 500])("with status %d, which has no page, is passed on", async (status) => {
    const response = await gateway.send({ host: "page.example", headers: [asking({ status })] });

    expect(response.status).toBe(status);
    expect(echoOf(response).backend).toBe("web");
  });

  it("of 502, which has no page, becomes plain", async () => {
    const response = await gateway.send({
      host: "page.example",
      headers: [asking({ status: 502 })],
    });

    expect(response.status).toBe(502);
    expect(response.text).toContain("<h1>502 Bad Gateway</h1>");
  });

  it("may have a large page with the same status", async () => {
    const response = await gateway.send({ host: "own.example", headers: [missing] });

    expect(response.status).toBe(404);
    expect(response.header("content-type")).toBe("text/html");
    expect(response.text).toBe("x".repeat(2_000_000));
  });

  it("of a HEAD request has no body, and the connection stays", async () => {
    const connection = await Connection.open({ port: gateway.httpPort });
    for (const method of ["HEAD", "GET", "HEAD"]) {
      connection.write(formatRequest({ method, host: "page.example", headers: [missing] }));
      const head = await readHead(connection.reader);
      expect(head.status).toBe(200);
      if (method === "GET") await readBody(connection.reader, head, method);
    }
    connection.socket.destroy();
  });

  it("is replaced for uploads of both framings, and while responses are streamed", async () => {
    for (const host of ["page.example", "events.example", "small.example"]) {
      for (const chunked of [true, false]) {
        const response = await gateway.send({
          method: "POST",
          host,
          headers: [missing],
          body: "12345",
          chunked,
        });
        expect(echoOf(response).backend).toBe("errors");
      }
    }
  });

  it("is replaced over HTTP/2", async () => {
    const client = await scene.use(Http2Client.open({ port: gateway.httpPort }));
    const response = await client.send({
      ":authority": "own.example",
      ...Object.fromEntries([missing]),
    });

    expect(response.status).toBe(404);
    expect(response.body).toHaveLength(2_000_000);
  });

  it("of a gRPC request and of an upgrade is passed on", async () => {
    const grpc = await gateway.send({
      method: "POST",
      host: "page.example",
      headers: [asking({ status: 503 }), ["Content-Type", "application/grpc"]],
    });

    expect(echoOf(grpc).backend).toBe("web");
  });

  it.each(["down", "gone"])("is plain if the Service of its page is %s", async (name) => {
    const response = await gateway.send({ host: `${name}.example`, headers: [missing] });

    expect(response.status).toBe(404);
    expect(response.text).toContain("<h1>404 Not Found</h1>");
    expect(response.all("set-cookie")).toEqual([]);
  });

  it("has no page of another namespace", async () => {
    const response = await gateway.send({ host: "elsewhere.example", headers: [missing] });

    expect(response.status).toBe(404);
    expect(response.text).toContain("<h1>404 Not Found</h1>");
  });
});

describe("an error of the gateway", () => {
  it.each([
    ["empty", 503],
    ["refused", 502],
  ])("of a backend that is %s becomes the page", async (name, code) => {
    const echo = echoOf(await gateway.send({ host: `${name}.example`, path: "/a?b" }));

    expect(echo.backend).toBe("errors");
    expect(echo.header("x-code")).toBe(String(code));
    expect(echo.header("x-original-uri")).toBe("/a?b");
  });

  it("sends requests to the default backend in place of a backend without endpoints", async () => {
    const echo = echoOf(await gateway.send({ host: "instead.example", path: "/a?b" }));

    expect([echo.backend, echo.url, echo.header("x-code")]).toEqual(["errors", "/a?b", "503"]);
  });

  it("for too large a body becomes the page", async () => {
    for (const chunked of [true, false]) {
      const response = await gateway.send({
        method: "POST",
        host: "small.example",
        body: "x".repeat(11),
        chunked,
      });
      expect(echoOf(response).header("x-code")).toBe("413");
    }
  });
});

describe("a refusal of access", () => {
  it("keeps its status and challenge, whatever the page's status is", async () => {
    const response = await gateway.send({
      host: "guarded.example",
      headers: [["Authorization", basic("ann", "wrong")]],
    });

    expect(response.status).toBe(401);
    expect(response.header("www-authenticate")).toMatch(/^Basic /);
    expect(response.reason).toBe("AuthFail : invalid user or passwd");
    const echo = echoOf(response);
    expect([echo.backend, echo.header("x-code"), echo.header("authorization")]).toEqual([
      "errors",
      "401",
      undefined,
    ]);
  });

  it("by address keeps its status", async () => {
    const response = await gateway.send({ host: "denied.example" });

    expect(response.status).toBe(403);
    expect(echoOf(response).header("x-code")).toBe("403");
  });

  it("does not reach the backend, and a success does", async () => {
    const before = web.requests.length;
    await gateway.send({ host: "guarded.example", method: "POST", body: "abc" });
    expect(web.requests).toHaveLength(before);

    const passed = await gateway.send({
      host: "guarded.example",
      headers: [["Authorization", basic("ann", "right")]],
    });
    expect(echoOf(passed).backend).toBe("web");
  });

  it("does not wait for a body that the client announces", async () => {
    const connection = await Connection.open({ port: gateway.httpPort });
    connection.write(
      "POST / HTTP/1.1\r\nHost: denied.example\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n\r\n",
    );
    const head = await readHead(connection.reader);

    expect(head.status).toBe(403);
    expect(head.informational).toEqual([]);
    connection.socket.destroy();
    await once(connection.socket, "close");
  });
});

describe("routes without error pages", () => {
  it("pass errors on", async () => {
    const response = await gateway.send({
      host: "plain.example",
      headers: [asking({ status: 404 })],
    });

    expect(echoOf(response).backend).toBe("web");
  });
});

describe("pages of the whole gateway", () => {
  let withFiles: Gateway;
  let withService: Gateway;

  beforeAll(async () => {
    const folder = await makeTempFolder();
    await scene.use(Promise.resolve({ close: () => removeFolder(folder) }));
    await writeFile(join(folder, "404.html"), "<p>gone</p>");
    await writeFile(join(folder, "5xx.html"), "<p>broken</p>");
    const files = {
      "site.yaml": yaml(
        service("web", [{ port: web.port }]),
        service("own", [{ port: own.port }]),
        service("empty"),
        service("errors", [{ port: errors.port }], "operator"),
        secret("users", { auth: await htpasswdLine("ann", "right") }),
        site("plain", {}),
        site("guarded", AUTH),
        site("some", nginx({ "custom-http-errors": "418" })),
        site("own", nginx({ "custom-http-errors": "404", "default-backend": "own" })),
        site("gone", nginx({ "custom-http-errors": "404", "default-backend": "empty" })),
      ),
    };
    withFiles = await scene.use(Gateway.start({ files, flags: ["--error-pages", folder] }));
    const flags = [
      "--error-page-service",
      "operator/errors:80",
      "--error-page-statuses",
      "401,404,418",
    ];
    withService = await scene.use(Gateway.start({ files, flags }));
  });

  it("are files that keep the status", async () => {
    const response = await withFiles.send({ host: "plain.example", headers: [missing] });

    expect([response.status, response.text]).toEqual([404, "<p>gone</p>"]);
    expect(response.all("set-cookie")).toEqual([]);
    expect((await withFiles.send({ host: "nowhere.example" })).text).toBe("<p>gone</p>");
    const broken = await withFiles.send({
      host: "plain.example",
      headers: [asking({ status: 507 })],
    });
    expect([broken.status, broken.text]).toEqual([507, "<p>broken</p>"]);
  });

  it("leave a challenge without a page as it is", async () => {
    const response = await withFiles.send({ host: "guarded.example" });

    expect([response.status, response.header("www-authenticate")]).toEqual([
      401,
      expect.stringContaining("Basic"),
    ]);
  });

  it("are of a Service of the operator, which gets no credentials", async () => {
    const headers = [["Authorization", basic("ann", "wrong")]] as const;
    const response = await withService.send({ host: "guarded.example", headers });

    expect([response.status, response.header("www-authenticate")]).toEqual([
      401,
      expect.stringContaining("Basic"),
    ]);
    expect(echoOf(response).header("authorization")).toBeUndefined();
    expect(echoOf(await withService.send({ host: "nowhere.example" })).header("x-code")).toBe(
      "404",
    );
  });

  it("give way to those of an Ingress, and replace them if their Service has no endpoint", async () => {
    expect((await withFiles.send({ host: "own.example", headers: [missing] })).body).toHaveLength(
      2_000_000,
    );
    expect((await withFiles.send({ host: "gone.example", headers: [missing] })).text).toBe(
      "<p>gone</p>",
    );
  });

  it("serve the statuses of an Ingress that names no Service", async () => {
    const some = { host: "some.example", headers: [asking({ status: 418 })] };
    expect(echoOf(await withService.send(some)).header("x-code")).toBe("418");
    const other = await withService.send({
      host: "some.example",
      headers: [asking({ status: 404 })],
    });
    expect(echoOf(other).backend).toBe("web");
  });

  it("come and go with an Ingress while it runs", async () => {
    const change = (annotations: Record<string, string>) =>
      gateway.change(
        "late.yaml",
        yaml(ingress("late", { annotations, hosts: { "late.example": [{ service: "web" }] } })),
      );
    const request = { host: "late.example", headers: [asking({ status: 410 })] };
    await change(nginx({ "custom-http-errors": "410", "default-backend": "errors" }));
    // Until nginx is reloaded, the errors are passed on.
    await gateway.until("the page", request, (answer) => echoOf(answer).backend === "errors");
    await change({});
    await gateway.until("no page", request, (answer) => echoOf(answer).backend === "web");
  });
});

describe("pages of a Gateway", () => {
  it("are for its routes, and those of a listener win", async () => {
    const [one, two] = [await freePort(), await freePort()];
    const annotations = {
      "alb.ingress.cpaas.io/custom-http-errors": "404",
      "alb.ingress.cpaas.io/default-backend": "errors",
      "listener.two.alb.ingress.cpaas.io/custom-http-errors": "410",
    };
    const objects = gatewayOn({ one, two }).map((object) =>
      object.kind === "Gateway"
        ? { ...object, metadata: { ...object.metadata, annotations } }
        : object,
    );
    const edge = await scene.use(
      Gateway.start({
        files: {
          "site.yaml": yaml(
            objects,
            service("errors", [{ port: errors.port }], GATEWAY_NAMESPACE),
            service("web", [{ port: web.port }]),
            httpRoute("web", ["web.example"], [{ service: "web" }]),
          ),
        },
      }),
    );
    const answerOf = async (port: number, status: number) => {
      const headers = [asking({ status })];
      return echoOf(await edge.send({ host: "web.example", port, headers })).backend;
    };

    expect(await answerOf(one, 404)).toBe("errors");
    expect(await answerOf(one, 410)).toBe("web");
    expect(await answerOf(two, 404)).toBe("web");
    expect(await answerOf(two, 410)).toBe("errors");
  });
});
