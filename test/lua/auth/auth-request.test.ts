import { EchoBackend, echoOf } from "../../../e2e/harness/echo-backend.js";
import { sendBytes } from "../../../e2e/harness/http-client.js";
import type { HeaderLines } from "../../../e2e/harness/http-message.js";
import { Http2Client } from "../../../e2e/harness/http2-client.js";
import { useScene } from "../../../e2e/harness/scene.js";
import type { ForwardAuth } from "../../../src/model/auth.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import { forwardAuth, text } from "../../support/forward-auth.js";
import { authPolicy, LuaGateway } from "../../support/lua-gateway.js";
import { headersOf, ScriptedServer } from "../../support/scripted-server.js";

const scene = useScene();
const TRUSTED = "127.0.0.9";
let gateway: LuaGateway;
let auth: ScriptedServer;

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  auth = await scene.use(ScriptedServer.start());
  const route = (path: string, parts: Parameters<typeof forwardAuth>[2] = {}) => ({
    auth: [authPolicy({ forward: forwardAuth(auth.port, path, parts) })],
  });
  const config: NonNullable<ForwardAuth["headers"]> = [
    ["X-Tenant", text("blue")],
    ["x-sent-from", text("mine")],
    ["x-original-uri", text("$request_uri", "#")],
    ["Host", text("inner.", "$host")],
    ["Cookie", text("$cookie_absent")],
    ["X-User", text("$remote_user", "@", "$http_x_name")],
    ["Content-Length", text("5")],
    ["Transfer-Encoding", text("chunked")],
    ["Connection", text("close")],
    ["x-forwarded-proto", text("gopher")],
  ];
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      options: {
        dataPlane: {
          ...DEFAULT_OPTIONS.dataPlane,
          accessLog: "off",
          trustedProxies: [`${TRUSTED}/32`],
        },
      },
      routes: {
        "plain.example": route("/plain?x=1"),
        "post.example": route("/", { method: "POST" }),
        "head.example": route("/", { method: "HEAD" }),
        "config.example": route("/", { headers: config }),
        "redirect.example": route("/", { requestRedirect: text("https://", "$host", "/back") }),
        "empty-redirect.example": route("/", { requestRedirect: text("$http_absent") }),
        "target.example": route("/", {
          target: text("/", "$http_x_part/component", "$request_uri/raw"),
        }),
        "uri.example": route("/", { target: text("/at", "$uri/raw", "?", "$args/raw") }),
        "host.example": route("/", {
          host: text("$http_x_host/host"),
          target: text("/host"),
        }),
        "http-host.example": {
          auth: [
            authPolicy({
              forward: {
                scheme: "http",
                host: text("$http_x_host/host"),
                target: text("/"),
                method: "GET",
              },
            }),
          ],
        },
        "port.example": route("/", { port: text("$http_x_port/host") }),
        "name.example": route("/", { host: text("$http_x_host/host", ".0.0.1") }),
        "listed.example": route("/", { responseHeaders: ["x-user", "authorization"] }),
      },
    }),
  );
});

/** The headers that the auth service gets for a request. */
async function asked(host: string, headers: HeaderLines = [], path = "/", from?: string) {
  const response = await gateway.send({ host, headers, path, ...(from !== undefined && { from }) });
  expect([response.status, response.reason]).toEqual([200, undefined]);
  return headersOf(auth.take());
}

const line = () => auth.requests[0]?.head.split("\r\n")[0];

describe("the auth request", () => {
  it("is byte for byte what it should be", async () => {
    const headers = [
      ["Accept", "*/*"],
      ["X-Many", "one"],
      ["Other", ""],
      ["X-Many", "two"],
    ] as const;
    await gateway.send({
      host: "plain.example:81",
      path: "/a%20b?q=1",
      method: "PUT",
      headers,
      body: "x",
    });

    expect(auth.take().head.split("\r\n")).toEqual([
      "GET /plain?x=1 HTTP/1.1",
      `Host: 127.0.0.1:${auth.port}`,
      "accept: */*",
      "x-many: one",
      "other: ",
      "x-many: two",
      "X-Original-URI: /a%20b?q=1",
      "X-Scheme: http",
      "X-Original-URL: http://plain.example:81/a%20b?q=1",
      "X-Original-Method: PUT",
      "X-Sent-From: alb",
      "X-Real-IP: 127.0.0.1",
      "X-Auth-Request-Redirect: /a%20b?q=1",
      expect.stringMatching(/^X-Albc-Question: \d{10} [\w+/]{8} [\w+/]{27}$/),
      "X-Forwarded-For: 127.0.0.1",
      "X-Albc-Turns: 4/0",
    ]);
  });

  it.each(["post", "head"])("has the method of the policy: %s", async (method) => {
    await gateway.send({ host: `${method}.example` });
    expect(line()).toBe(`${method.toUpperCase()} / HTTP/1.1`);
    auth.take();
  });

  it("takes no header for its own from a client, whatever its letters", async () => {
    const names = [
      "X-Original-URI",
      "x-SCHEME",
      "X_Original_Url",
      "x-original_method",
      "X_Sent-From",
    ];
    const more = ["X-Real-Ip", "X_Real_IP", "X-Auth-Request-Redirect", "X_Auth_Request_Redirect"];
    const claimed = [...names, ...more].map((name) => [name, "claimed"] as const);
    const seen = await asked("plain.example", claimed);

    expect(JSON.stringify([...seen])).not.toContain("claimed");
    expect(seen.get("x-scheme")).toEqual(["http"]);
    expect(seen.get("x-real-ip")).toEqual(["127.0.0.1"]);
  });

  it("appends the peer to the client's chain", async () => {
    const headers = [
      ["X-Forwarded-For", "192.0.2.1"],
      ["x-forwarded-for", "192.0.2.2"],
      ["X_Forwarded_For", "192.0.2.3"],
    ] as const;
    const seen = await asked("plain.example", headers);

    expect(seen.get("x-forwarded-for")).toEqual(["192.0.2.1, 192.0.2.2, 127.0.0.1"]);
    expect(seen.has("x_forwarded_for")).toBe(false);
  });

  it("tells what X-Forwarded-Proto, -Host, -Port and Forwarded of a client are worth", async () => {
    const headers = [
      ["X-Forwarded-Proto", "https"],
      ["X-Forwarded-Host", "claimed.example"],
      ["X-Forwarded-Port", "444"],
      ["Forwarded", "for=192.0.2.1"],
    ] as const;
    const nobody = await asked("plain.example", headers);
    expect(nobody.get("x-forwarded-proto")).toEqual(["http"]);
    expect(nobody.get("x-forwarded-host")).toEqual(["plain.example"]);
    expect(nobody.get("x-forwarded-port")).toEqual([String(gateway.nginx.port)]);
    expect(nobody.has("forwarded")).toBe(false);

    const trusted = await asked("plain.example", headers, "/", TRUSTED);
    expect(trusted.get("x-forwarded-proto")).toEqual(["https"]);
    expect(trusted.get("x-forwarded-host")).toEqual(["claimed.example"]);
    expect(trusted.get("x-forwarded-port")).toEqual(["444"]);
    expect(trusted.get("x-scheme")).toEqual(["https"]);
    expect(trusted.get("x-original-url")).toEqual(["https://plain.example/"]);

    const silent = await asked("plain.example");
    expect(silent.has("x-forwarded-proto")).toBe(false);
  });

  it("leaves out what is of the body and of the hop", async () => {
    const headers = [
      ["Connection", "keep-alive, X-Hop,x-other , close"],
      ["X-Hop", "1"],
      ["X-Other", "2"],
      ["X-Kept", "3"],
      ["Keep-Alive", "timeout=5"],
      ["TE", "trailers"],
      ["Trailer", "X-Sum"],
      ["Upgrade", "h2c"],
      ["Proxy-Connection", "keep-alive"],
      ["Proxy-Authorization", "Basic x"],
      ["Expect", "100-continue"],
    ] as const;
    const response = await gateway.send({
      host: "plain.example",
      method: "POST",
      headers,
      body: "abc",
    });
    const seen = headersOf(auth.take());

    const left = headers.map(([name]) => name.toLowerCase()).filter((name) => seen.has(name));
    expect(left).toEqual(["x-kept"]);
    expect(seen.has("content-length")).toBe(false);
    // What the auth service could not judge by, the backend must not go by.
    const echo = echoOf(response);
    expect([echo.all("x-hop"), echo.all("x-other"), echo.all("x-kept")]).toEqual([[], [], ["3"]]);
    expect(echo.bodyLength).toBe(3);
  });

  it("does not let Connection take away what tells of the client or frames the body", async () => {
    const headers = [
      ["Connection", "X-Forwarded-For, X-Forwarded-Proto, X-Real-IP, Host, Content-Length"],
      ["X-Forwarded-For", "192.0.2.1"],
    ] as const;
    const response = await gateway.send({
      host: "plain.example",
      method: "POST",
      headers,
      body: "abc",
    });
    const seen = headersOf(auth.take());
    const echo = echoOf(response);

    expect(seen.get("x-forwarded-for")).toEqual(["192.0.2.1, 127.0.0.1"]);
    expect(echo.all("x-forwarded-for")).toEqual(["192.0.2.1, 127.0.0.1"]);
    expect(echo.all("host")).toEqual(["plain.example"]);
    expect(echo.bodyLength).toBe(3);
  });

  it("carries hundreds of headers and long ones", async () => {
    const many = Array.from({ length: 400 }, (_, i) => [`X-H-${i}`, `v${i}`] as const);
    const seen = await asked("plain.example", [...many, ["X-Long", "y".repeat(15_000)]]);

    for (const [name, value] of many) expect(seen.get(name.toLowerCase())).toEqual([value]);
    expect(seen.get("x-long")?.[0]).toHaveLength(15_000);
    // The buffer that grew serves small requests as well.
    expect((await asked("plain.example", [["X-A", "b"]])).get("x-a")).toEqual(["b"]);
  });

  it("carries bytes beyond ASCII as they are", async () => {
    const bytes = Buffer.from(
      "GET / HTTP/1.1\r\nHost: plain.example\r\nX-Name: zo\xeb \xff\r\n\r\n",
      "latin1",
    );
    await sendBytes(gateway.target(), bytes);
    expect(headersOf(auth.take()).get("x-name")).toEqual(["zo\xeb \xff"]);
  });

  it("is the same for a client over HTTP/2", async () => {
    const client = await scene.use(Http2Client.open({ port: gateway.nginx.port }));
    const response = await client.send(
      {
        ":path": "/p?q",
        ":method": "POST",
        ":authority": "plain.example",
        cookie: "a=1; b=2",
        te: "trailers",
      },
      Buffer.alloc(100_000, "x"),
    );
    const seen = headersOf(auth.take());

    expect(JSON.parse(String(response.body))).toMatchObject({ bodyLength: 100_000 });
    expect(seen.get("host")).toEqual([`127.0.0.1:${auth.port}`]);
    expect(seen.get("cookie")).toEqual(["a=1; b=2"]);
    expect(seen.get("x-original-url")).toEqual(["http://plain.example/p?q"]);
    expect(seen.get("x-original-method")).toEqual(["POST"]);
    for (const name of ["te", "content-length", ":path"]) expect(seen.has(name)).toBe(false);
  });

  it("tells auth-request-redirect when it is something", async () => {
    expect((await asked("redirect.example")).get("x-auth-request-redirect")).toEqual([
      "https://redirect.example/back",
    ]);
    expect(
      (await asked("empty-redirect.example", [], "/p")).get("x-auth-request-redirect"),
    ).toEqual(["/p"]);
  });
});

describe("headers of the config map", () => {
  it("win over all others, but for those of the hop", async () => {
    const headers = [
      ["X-TENANT", "claimed"],
      ["x_tenant", "claimed"],
      ["Cookie", "a=b"],
      ["X-Name", "zoë"],
      ["X-Forwarded-Proto", "https"],
      ["Authorization", `Basic ${Buffer.from("ann:x").toString("base64")}`],
    ] as const;
    const seen = await asked("config.example", headers, "/p");

    expect(seen.get("x-tenant")).toEqual(["blue"]);
    expect(seen.has("x_tenant")).toBe(false);
    expect(seen.get("x-sent-from")).toEqual(["mine"]);
    expect(seen.get("x-original-uri")).toEqual(["/p#"]);
    expect(seen.get("host")).toEqual(["inner.config.example"]);
    expect(seen.has("cookie")).toBe(false);
    expect(seen.get("x-user")).toEqual(["ann@zo\xeb"]);
    expect(seen.get("x-forwarded-proto")).toEqual(["gopher"]);
    for (const name of ["content-length", "transfer-encoding", "connection"]) {
      expect(seen.has(name)).toBe(false);
    }
  });

  it("cannot be made to hold a line of their own", async () => {
    gateway.newLog();
    // A user-id with a line break.
    const headers = [
      ["Authorization", `Basic ${Buffer.from("a\r\nX-Evil: 1:x").toString("base64")}`],
    ] as const;
    const response = await gateway.send({ host: "config.example", headers });

    expect([response.status, response.reason]).toEqual([500, "AuthFail : build-auth-request-fail"]);
    expect(auth.requests).toHaveLength(0);
    expect(gateway.newLog()).toContain("value of $remote_user can't stand as raw");
  });
});

describe("variables in the auth URL", () => {
  it("go in encoded for their place", async () => {
    const headers = [["X-Part", "a/b c?d#e\xe9"]] as const;
    await gateway.send({ host: "target.example", headers, path: "/x%20y?z=%2F" });
    expect(line()).toBe("GET /a%2Fb%20c%3Fd%23e%E9/x%20y?z=%2F HTTP/1.1");
    auth.take();
  });

  it("that are decoded are encoded again", async () => {
    await gateway.send({ host: "uri.example", path: "/a%20b%0D%0AX:%20y/%3F%25?q=%20" });
    expect(line()).toBe("GET /at/a%20b%0D%0AX:%20y/%3F%25?q=%20 HTTP/1.1");
    auth.take();
  });

  it.each([
    ["host.example", "X-Host", "127.0.0.1", 200],
    ["host.example", "X-Host", "localhost", 200],
    ["host.example", "X-Host", "", 500],
    ["host.example", "X-Host", "127.0.0.1:80", 500],
    ["host.example", "X-Host", "127.0.0.1/evil", 500],
    ["host.example", "X-Host", "user@127.0.0.1", 500],
    ["host.example", "X-Host", "127.0.0.1#", 500],
    ["host.example", "X-Host", "127.0.0.1 ", 200],
    ["host.example", "X-Host", "a..b", 500],
    ["host.example", "X-Host", ".b", 500],
    ["name.example", "X-Host", "127", 200],
    ["name.example", "X-Host", "", 500],
    ["name.example", "X-Host", "127.", 500],
    ["name.example", "X-Host", "127:1", 500],
    ["port.example", "X-Port", "PORT", 200],
    ["port.example", "X-Port", "0", 500],
    ["port.example", "X-Port", "65536", 500],
    ["port.example", "X-Port", "", 500],
    ["port.example", "X-Port", "80a", 500],
    ["http-host.example", "X-Host", "127.0.0.1:PORT", 200],
    ["http-host.example", "X-Host", "localhost:PORT", 200],
    ["http-host.example", "X-Host", "127.0.0.1:0", 500],
    ["http-host.example", "X-Host", "[::1", 500],
  ])("at %s with %s: %j give %s", async (host, name, value, status) => {
    const headers = [[name, value.replace("PORT", String(auth.port))]] as const;
    const response = await gateway.send({ host, headers });

    expect(response.status).toBe(status);
    if (status === 500) expect(response.reason).toBe("AuthFail : build-auth-request-fail");
    expect(auth.requests.splice(0)).toHaveLength(status === 200 ? 1 : 0);
  });

  it("bring the authority of the Host header with them", async () => {
    const authority = `127.0.0.1:${auth.port}`;
    expect((await asked("http-host.example", [["X-Host", authority]])).get("host")).toEqual([
      authority,
    ]);
  });
});

it("the auth service sees what the client says in the headers that it sets", async () => {
  const headers = [
    ["Authorization", "Bearer client"],
    ["X-User", "root"],
  ] as const;
  const seen = await asked("listed.example", headers);
  expect(seen.get("authorization")).toEqual(["Bearer client"]);
});
