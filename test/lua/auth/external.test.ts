import { createHash } from "node:crypto";
import { AuthService } from "../../../e2e/harness/auth-service.js";
import { EchoBackend, echoOf } from "../../../e2e/harness/echo-backend.js";
import { Http2Client } from "../../../e2e/harness/http2-client.js";
import { useScene } from "../../../e2e/harness/scene.js";
import type { ExternalAuth } from "../../../src/model/auth.js";
import { externalAuth } from "../../support/forward-auth.js";
import { freePort } from "../../support/free-port.js";
import { authPolicy, LuaGateway, type TestRoute } from "../../support/lua-gateway.js";

const scene = useScene();

/** Headers that the gateway writes, with what a client claims. */
const ORIGIN = [
  ["X-Real-IP", "203.0.113.9"],
  ["X-Forwarded-For", "203.0.113.9"],
  ["X-Forwarded-Proto", "https"],
  ["X-Forwarded-Host", "admin.example"],
  ["X-Forwarded-Port", "443"],
  ["X-Scheme", "https"],
  ["X-Original-URI", "/admin"],
] as const;
let gateway: LuaGateway;
let auth: AuthService;

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  auth = await scene.use(AuthService.start());
  const route = (
    external: Partial<ExternalAuth>,
    port = auth.port,
    path = "/check",
  ): TestRoute => ({
    auth: [authPolicy({ external: externalAuth(port, path, external) })],
  });
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      options: { auth: { timeout: 400, tlsVerify: true } },
      routes: {
        "all.example": route({}),
        "listed.example": route({
          headers: ["x-token", "cookie", "transfer-encoding", "host"],
          responseHeaders: ["x-user", "content-length", "x-absent"],
        }),
        "origin.example": route({ headers: ORIGIN.map(([name]) => name.toLowerCase()) }),
        "body.example": route({ maxBody: 1000 }),
        "bare.example": route({}, auth.port, ""),
        "dead.example": route({}, await freePort()),
      },
    }),
  );
});

const hasBody = (status: number) => status !== 204 && status !== 304;
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const asked = (path: string) => auth.take(path);

describe("the auth request", () => {
  it("has the request's method and target behind the prefix", async () => {
    await gateway.send({ host: "all.example", method: "PUT", path: "/a%2Fb//c?x=%20y&z" });

    expect(asked("/check/a%2Fb//c")).toMatchObject({
      method: "PUT",
      url: "/check/a%2Fb//c?x=%20y&z",
    });
  });

  it("has the target alone without a prefix", async () => {
    await gateway.send({ host: "bare.example", path: "/alone?q" });

    expect(asked("/alone").url).toBe("/alone?q");
  });

  it("has Host, Authorization and an empty body, and no header that is not listed", async () => {
    const headers = [
      ["Authorization", "Bearer x"],
      ["X-Token", "t"],
      ["Cookie", "a=b"],
      ["Content-Type", "text/plain"],
    ] as const;
    await gateway.send({ host: "all.example", path: "/h", headers, method: "POST", body: "body" });
    const { headers: seen, bodyLength } = asked("/check/h");

    expect(seen.map(([name]) => name.toLowerCase()).sort()).toEqual([
      "authorization",
      "content-length",
      "host",
      "x-albc-question",
      "x-albc-turns",
    ]);
    expect(Object.fromEntries(seen.map(([name, value]) => [name.toLowerCase(), value]))).toEqual({
      authorization: "Bearer x",
      "content-length": "0",
      host: "all.example",
      "x-albc-question": expect.stringMatching(/^\d{10} [\w+/]{8} [\w+/]{27}$/) as unknown,
      "x-albc-turns": "4/0",
    });
    expect(bodyLength).toBe(0);
  });

  it("has the headers that are listed, but for those of the hop", async () => {
    const headers = [
      ["X-Token", "t1"],
      ["X_Token", "t2"],
      ["Cookie", "a=b"],
      ["X-Other", "o"],
    ] as const;
    await gateway.send({ host: "listed.example", path: "/l", headers });
    const names = asked("/check/l").headers.map(([name]) => name.toLowerCase());

    expect(names.sort()).toEqual([
      ...["content-length", "cookie", "host"],
      ...["x-albc-question", "x-albc-turns", "x-token", "x_token"],
    ]);
  });
});

describe("headers that the gateway writes", () => {
  it("have the gateway's values, whatever an untrusted client sends", async () => {
    const underscored = ORIGIN.map(([name, value]) => [name.replace("-", "_"), value] as const);
    const claims = [[...ORIGIN, ...underscored], []] as const;
    for (const headers of claims) {
      await gateway.send({ host: "origin.example", path: "/o?a", headers });
      const seen = asked("/check/o").headers.filter(([name]) => /^x(?!-albc)/i.test(name));
      const chain = headers.length > 0 ? "203.0.113.9, 127.0.0.1" : "127.0.0.1";

      expect(Object.fromEntries(seen.map(([name, value]) => [name.toLowerCase(), value]))).toEqual({
        "x-real-ip": "127.0.0.1",
        "x-forwarded-for": chain,
        "x-forwarded-proto": "http",
        "x-forwarded-host": "origin.example",
        "x-forwarded-port": String(gateway.nginx.port),
        "x-scheme": "http",
        "x-original-uri": "/o?a",
      });
      expect(seen).toHaveLength(ORIGIN.length);
    }
  });
});

describe("an answer of 200", () => {
  it("gives the backend the headers that are listed, and none of the client's in their place", async () => {
    auth.answer("/check/set", {
      status: 200,
      headers: [
        ["X-User", "from-auth"],
        ["X-Other", "o"],
      ],
    });
    const headers = [
      ["X-User", "made-up"],
      ["X_User", "made-up"],
      ["X-Absent", "made-up"],
    ] as const;
    const response = await gateway.send({
      host: "listed.example",
      path: "/set",
      headers,
      method: "POST",
      body: "four",
    });
    const echo = echoOf(response);
    const named = (name: string) =>
      echo.headers.filter(([key]) => key.toLowerCase().replaceAll("_", "-") === name);

    expect(named("x-user").map(([, value]) => value)).toEqual(["from-auth"]);
    expect(named("x-absent")).toEqual([]);
    expect(named("x-other")).toEqual([]);
    expect(named("content-length").map(([, value]) => value)).toEqual(["4"]);
  });

  it("gives it all where none are listed, but for those of the hop and of the answer's body", async () => {
    auth.answer("/check/every", {
      status: 200,
      headers: [
        ["X-User", "u"],
        ["X-Group", "a"],
        ["X-Group", "b"],
        ["Content-Type", "text/auth"],
        ["Host", "evil.example"],
        ["Connection", "keep-alive"],
      ],
      body: "ok",
    });
    const response = await gateway.send({
      host: "all.example",
      path: "/every",
      headers: [
        ["X-User", "made-up"],
        ["Content-Type", "text/client"],
      ],
    });
    const values = (name: string) =>
      echoOf(response)
        .headers.filter(([key]) => key.toLowerCase() === name)
        .map(([, value]) => value);

    expect(values("x-user")).toEqual(["u"]);
    expect(values("x-group")).toEqual(["a", "b"]);
    expect(values("content-type")).toEqual(["text/client"]);
    expect(values("host")).toEqual(["all.example"]);
  });
});

describe("any other answer", () => {
  it.each([401, 403, 302, 404, 204, 304, 500, 503])(
    "of %d is the client's, as it is",
    async (status) => {
      auth.answer("/check/no", {
        status,
        headers: [
          ["Location", "https://login.example/"],
          ["Set-Cookie", "a=1"],
          ["Set-Cookie", "b=2"],
          ["Content-Type", "application/problem+json"],
          ["X-Accel-Redirect", "/secret"],
          ["X-Accel-Buffering", "no"],
        ],
        body: hasBody(status) ? '{"why":"because"}' : "",
      });
      const response = await gateway.send({ host: "all.example", path: "/no" });

      expect(response.status).toBe(status);
      expect(response.text).toBe(hasBody(status) ? '{"why":"because"}' : "");
      expect(response.header("content-length")).toBe(hasBody(status) ? "17" : undefined);
      expect(response.headers.filter(([name]) => /^x-accel/i.test(name))).toEqual([]);
      expect(response.header("location")).toBe("https://login.example/");
      // nginx leaves the type out where there is no content.
      expect(response.header("content-type")).toBe(
        status === 204 ? undefined : "application/problem+json",
      );
      expect(response.headers.filter(([name]) => name.toLowerCase() === "set-cookie")).toHaveLength(
        2,
      );
      if (status >= 400) {
        expect(response.header("x-alb-err-reason")).toBe(
          `AuthFail : auth-service-status: ${status}`,
        );
      }
    },
  );

  it("keeps its body when it comes in chunks or ends with the connection", async () => {
    auth.answer("/check/chunks", {
      raw: "HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
    });
    auth.answer("/check/end", { raw: "HTTP/1.1 403 Forbidden\r\n\r\nto the end" });
    const [chunks, end] = [
      await gateway.send({ host: "all.example", path: "/chunks" }),
      await gateway.send({ host: "all.example", path: "/end" }),
    ];

    expect([chunks.status, chunks.text]).toEqual([403, "abcde"]);
    expect([end.status, end.text]).toEqual([403, "to the end"]);
  });

  it("of no body to HEAD", async () => {
    auth.answer("/check/head", { status: 403 });
    const response = await gateway.send({ host: "all.example", path: "/head", method: "HEAD" });

    expect(response.status).toBe(403);
  });

  it("is a grpc-status for gRPC clients", async () => {
    auth.answer("/check/grpc", { status: 403, body: "no" });
    const client = await Http2Client.open({ port: gateway.nginx.port });
    const response = await client.send({
      ":method": "POST",
      ":path": "/grpc",
      ":authority": "all.example",
      "content-type": "application/grpc",
    });
    await client.close();

    expect([response.status, response.headers["grpc-status"]]).toEqual([200, "7"]);
  });
});

describe("nobody gets in", () => {
  it.each([
    ["is not there", "dead.example", undefined],
    ["says nothing", "all.example", "silence"],
    ["breaks off", "all.example", "reset"],
    ["sends no HTTP", "all.example", { raw: "no HTTP\r\n\r\n" }],
    [
      "sends less than it says",
      "all.example",
      { raw: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx" },
    ],
    [
      "answers without end",
      "all.example",
      { raw: "HTTP/1.1 403 No\r\nContent-Length: 99999999\r\n\r\n" },
    ],
  ] as const)("when the service %s", async (_name, host, answer) => {
    if (answer !== undefined) auth.answer("/check/broken", answer);
    const response = await gateway.send({ host, path: "/broken" });

    expect(response.status).toBe(503);
    expect(response.header("x-alb-err-reason")).toBe("AuthFail : send-auth-request-fail");
  });
});

describe("a body that the service gets", () => {
  const post = (body: string, chunked = false) =>
    gateway.send({ host: "body.example", path: "/b", method: "POST", body, chunked });

  it.each([false, true])("reaches the backend too (in chunks: %p)", async (chunked) => {
    const body = "x".repeat(1000);
    const response = await post(body, chunked);

    expect(asked("/check/b").bodySha256).toBe(sha256(body));
    expect(echoOf(response).bodySha256).toBe(sha256(body));
  });

  it.each([false, true])("is at most so long (in chunks: %p)", async (chunked) => {
    const response = await post("x".repeat(1001), chunked);

    expect(response.status).toBe(413);
    expect(response.header("x-alb-err-reason")).toBe("BadRequest : request body too large");
    expect(auth.asked("/check/b")).toEqual([]);
  });

  // nginx takes it for a part of $http_content_length; the backend gets the body all the same.
  it.each(["0", "5", "many"])("is whole whatever Content_Length says (%s)", async (length) => {
    const headers = [["Content_Length", length]] as const;
    const request = { host: "body.example", path: "/b", method: "POST", headers };
    const response = await gateway.send({ ...request, body: "all of it" });

    expect(asked("/check/b").bodySha256).toBe(sha256("all of it"));
    expect(echoOf(response).bodySha256).toBe(sha256("all of it"));
  });

  it("is none for requests without", async () => {
    const response = await gateway.send({ host: "body.example", path: "/b" });

    expect(response.status).toBe(200);
    expect(asked("/check/b").bodyLength).toBe(0);
  });

  it("comes by HTTP/2 without a length", async () => {
    const client = await Http2Client.open({ port: gateway.nginx.port });
    const send = (body: string) =>
      client.send({ ":method": "POST", ":path": "/b", ":authority": "body.example" }, body);
    const [fits, long] = [await send("short"), await send("x".repeat(1001))];
    await client.close();

    expect(asked("/check/b").bodySha256).toBe(sha256("short"));
    expect([fits.status, long.status]).toEqual([200, 413]);
  });
});
