import { INGRESS } from "../harness/auth-surfaces.js";
import { AuthService } from "../harness/auth-service.js";
import { EchoBackend, asking } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import type { HeaderLines } from "../harness/http-message.js";
import { Http2Client } from "../harness/http2-client.js";
import { service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const FROM_AUTH = [
  "session=1; Path=/; HttpOnly",
  "same=auth; Expires=Wed, 09 Jun 2027 10:18:14 GMT",
];
const FROM_BACKEND = ["same=backend", "theme=dark, light"];
const SUCCESS = [200, 201, 204, 206, 301, 302, 303, 304, 307, 308];
const OTHER = [202, 300, 400, 401, 403, 404, 409, 500, 503];
let gateway: Gateway;
let auth: AuthService;

const lines = (cookies: readonly string[]): HeaderLines =>
  cookies.map((value) => ["Set-Cookie", value] as const);

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  auth = await scene.use(AuthService.start());
  const site = (name: string, to: string, always: boolean, more: Record<string, string> = {}) =>
    INGRESS.site(
      name,
      {
        "auth-url": `http://127.0.0.1:${auth.port}/${name}`,
        ...(always && { "auth-always-set-cookie": "true" }),
        ...more,
      },
      { service: to },
    );
  gateway = await scene.use(
    Gateway.start({
      files: {
        "site.yaml": yaml(
          service("web", [{ port: backend.port }]),
          service("dead", [{ port: await freePort() }]),
          service("none"),
          site("default", "web", false),
          site("always", "web", true),
          site("always-dead", "dead", true),
          site("default-dead", "dead", false),
          site("always-none", "none", true),
          site("signin", "web", false, { "auth-signin": "https://login.example/" }),
          site("cors", "web", true, {
            "enable-cors": "true",
            "cors-allow-origin": "https://a.example",
          }),
        ),
      },
    }),
  );
});

function answerAll(status: number): void {
  const names = [
    "default",
    "always",
    "always-dead",
    "default-dead",
    "always-none",
    "signin",
    "cors",
  ];
  for (const name of names) auth.answer(`/${name}`, { status, headers: lines(FROM_AUTH) });
}

/** Set-Cookie lines for a backend's answer of this status with cookies of its own. */
async function cookies(host: string, status: number): Promise<string[]> {
  const script = asking({ status, headers: lines(FROM_BACKEND) });
  const response = await gateway.send({ host, headers: [script] });
  expect(response.status).toBe(status);
  return response.all("set-cookie");
}

describe("cookies of the auth service that allows a request", () => {
  beforeAll(() => answerAll(200));

  it.each(SUCCESS)("follow the backend's own, a line each, on %s", async (status) => {
    expect(await cookies("default.example", status)).toEqual([...FROM_BACKEND, ...FROM_AUTH]);
  });

  it.each(OTHER)("are left out on %s", async (status) => {
    expect(await cookies("default.example", status)).toEqual(FROM_BACKEND);
  });

  it.each([...SUCCESS, ...OTHER])("are there on %s with auth-always-set-cookie", async (status) => {
    expect(await cookies("always.example", status)).toEqual([...FROM_BACKEND, ...FROM_AUTH]);
  });

  it("are the only ones when the backend sets none", async () => {
    expect((await gateway.send({ host: "default.example" })).all("set-cookie")).toEqual(FROM_AUTH);
  });

  it.each([
    ["always-dead.example", 502, FROM_AUTH],
    ["always-none.example", 503, FROM_AUTH],
    ["default-dead.example", 502, []],
  ])("on an error of the gateway, %s, status %s: %j", async (host, status, expected) => {
    const response = await gateway.send({ host });

    expect(response.status).toBe(status);
    expect(response.all("set-cookie")).toEqual(expected);
    expect(response.reason).toBeDefined();
  });

  it("come over HTTP/2 as lines of their own too", async () => {
    const client = await scene.use(Http2Client.open({ port: gateway.httpPort }));
    const response = await client.send({
      ":path": "/",
      ":authority": "default.example",
      "x-echo-script": JSON.stringify({ headers: lines(FROM_BACKEND) }),
    });

    expect(response.headers["set-cookie"]).toEqual([...FROM_BACKEND, ...FROM_AUTH]);
  });

  it("go together with CORS headers", async () => {
    const headers = [["Origin", "https://a.example"]] as const;
    const response = await gateway.send({ host: "cors.example", headers });

    expect(response.all("set-cookie")).toEqual(FROM_AUTH);
    expect(response.header("access-control-allow-origin")).toBe("https://a.example");
  });
});

describe("cookies of the auth service that refuses a request", () => {
  it.each([
    [401, 401],
    [403, 403],
    [500, 500],
    [302, 500],
  ])("with %s are sent only with auth-always-set-cookie", async (answer, status) => {
    answerAll(answer);
    const byDefault = await gateway.send({ host: "default.example" });
    const always = await gateway.send({ host: "always.example" });

    expect([byDefault.status, byDefault.all("set-cookie")]).toEqual([status, []]);
    expect([always.status, always.all("set-cookie")]).toEqual([status, FROM_AUTH]);
  });

  it("are always sent with a redirect to the sign-in page", async () => {
    answerAll(401);
    const response = await gateway.send({ host: "signin.example" });

    expect(response.status).toBe(302);
    expect(response.all("set-cookie")).toEqual(FROM_AUTH);
  });

  it("are not sent by another refusal just because there is a sign-in page", async () => {
    answerAll(403);
    const response = await gateway.send({ host: "signin.example" });

    expect([response.status, response.all("set-cookie")]).toEqual([403, []]);
  });
});
