import { INGRESS, type Settings } from "../harness/auth-surfaces.js";
import { AuthService } from "../harness/auth-service.js";
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { type Request, formatChunk } from "../harness/http-client.js";
import type { HeaderLines } from "../harness/http-message.js";
import { Http2Client } from "../harness/http2-client.js";
import { configMap, service, yaml } from "../harness/manifests.js";
import type { RecordedRequest } from "../harness/recorded-request.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
let gateway: Gateway;
let auth: AuthService;
let backend: EchoBackend;

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
  auth = await scene.use(AuthService.start());
  const base = `http://127.0.0.1:${auth.port}`;
  const one = (name: string, target: string, settings: Settings = {}) =>
    INGRESS.site(name, { "auth-url": `${base}${target}`, ...settings });
  gateway = await scene.use(
    Gateway.start({
      flags: ["--trusted-proxies", "127.0.0.9/32"],
      files: {
        "site.yaml": yaml(
          service("web", [{ port: backend.port }]),
          configMap("headers", {
            "X-Tenant": "blue",
            "x-sent-from": "overridden",
            "X-When": "t=${msec}",
            "X-Who": "$http_x_user@$host ${arg_q}|$cookie_c|$http_absent|5$",
          }),
          one("plain", "/plain"),
          one("query", "/query?fixed=1&b=%20"),
          one("post", "/post", { "auth-method": "POST" }),
          one("head", "/head", { "auth-method": "HEAD" }),
          one("redirect", "/redirect", { "auth-request-redirect": "https://$host/back" }),
          one("headers", "/headers", { "auth-proxy-set-headers": "default/headers" }),
          one("variables", "/variables/$host/${arg_id}?uri=$escaped_request_uri&m=$request_method"),
          one("rewritten", "/rewritten", {
            "rewrite-target": "/new",
            "upstream-vhost": "inner.example",
          }),
          one("cors", "/cors", { "enable-cors": "true" }),
        ),
      },
    }),
  );
});

/** Sends a request and gives what the auth service was asked for it. */
async function asked(path: string, request: Request & { from?: string }): Promise<RecordedRequest> {
  const response = await gateway.send(request);
  expect(echoOf(response).backend).toBe("web");
  return auth.take(path);
}

describe("the auth request", () => {
  it("goes to the auth URL with GET and tells of the original request", async () => {
    const seen = await asked("/plain", {
      host: "plain.example:81",
      path: "/a%20b?q=1&r=/x",
      method: "PUT",
      body: "content",
    });

    expect(seen).toMatchObject({ method: "GET", url: "/plain", bodyLength: 0 });
    const told = [
      ["Host", `127.0.0.1:${auth.port}`],
      ["X-Original-URI", "/a%20b?q=1&r=/x"],
      ["X-Scheme", "http"],
      ["X-Original-URL", "http://plain.example:81/a%20b?q=1&r=/x"],
      ["X-Original-Method", "PUT"],
      ["X-Sent-From", "alb"],
      ["X-Real-IP", "127.0.0.1"],
      ["X-Forwarded-For", "127.0.0.1"],
      ["X-Auth-Request-Redirect", "/a%20b?q=1&r=/x"],
    ] as const;
    for (const [name, value] of told) expect([name, seen.all(name)]).toEqual([name, [value]]);
  });

  it("carries all headers of the client, repeated ones included", async () => {
    const headers: HeaderLines = [
      ["Cookie", "a=1; b=2"],
      ["Authorization", "Bearer token"],
      ["Accept", "text/html"],
      ["X-Many", "one"],
      ["X-Many", "two"],
      ["my_header", "kept"],
    ];
    const seen = await asked("/plain", { host: "plain.example", headers });

    expect(seen.header("cookie")).toBe("a=1; b=2");
    expect(seen.header("authorization")).toBe("Bearer token");
    expect(seen.header("accept")).toBe("text/html");
    expect(seen.all("x-many").join(", ")).toBe("one, two");
    expect(seen.header("my_header")).toBe("kept");
  });

  it("leaves out what describes the request, since no proxy is trusted", async () => {
    const names = ["X-Forwarded-Uri", "X_Forwarded_Method", "X-Original-Anything"];
    const headers = names.map((name) => [name, "claimed"] as const);
    const seen = await asked("/plain", { host: "plain.example", headers });

    expect(seen.headers.filter(([, value]) => value === "claimed")).toEqual([]);
  });

  it("carries more than 100 of them", async () => {
    const headers = Array.from({ length: 150 }, (_, i) => [`X-H-${i}`, String(i)] as const);
    const seen = await asked("/plain", { host: "plain.example", headers });

    for (const [name, value] of headers) expect(seen.header(name)).toBe(value);
  });

  it("leaves out what belongs to the body and to the hop", async () => {
    const headers: HeaderLines = [
      ["Connection", "keep-alive, X-Hop"],
      ["X-Hop", "mine"],
      ["Keep-Alive", "timeout=5"],
      ["TE", "trailers"],
      ["Trailer", "X-Sum"],
      ["Upgrade", "h2c"],
      ["Proxy-Connection", "keep-alive"],
      ["Expect", "100-continue"],
    ];
    const request = { host: "plain.example", method: "POST", headers, body: "x".repeat(100) };
    for (const chunked of [false, true]) {
      const seen = await asked("/plain", { ...request, chunked });
      for (const [name] of headers.slice(1)) expect([name, seen.all(name)]).toEqual([name, []]);
      expect(seen.all("content-length").filter((value) => value !== "0")).toEqual([]);
      expect(seen.all("transfer-encoding")).toEqual([]);
      expect(seen.bodyLength).toBe(0);
    }
  });

  it("has no header less than the backend: what Connection names reaches neither", async () => {
    const response = await gateway.send({
      host: "plain.example",
      headers: [
        ["Connection", "X-Tenant, Cookie"],
        ["X-Tenant", "victim"],
        ["Cookie", "session=1"],
      ],
    });
    const [seen, echo] = [auth.take("/plain"), echoOf(response)];

    for (const name of ["x-tenant", "cookie"]) expect(seen.all(name)).toEqual(echo.all(name));
  });

  it("does not believe what a client says of itself", async () => {
    const headers: HeaderLines = [
      ["X-Original-URI", "/claimed"],
      ["x-original-url", "https://claimed.example/"],
      ["X-ORIGINAL-METHOD", "CLAIMED"],
      ["X-Sent-From", "claimed"],
      ["X-Scheme", "https"],
      ["X-Real-IP", "192.0.2.1"],
      ["X-Forwarded-For", "192.0.2.1"],
      ["X-Auth-Request-Redirect", "/claimed"],
    ];
    const seen = await asked("/plain", { host: "plain.example", path: "/true", headers });

    expect(seen.header("x-original-uri")).toBe("/true");
    expect(seen.header("x-original-url")).toBe("http://plain.example/true");
    expect(seen.header("x-original-method")).toBe("GET");
    expect(seen.header("x-sent-from")).toBe("alb");
    expect(seen.header("x-scheme")).toBe("http");
    expect(seen.header("x-real-ip")).toBe("127.0.0.1");
    expect(seen.header("x-forwarded-for")).toBe("192.0.2.1, 127.0.0.1");
    expect(seen.header("x-auth-request-redirect")).toBe("/true");
  });

  it.each(["X_Original_URI", "X_Sent_From", "X_Real_IP", "X-Auth_Request_Redirect"])(
    "does not carry a client's %s, which many services take for ours",
    async (name) => {
      const seen = await asked("/plain", { host: "plain.example", headers: [[name, "claimed"]] });

      expect(seen.all(name)).toEqual([]);
    },
  );

  it("believes a trusted proxy about the client and its scheme", async () => {
    const seen = await asked("/plain", {
      host: "plain.example",
      path: "/p",
      from: "127.0.0.9",
      headers: [
        ["X-Forwarded-For", "192.0.2.1"],
        ["X-Forwarded-Proto", "https"],
      ],
    });

    expect(seen.header("x-real-ip")).toBe("192.0.2.1");
    expect(seen.header("x-forwarded-for")).toBe("192.0.2.1, 127.0.0.9");
    expect(seen.header("x-scheme")).toBe("https");
    expect(seen.header("x-original-url")).toBe("https://plain.example/p");
  });

  it("keeps the auth URL's own query", async () => {
    expect((await asked("/query", { host: "query.example", path: "/?mine=1" })).url).toBe(
      "/query?fixed=1&b=%20",
    );
  });

  it.each([
    ["post", "POST"],
    ["head", "HEAD"],
  ])("uses auth-method: %s", async (name, method) => {
    const request = { host: `${name}.example`, method: "PATCH", body: "content" };
    const seen = await asked(`/${name}`, request);

    expect(seen).toMatchObject({ method, bodyLength: 0 });
    expect(seen.header("x-original-method")).toBe("PATCH");
  });

  it("tells auth-request-redirect with its variables in place of the request URI", async () => {
    const seen = await asked("/redirect", { host: "redirect.example", path: "/somewhere" });

    expect(seen.all("x-auth-request-redirect")).toEqual(["https://redirect.example/back"]);
  });

  it("carries the config map's headers, which win over all others, with their variables", async () => {
    const seen = await asked("/headers", {
      host: "headers.example",
      path: "/?q=a%20b",
      headers: [
        ["x-tenant", "claimed"],
        ["X-User", "ann"],
        ["Cookie", "c=cookie"],
      ],
    });

    expect(seen.all("x-tenant")).toEqual(["blue"]);
    expect(seen.all("x-sent-from")).toEqual(["overridden"]);
    expect(seen.header("x-when")).toMatch(/^t=\d+\.\d{3}$/);
    expect(seen.header("x-who")).toBe("ann@headers.example a%20b|cookie||5$");
  });

  it("has the URI as it was before a rewrite", async () => {
    const seen = await asked("/rewritten", { host: "rewritten.example", path: "/old?q=1" });

    expect(seen.header("x-original-uri")).toBe("/old?q=1");
    expect(seen.header("x-original-url")).toBe("http://rewritten.example/old?q=1");
  });

  it("is not made for a CORS preflight, which the gateway answers", async () => {
    const headers: HeaderLines = [
      ["Origin", "https://a.example"],
      ["Access-Control-Request-Method", "PUT"],
    ];
    const response = await gateway.send({ host: "cors.example", method: "OPTIONS", headers });

    expect(response.status).toBe(204);
    expect(auth.asked("/cors")).toHaveLength(0);
  });

  it("uses connections that are kept", async () => {
    const before = auth.connections;
    for (let i = 0; i < 40; i += 1) await gateway.send({ host: "plain.example" });
    auth.forget("/plain");

    expect(auth.connections - before).toBeLessThanOrEqual(2);
  });
});

test("variables in the auth URL are expanded and encoded for their place", async () => {
  await gateway.send({ host: "variables.example", path: "/x%20y?id=a/../b%20&z=1" });
  const seen = auth.requests.find(({ url }) => url.startsWith("/variables/"));

  expect(seen?.url).toBe(
    "/variables/variables.example/a/../b%20?uri=%2Fx%2520y%3Fid%3Da%2F..%2Fb%2520%26z%3D1&m=GET",
  );
});

describe("a request with a body", () => {
  const body = Buffer.alloc(5_000_000, "body");

  it.each([
    ["a length", false],
    ["chunks", true],
  ])("sent with %s reaches the backend whole after the auth request", async (_, chunked) => {
    const echo = echoOf(
      await gateway.send({ host: "plain.example", method: "POST", body, chunked }),
    );

    expect(echo.bodyLength).toBe(body.length);
    expect(auth.take("/plain").bodyLength).toBe(0);
  });

  it("over HTTP/2 does too", async () => {
    const client = await scene.use(Http2Client.open({ port: gateway.httpPort }));
    const response = await client.send(
      { ":path": "/h2", ":method": "POST", ":authority": "plain.example", cookie: "a=1" },
      body,
    );
    const seen = auth.take("/plain");

    expect(JSON.parse(String(response.body))).toMatchObject({ bodyLength: body.length });
    expect(seen.header("x-original-url")).toBe("http://plain.example/h2");
    expect(seen.header("cookie")).toBe("a=1");
    expect(seen.header("host")).toBe(`127.0.0.1:${auth.port}`);
  });

  it("is streamed: the backend has its beginning before its end is sent", async () => {
    const begun = new Promise<void>((resolve) => {
      backend.on("/streamed", (request, response) => {
        request.once("data", () => resolve());
        request.on("end", () => response.end("done"));
      });
    });
    const connection = await gateway.connect();
    connection.write(
      "POST /streamed HTTP/1.1\r\nHost: plain.example\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    connection.write(formatChunk(Buffer.from("beginning")));
    await begun;
    connection.write(formatChunk());
    const response = await connection.receive();
    connection.close();
    auth.forget("/plain");

    expect(response.text).toBe("done");
  });
});
