import { INGRESS } from "../harness/auth-surfaces.js";
import { type AuthAnswer, AuthService } from "../harness/auth-service.js";
import { EchoBackend, asking, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import type { HttpResponse } from "../harness/http-message.js";
import { Http2Client } from "../harness/http2-client.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { secret, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { WebSocketClient } from "../harness/websocket.js";

const scene = useScene();
let gateway: Gateway;
let auth: AuthService;
let backend: EchoBackend;

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
  auth = await scene.use(AuthService.start());
  const base = `http://127.0.0.1:${auth.port}`;
  gateway = await scene.use(
    Gateway.start({
      flags: ["--auth-timeout", "700ms"],
      files: {
        "site.yaml": yaml(
          service("web", [{ port: backend.port }]),
          secret("users", { auth: await htpasswdLine("ann", "secret") }),
          INGRESS.site("plain", { "auth-url": `${base}/plain` }),
          INGRESS.site("dead", { "auth-url": `http://127.0.0.1:${await freePort()}/` }),
          INGRESS.site("headers", {
            "auth-url": `${base}/headers`,
            "auth-response-headers": "X-User, x-groups ,X-Absent,Authorization",
          }),
          INGRESS.site("both", {
            "auth-url": `${base}/both`,
            "auth-type": "basic",
            "auth-secret": "users",
          }),
          INGRESS.site("both-headers", {
            "auth-url": `${base}/both-headers`,
            "auth-type": "basic",
            "auth-secret": "users",
            "auth-response-headers": "Authorization",
          }),
        ),
      },
    }),
  );
});

async function outcome(answer: AuthAnswer): Promise<HttpResponse> {
  auth.answer("/plain", answer);
  const before = backend.requests.length;
  const response = await gateway.send({ host: "plain.example" });
  // Nothing but a pass reaches the backend.
  expect(backend.requests.length - before).toBe(response.status === 200 ? 1 : 0);
  return response;
}

describe("the auth service's answer", () => {
  it.each([200, 201, 202, 204, 206, 226, 299])("%s lets the request pass", async (status) => {
    expect(echoOf(await outcome({ status, body: status === 204 ? "" : "text" })).backend).toBe(
      "web",
    );
  });

  it("401 is 401 with the service's challenge, and nothing else of it", async () => {
    const response = await outcome({
      status: 401,
      headers: [
        ["WWW-Authenticate", 'Bearer realm="x", error="invalid_token"'],
        ["X-Secret", "inner"],
        ["Location", "http://inner.example"],
      ],
      body: "the service's own page",
    });

    expect(response.status).toBe(401);
    expect(response.header("www-authenticate")).toBe('Bearer realm="x", error="invalid_token"');
    expect(response.header("x-secret")).toBeUndefined();
    expect(response.header("location")).toBeUndefined();
    expect(response.text).toContain("401 Authorization Required");
    expect(response.reason).toBe("AuthFail : auth-service-status: 401");
  });

  it("401 with several challenges passes them all, as one list or several lines", async () => {
    const challenges = ['Basic realm="a"', "Negotiate"];
    const headers = challenges.map((value) => ["WWW-Authenticate", value] as const);

    const response = await outcome({ status: 401, headers });
    expect(response.all("www-authenticate").join(", ")).toBe(challenges.join(", "));
  });

  it("401 without a challenge has none", async () => {
    expect((await outcome({ status: 401 })).all("www-authenticate")).toEqual([]);
  });

  it("403 is 403", async () => {
    const response = await outcome({ status: 403, body: "go away" });

    expect(response.status).toBe(403);
    expect(response.text).toContain("403 Forbidden");
    expect(response.reason).toBe("AuthFail : auth-service-status: 403");
  });

  it.each([301, 302, 303, 304, 307, 400, 402, 404, 407, 429, 500, 502, 503])(
    "%s is 500",
    async (status) => {
      const response = await outcome({
        status,
        headers: [["Location", "http://other.example/"]],
      });

      expect(response.status).toBe(500);
      expect(response.header("location")).toBeUndefined();
      expect(response.text).toContain("500 Internal Server Error");
      expect(response.reason).toBe(`AuthFail : auth-service-status: ${status}`);
    },
  );

  it.each<[string, AuthAnswer]>([
    ["no HTTP", { raw: "SSH-2.0-OpenSSH_9.6\r\n" }],
    ["binary garbage", { raw: "\x16\x03\x01\x02\x00\x01\xfe\r\n\r\n" }],
    ["nothing before the end", { raw: "" }],
    ["a status that is no number", { raw: "HTTP/1.1 2OO OK\r\n\r\n" }],
    ["half a head", { raw: "HTTP/1.1 200 OK\r\nContent-Type: te" }],
    ["half a body", { raw: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf" }],
    ["a head of a megabyte", { raw: `HTTP/1.1 200 OK\r\nX-Big: ${"x".repeat(1_000_000)}\r\n\r\n` }],
    [
      "a thousand headers",
      { raw: `HTTP/1.1 200 OK\r\n${"X-Filler-Header: some value\r\n".repeat(5000)}\r\n` },
    ],
    ["an endless interim answer", { raw: "HTTP/1.1 100 Continue\r\n\r\n" }],
    ["a reset", "reset"],
    ["silence", "silence"],
    ["half a head, then silence", { raw: "HTTP/1.1 200 OK\r\nContent-", open: true }],
    [
      "half a body, then silence",
      { raw: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nha", open: true },
    ],
  ])("of %s is 500 with a reason", async (_, answer) => {
    const started = performance.now();
    const response = await outcome(answer);

    expect(response.status).toBe(500);
    expect(response.reason).toMatch(/^AuthFail : /);
    expect(response.reason).not.toMatch(/status: 200/);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it("does not hold the next request up after a broken one", async () => {
    await outcome({
      raw: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 401 No\r\n\r\n",
      open: true,
    });

    expect((await outcome({ status: 204 })).status).toBe(200);
    expect((await outcome({ status: 403 })).status).toBe(403);
  });

  it("cannot come from a dead service", async () => {
    const response = await gateway.send({ host: "dead.example" });

    expect(response.status).toBe(500);
    expect(response.reason).toBe("AuthFail : send-auth-request-fail");
  });

  it("to one of several requests at once is that request's", async () => {
    auth.answer("/plain", { status: 204 });
    const client = await scene.use(Http2Client.open({ port: gateway.httpPort }));
    const both = Array.from({ length: 40 }, (_, i) =>
      i % 2 === 0 ? "plain.example" : "dead.example",
    );
    const responses = await Promise.all(
      both.map((host) => client.send({ ":path": "/", ":authority": host })),
    );

    expect(responses.map(({ status }) => status)).toEqual(
      both.map((host) => (host === "plain.example" ? 200 : 500)),
    );
  });

  it("401 refuses a WebSocket, and 200 lets it through", async () => {
    for (const [status, upgraded] of [
      [401, 401],
      [200, 101],
    ] as const) {
      auth.answer("/plain", { status });
      const connection = await gateway.connect();
      const { head, client } = await WebSocketClient.upgrade(connection, {
        host: "plain.example",
      });
      expect(head.status).toBe(upgraded);
      if (client) expect(await client.exchange("hello")).toBe("hello");
      connection.close();
    }
  });

  it("401 refuses a body before it is asked for", async () => {
    auth.answer("/plain", { status: 401 });
    const connection = await gateway.connect();
    connection.write(
      "POST / HTTP/1.1\r\nHost: plain.example\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n",
    );
    const response = await connection.receive();
    connection.close();

    expect(response.status).toBe(401);
    expect(response.informational).toEqual([]);
  });

  it("has no say over the backend's own statuses", async () => {
    auth.answer("/plain", { status: 200 });
    const script = asking({ status: 401, headers: [["WWW-Authenticate", "Own"]] });
    const response = await gateway.send({ host: "plain.example", headers: [script] });

    expect(response.status).toBe(401);
    expect(response.header("www-authenticate")).toBe("Own");
    expect(response.reason).toBeUndefined();
  });
});

describe("auth-response-headers", () => {
  async function received(headers: readonly (readonly [string, string])[]) {
    const response = await gateway.send({ host: "headers.example", headers });
    return echoOf(response);
  }

  it("are set from the auth service's answer, and others are not", async () => {
    auth.answer("/headers", {
      status: 200,
      headers: [
        ["x-user", "ann"],
        ["X-Groups", "a"],
        ["X-Groups", "b"],
        ["X-Other", "inner"],
        ["Authorization", "Bearer minted"],
      ],
    });
    const echo = await received([]);

    expect(echo.all("x-user")).toEqual(["ann"]);
    expect(echo.all("x-groups").join(", ")).toBe("a, b");
    expect(echo.all("authorization")).toEqual(["Bearer minted"]);
    expect(echo.all("x-other")).toEqual([]);
  });

  it("replace what the client sends, whatever its letters and however often", async () => {
    const echo = await received([
      ["X-USER", "root"],
      ["x-user", "root"],
      ["Authorization", "Bearer stolen"],
    ]);

    expect(echo.all("x-user")).toEqual(["ann"]);
    expect(echo.all("authorization")).toEqual(["Bearer minted"]);
  });

  it("are removed from the client's request when the answer lacks them", async () => {
    auth.answer("/headers", { status: 200 });
    const names = ["X-User", "X-Groups", "X-Absent", "Authorization"];
    const echo = await received(names.map((name) => [name, "root"] as const));

    for (const name of names) expect([name, echo.all(name)]).toEqual([name, []]);
  });

  it.each(["X_User", "x_groups", "X_Absent"])(
    "are not to be had as %s either, which many backends take for the same",
    async (name) => {
      expect((await received([[name, "root"]])).all(name)).toEqual([]);
    },
  );

  it("reach a backend over HTTP/2 requests alike", async () => {
    auth.answer("/headers", { status: 200, headers: [["X-User", "ann"]] });
    const client = await scene.use(Http2Client.open({ port: gateway.httpPort }));
    const response = await client.send({
      ":path": "/",
      ":authority": "headers.example",
      "x-user": "root",
    });
    const echo = JSON.parse(String(response.body)) as { headers: [string, string][] };

    expect(echo.headers.filter(([name]) => /^x.user$/i.test(name)).map(([, v]) => v)).toEqual([
      "ann",
    ]);
  });
});

describe("basic and forward auth together", () => {
  const credentials = [["Authorization", basic("ann", "secret")]] as const;

  it("must both pass, basic first", async () => {
    auth.answer("/both", { status: 403 });
    expect((await gateway.send({ host: "both.example" })).status).toBe(401);
    expect(auth.asked("/both")).toHaveLength(0);

    expect((await gateway.send({ host: "both.example", headers: credentials })).status).toBe(403);
    expect(auth.take("/both").header("authorization")).toBe(basic("ann", "secret"));

    auth.answer("/both", { status: 200 });
    const echo = echoOf(await gateway.send({ host: "both.example", headers: credentials }));
    expect(echo.all("authorization")).toEqual([]);
  });

  it("let the auth service's Authorization reach the backend when it is listed", async () => {
    auth.answer("/both-headers", { status: 200, headers: [["Authorization", "Bearer minted"]] });
    const echo = echoOf(await gateway.send({ host: "both-headers.example", headers: credentials }));

    expect(echo.all("authorization")).toEqual(["Bearer minted"]);
  });
});
