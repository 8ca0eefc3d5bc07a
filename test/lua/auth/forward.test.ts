import { AuthService } from "../../../e2e/harness/auth-service.js";
import { asking, EchoBackend, echoOf } from "../../../e2e/harness/echo-backend.js";
import type { HeaderLines, HttpResponse } from "../../../e2e/harness/http-message.js";
import { Http2Client } from "../../../e2e/harness/http2-client.js";
import { useScene } from "../../../e2e/harness/scene.js";
import { forwardAuth, text } from "../../support/forward-auth.js";
import { freePort } from "../../support/free-port.js";
import { authPolicy, LuaGateway, type TestRoute } from "../../support/lua-gateway.js";

const scene = useScene();
const FROM_AUTH = [
  "session=1; Path=/; HttpOnly",
  "same=auth; Expires=Wed, 09 Jun 2027 10:18:14 GMT",
];
const FROM_BACKEND = ["same=backend", "theme=dark"];
let gateway: LuaGateway;
let auth: AuthService;

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  auth = await scene.use(AuthService.start());
  const dead = await freePort();
  const route = (parts: Parameters<typeof forwardAuth>[2] = {}, path = "/"): TestRoute => ({
    auth: [authPolicy({ forward: forwardAuth(auth.port, path, parts) })],
  });
  const rd = text(
    "https://login.example/?rd=",
    "$pass_access_scheme",
    "://",
    "$http_host",
    "$escaped_request_uri",
  );
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      options: { auth: { timeout: 400, tlsVerify: true } },
      upstreams: [
        {
          id: "iam/auth/80",
          endpoints: [
            ["127.0.0.1", dead],
            ["127.0.0.1", auth.port],
          ],
        },
        { id: "iam/none/80", endpoints: [] },
      ],
      routes: {
        "plain.example": route(),
        "always.example": route({ alwaysSetCookie: true }),
        "dead.example": { auth: [authPolicy({ forward: forwardAuth(dead, "/") })] },
        "headers.example": route({
          responseHeaders: ["x-user", "x-groups", "x-absent", "cookie", "authorization"],
        }),
        "framing.example": route({
          responseHeaders: ["x-user", "content-length", "transfer-encoding", "connection", "host"],
        }),
        "signin.example": route({ signin: rd }),
        "bad-signin.example": route({ signin: text("https://login.example/?u=", "$remote_user") }),
        "two.example": {
          auth: ["/a", "/b"].map((path) =>
            authPolicy({
              forward: forwardAuth(auth.port, path, {
                responseHeaders: ["x-user"],
                ...(path === "/b" && { alwaysSetCookie: true }),
              }),
            }),
          ),
        },
        "service.example": route({
          host: text("auth.iam"),
          port: text("80"),
          upstream: "iam/auth/80",
        }),
        "idle.example": route({ host: text("none.iam"), upstream: "iam/none/80" }),
        "limited.example": { ...route(), bodyLimit: 1000 },
      },
    }),
  );
});
beforeEach(() => {
  auth.requests.length = 0;
  for (const path of ["/", "/a", "/b"]) auth.answer(path, { status: 200 });
});

const outcome = ({ status, reason }: HttpResponse) => [status, reason];
const cookieLines = (cookies: readonly string[]): HeaderLines =>
  cookies.map((value) => ["Set-Cookie", value] as const);

describe("the outcome", () => {
  it.each([200, 201, 202, 204, 206, 299])("%s passes", async (status) => {
    auth.answer("/", { status });
    expect((await gateway.send({ host: "plain.example" })).status).toBe(200);
  });

  it.each([
    [401, 401],
    [403, 403],
    [302, 500],
    [304, 500],
    [400, 500],
    [404, 500],
    [500, 500],
    [503, 500],
  ])("%s is %s", async (answer, status) => {
    auth.answer("/", {
      status: answer,
      headers: [
        ["Location", "http://inner/"],
        ["X-Inner", "1"],
      ],
    });
    const response = await gateway.send({ host: "plain.example" });

    expect(outcome(response)).toEqual([status, `AuthFail : auth-service-status: ${answer}`]);
    expect([response.header("location"), response.header("x-inner")]).toEqual([
      undefined,
      undefined,
    ]);
    expect(response.text).toContain(String(status));
  });

  it("401 brings all challenges", async () => {
    const challenges = ['Basic realm="a, b"', "Negotiate", 'Bearer realm="c"'];
    auth.answer("/", {
      status: 401,
      headers: challenges.map((value) => ["WWW-Authenticate", value] as const),
    });
    const response = await gateway.send({ host: "plain.example" });
    expect(response.all("www-authenticate")).toEqual([
      challenges[0],
      challenges.slice(1).join(", "),
    ]);

    auth.answer("/", { status: 401 });
    expect((await gateway.send({ host: "plain.example" })).all("www-authenticate")).toEqual([]);
  });

  it.each([
    ["dead.example", "connection refused"],
    ["idle.example", "no endpoint"],
  ])("of %s is 500, and the log has why", async (host, why) => {
    gateway.newLog();
    const response = await gateway.send({ host });
    expect(outcome(response)).toEqual([500, "AuthFail : send-auth-request-fail"]);
    const log = gateway.newLog();
    expect(log).toContain(why);
    expect(log).toMatch(/albc: auth service http:\/\/[\w.]+(:\d+)?: /);
  });

  it("of a silent service is 500 in time", async () => {
    auth.answer("/", "silence");
    const started = performance.now();
    expect(outcome(await gateway.send({ host: "plain.example" }))).toEqual([
      500,
      "AuthFail : send-auth-request-fail",
    ]);
    expect(performance.now() - started).toBeGreaterThan(350);
  });

  it("of a Service whose endpoints partly refuse comes from the others", async () => {
    for (let i = 0; i < 6; i += 1) {
      expect((await gateway.send({ host: "service.example" })).status).toBe(200);
    }
    expect(auth.requests[0]?.header("host")).toBe("auth.iam:80");
  });

  it("is awaited before a body is limited or read", async () => {
    auth.answer("/", { status: 403 });
    const send = (size: number, chunked: boolean) =>
      gateway.send({ host: "limited.example", method: "POST", body: "x".repeat(size), chunked });
    expect((await send(10, true)).status).toBe(403);
    auth.answer("/", { status: 200 });
    expect((await send(10, true)).status).toBe(200);
    expect((await send(2000, false)).status).toBe(413);
    expect((await send(2000, true)).status).toBe(413);
  });
});

describe("headers for the backend", () => {
  it("are set from the answer, each line one", async () => {
    const headers = [
      ["x-user", "ann"],
      ["X-Groups", "a"],
      ["X-Groups", "b, c"],
      ["Cookie", "from=auth"],
      ["X-Other", "no"],
    ] as const;
    auth.answer("/", { status: 200, headers });
    const echo = echoOf(await gateway.send({ host: "headers.example" }));

    expect(echo.all("x-user")).toEqual(["ann"]);
    expect(echo.all("x-groups")).toEqual(["a", "b, c"]);
    expect(echo.all("cookie")).toEqual(["from=auth"]);
    expect(echo.all("x-other")).toEqual([]);
  });

  it("are never the client's", async () => {
    const names = [
      "X-User",
      "x-USER",
      "x_user",
      "X_Groups",
      "X-Absent",
      "X_ABSENT",
      "Cookie",
      "Authorization",
    ];
    const headers = names.map((name) => [name, "claimed"] as const);
    const echo = echoOf(await gateway.send({ host: "headers.example", headers }));
    for (const name of names) expect([name, echo.all(name)]).toEqual([name, []]);
  });

  it("may not say where the request ends or whom it is for", async () => {
    const headers = [
      ["X-User", "ann"],
      ["Host", "other.example"],
      ["Connection", "x-user"],
    ] as const;
    auth.answer("/", { status: 200, headers });
    const response = await gateway.send({ host: "framing.example", method: "POST", body: "hello" });
    const echo = echoOf(response);
    expect([echo.bodyLength, echo.all("host"), echo.all("x-user")]).toEqual([
      5,
      ["framing.example"],
      ["ann"],
    ]);
  });

  it("of two policies: the later wins, and neither service sees what the other said", async () => {
    auth.answer("/a", { status: 200, headers: [["X-User", "a"]] });
    auth.answer("/b", { status: 200, headers: [["X-User", "b"]] });
    const both = await gateway.send({ host: "two.example", headers: [["X-User", "client"]] });
    expect(echoOf(both).all("x-user")).toEqual(["b"]);
    expect(auth.take("/b").header("x-user")).toBe("client");

    auth.answer("/b", { status: 200 });
    const first = await gateway.send({ host: "two.example", headers: [["X-User", "client"]] });
    expect(echoOf(first).all("x-user")).toEqual([]);
  });
});

describe("cookies", () => {
  const send = (host: string, status: number) =>
    gateway.send({ host, headers: [asking({ status, headers: cookieLines(FROM_BACKEND) })] });

  it.each([200, 201, 204, 206, 301, 302, 303, 304, 307, 308])("are added on %s", async (status) => {
    auth.answer("/", { status: 200, headers: cookieLines(FROM_AUTH) });
    expect((await send("plain.example", status)).all("set-cookie")).toEqual([
      ...FROM_BACKEND,
      ...FROM_AUTH,
    ]);
  });

  it.each([202, 300, 305, 400, 401, 404, 500, 503])(
    "are not added on %s unless always",
    async (status) => {
      auth.answer("/", { status: 200, headers: cookieLines(FROM_AUTH) });
      expect((await send("plain.example", status)).all("set-cookie")).toEqual(FROM_BACKEND);
      expect((await send("always.example", status)).all("set-cookie")).toEqual([
        ...FROM_BACKEND,
        ...FROM_AUTH,
      ]);
    },
  );

  it.each([401, 403, 500, 302])(
    "of a refusal with %s are sent only with always",
    async (status) => {
      auth.answer("/", { status, headers: cookieLines(FROM_AUTH) });
      expect((await gateway.send({ host: "plain.example" })).all("set-cookie")).toEqual([]);
      expect((await gateway.send({ host: "always.example" })).all("set-cookie")).toEqual(FROM_AUTH);
    },
  );

  it("of two policies come in order, each by its own rule", async () => {
    auth.answer("/a", { status: 200, headers: cookieLines(["a=1"]) });
    auth.answer("/b", { status: 200, headers: cookieLines(["b=1"]) });
    expect((await send("two.example", 200)).all("set-cookie")).toEqual([
      ...FROM_BACKEND,
      "a=1",
      "b=1",
    ]);
    expect((await send("two.example", 404)).all("set-cookie")).toEqual([...FROM_BACKEND, "b=1"]);
  });

  it("can't bring a line of their own", async () => {
    auth.answer("/", {
      raw: "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\rX-Evil: 1\r\nContent-Length: 0\r\n\r\n",
    });
    const response = await gateway.send({ host: "plain.example" });
    expect(outcome(response)).toEqual([500, "AuthFail : send-auth-request-fail"]);
    expect(response.header("x-evil")).toBeUndefined();
  });

  it("of thousands of bytes survive", async () => {
    const long = Array.from({ length: 20 }, (_, i) => `c${i}=${"x".repeat(2000)}`);
    auth.answer("/", { status: 200, headers: cookieLines(long) });
    expect((await send("plain.example", 200)).all("set-cookie")).toEqual([
      ...FROM_BACKEND,
      ...long,
    ]);
  });
});

describe("sign-in", () => {
  it("is a redirect with the cookies and the challenge", async () => {
    const headers = [...cookieLines(FROM_AUTH), ["WWW-Authenticate", "Bearer"]] as const;
    auth.answer("/", { status: 401, headers });
    const response = await gateway.send({ host: "signin.example", path: "/a?b=c&d" });

    expect(outcome(response)).toEqual([302, undefined]);
    expect(response.header("location")).toBe(
      "https://login.example/?rd=http://signin.example%2Fa%3Fb%3Dc%26d",
    );
    expect(response.all("set-cookie")).toEqual(FROM_AUTH);
    expect(response.header("www-authenticate")).toBe("Bearer");
    expect(response.text).toContain("302 Found");
  });

  it("over HTTP/2 too", async () => {
    auth.answer("/", { status: 401 });
    const client = await scene.use(Http2Client.open({ port: gateway.nginx.port }));
    const response = await client.send({ ":path": "/x", ":authority": "signin.example" });
    expect([response.status, response.headers.location]).toEqual([
      302,
      "https://login.example/?rd=http://signin.example%2Fx",
    ]);
  });

  it("is only for 401", async () => {
    auth.answer("/", { status: 403 });
    expect((await gateway.send({ host: "signin.example" })).status).toBe(403);
  });

  it("that can't be written is 401 with its reason", async () => {
    auth.answer("/", { status: 401 });
    const authorization = `Basic ${Buffer.from("a\r\nX-Evil: 1:x").toString("base64")}`;
    const response = await gateway.send({
      host: "bad-signin.example",
      headers: [["Authorization", authorization]],
    });
    expect(outcome(response)).toEqual([401, "AuthFail : resolve-signinurl-fail"]);
    expect([response.header("x-evil"), response.header("location")]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

it("gRPC clients are refused in their own way", async () => {
  auth.answer("/", { status: 403 });
  const client = await scene.use(Http2Client.open({ port: gateway.nginx.port }));
  const response = await client.send({
    ":path": "/a.B/C",
    ":method": "POST",
    ":authority": "plain.example",
    "content-type": "application/grpc",
  });
  expect([response.status, response.headers["grpc-status"]]).toEqual([200, "7"]);
});
