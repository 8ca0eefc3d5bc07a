/** What a client may write into a request to be taken for somebody else, or for a request to another path. */
import { AuthService } from "../harness/auth-service.js";
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import type { HeaderLines } from "../harness/http-message.js";
import { Http2Client } from "../harness/http2-client.js";
import { configMap, ingress, nginx, secret, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
let gateway: Gateway;
let auth: AuthService;

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  auth = await scene.use(AuthService.start());
  const closed = { "auth-type": "basic", "auth-secret": "users" };
  gateway = await scene.use(
    Gateway.start({
      files: {
        "site.yaml": yaml(
          service("web", [{ port: backend.port }]),
          secret("users", { auth: await htpasswdLine("ann", "secret") }),
          ingress("patterns", {
            annotations: nginx({ "use-regex": "true", ...closed }),
            hosts: {
              "patterns.example": [
                {
                  path: "/closed/(?:[a-z]|/)*/end",
                  pathType: "ImplementationSpecific",
                  service: "web",
                },
                { path: "/hard/(a+)+b", pathType: "ImplementationSpecific", service: "web" },
              ],
            },
          }),
          configMap("headers", { X_Tenant: "blue" }),
          ingress("asked", {
            annotations: nginx({
              "auth-url": `http://127.0.0.1:${auth.port}/asked`,
              "auth-response-headers": "X_User, X-Groups",
              "auth-proxy-set-headers": "default/headers",
            }),
            hosts: { "asked.example": [{ service: "web" }] },
          }),
          ingress("closed", {
            annotations: nginx(closed),
            hosts: { "closed.example": [{ service: "web" }] },
          }),
          ingress("open", {
            hosts: {
              "patterns.example": [{ service: "web" }],
              "open.example": [{ service: "web" }],
            },
          }),
        ),
      },
    }),
  );
});

describe("a path that is closed by a pattern", () => {
  it("is matched up to 8 KiB", async () => {
    const request = { host: "patterns.example", path: `/closed${"/abc".repeat(2000)}/end` };
    const headers = [["Authorization", basic("ann", "secret")]] as const;

    expect((await gateway.send(request)).status).toBe(401);
    expect(echoOf(await gateway.send({ ...request, headers })).url).toBe(request.path);
  });

  it("is not opened by a longer path", async () => {
    const response = await gateway.send({
      host: "patterns.example",
      path: `/closed${"/abc".repeat(4000)}/end`,
      headers: [["Authorization", basic("ann", "secret")]],
    });

    expect(response.status).toBe(400);
    expect(response.reason).toBe("BadRequest : path or value too long for a regular expression");
  });

  it("is not opened by a path at which the pattern gives up", async () => {
    const response = await gateway.send({
      host: "patterns.example",
      path: `/hard/${"a".repeat(200)}/b`,
    });

    expect(response.status).toBe(500);
    expect(response.reason).toBe("InvalidRule : regular expression");
  });

  it("leaves its neighbours open", async () => {
    expect((await gateway.send({ host: "patterns.example", path: "/other" })).status).toBe(200);
  });
});

describe("headers that the auth service sets", () => {
  const forged: HeaderLines = [
    ["X-User", "root"],
    ["X_User", "root"],
    ["x_groups", "root"],
    ["X_Tenant", "red"],
    ["X-Tenant", "red"],
  ];

  it("are told from no spelling of the client's, whichever way they are listed", async () => {
    auth.answer("/asked", {
      status: 200,
      headers: [
        ["X_User", "ann"],
        ["X-Groups", "staff"],
      ],
    });
    const echo = echoOf(await gateway.send({ host: "asked.example", headers: forged }));

    const names = /^x[-_](user|groups)$/i;
    expect(echo.headers.filter(([name]) => names.test(name)).sort()).toEqual([
      ["x-groups", "staff"],
      ["x_user", "ann"],
    ]);
  });

  it("are asked for with the config map's headers alone", async () => {
    auth.forget("/asked");
    await gateway.send({ host: "asked.example", headers: forged });

    const tenant = auth.take("/asked").headers.filter(([name]) => /^x[-_]tenant$/i.test(name));
    expect(tenant).toEqual([["X_Tenant", "blue"]]);
  });
});

describe("a request", () => {
  it.each([
    "open.example:80@evil.example",
    "open.example:x",
    "open.example:80:80",
    "open.example:1?",
  ])("for the host %s is refused", async (host) => {
    const response = await gateway.send({ host });

    expect(response.status).toBe(400);
    expect(response.reason).toMatch(/^BadRequest : /);
  });

  it.each(["open.example:80", "open.example:", "OPEN.example.:65535"])(
    "for the host %s is served",
    async (host) => {
      expect(echoOf(await gateway.send({ host })).header("host")).toBe(host);
    },
  );

  it.each(["X-Original-URL", "X-Rewrite-URL", "X_Original_Url", "X-Rewrite_URL"])(
    "can't ask the backend for another path by %s",
    async (name) => {
      const headers = [[name, "/admin"]] as const;

      expect(echoOf(await gateway.send({ host: "open.example", headers })).all(name)).toEqual([]);
    },
  );

  it("is refused as HTTP to all but gRPC clients, so that no cache keeps the refusal", async () => {
    const headers = [["Content-Type", "application/grpc"]] as const;

    for (const method of ["GET", "HEAD"]) {
      const response = await gateway.send({ host: "closed.example", method, headers });
      expect([method, response.status]).toEqual([method, 401]);
    }
    const client = await scene.use(Http2Client.open({ port: gateway.httpPort }));
    const answer = await client.send({
      ":method": "POST",
      ":path": "/",
      ":authority": "closed.example",
      "content-type": "application/grpc",
    });
    expect([answer.status, answer.headers["grpc-status"]]).toEqual([200, "16"]);
  });
});
